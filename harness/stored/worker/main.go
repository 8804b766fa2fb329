// The reader of etcd snapshots: prints the newest version of every object in a snapshot, one JSON document per line,
// decoded with the types of one Kubernetes release. Nothing is converted or defaulted, and the file is not changed.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

const (
	hashSize    = 32        // etcd appends a hash to a snapshot, behind whole pages
	pageSize    = 512       // whole pages of any database are a multiple of this
	encrypted   = "k8s:enc" // how the server marks what it has encrypted
	binaryMark  = "k8s\x00" // and what it has written as protobuf
	tombstone   = 't'       // the mark behind the revision of a deletion
	revisionLen = 17
)

// line is one object, or why there is none.
type line struct {
	Key       string          `json:"key"`
	Revision  int64           `json:"revision,omitempty"`
	Object    json.RawMessage `json:"object,omitempty"`
	Encrypted string          `json:"encrypted,omitempty"`
	Failure   string          `json:"failure,omitempty"`
}

func main() {
	if len(os.Args) != 2 {
		fail("one file is read")
	}
	if err := read(os.Args[1]); err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// read prints every object of a snapshot. Reading what is missing at the end of a file that is cut faults, because the
// file is mapped into memory.
func read(name string) (err error) {
	debug.SetPanicOnFault(true)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the snapshot is cut or damaged: %v", r)
		}
	}()
	if err := checkHash(name); err != nil {
		return err
	}
	db, err := bbolt.Open(name, 0o400, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return fmt.Errorf("no snapshot of etcd: %w", err)
	}
	defer db.Close()
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	err = db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte("key"))
		if bucket == nil {
			return fmt.Errorf("no snapshot of etcd: it has no bucket with keys")
		}
		return printNewest(bucket.Cursor(), json.NewEncoder(out))
	})
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// checkHash compares the hash behind a snapshot, if there is one; a database that was copied has none.
func checkHash(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size()%pageSize != hashSize {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, file, info.Size()-hashSize); err != nil {
		return err
	}
	want := make([]byte, hashSize)
	if _, err := io.ReadFull(file, want); err != nil {
		return err
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return fmt.Errorf("the snapshot is damaged: its hash is not that of its content")
	}
	return nil
}

// printNewest goes from the newest revision to the oldest, so that the first version of a key is the one that counts.
func printNewest(cursor *bbolt.Cursor, out *json.Encoder) error {
	out.SetEscapeHTML(false)
	seen := map[[16]byte]struct{}{}
	for revision, value := cursor.Last(); revision != nil; revision, value = cursor.Prev() {
		kv, ok := keyValueOf(value)
		if !ok {
			if err := out.Encode(line{Key: "?", Failure: "no value of etcd"}); err != nil {
				return err
			}
			continue
		}
		sum := sha256.Sum256(kv.key)
		id := [16]byte(sum[:16])
		if _, known := seen[id]; known {
			continue
		}
		seen[id] = struct{}{}
		if len(revision) > revisionLen && revision[revisionLen] == tombstone || bytes.IndexByte(kv.key, '/') != 0 {
			continue // it was deleted, or it is a key of the server's own
		}
		if err := out.Encode(lineOf(kv)); err != nil {
			return err
		}
	}
	return nil
}

// keyValue is what etcd stores for a revision: the message mvccpb.KeyValue, of which only what is read is decoded, since
// its package has another form in each version of etcd.
type keyValue struct {
	key, value  []byte
	modRevision int64
}

const (
	keyField         = 1
	modRevisionField = 3
	valueField       = 5
)

func keyValueOf(data []byte) (kv keyValue, ok bool) {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return kv, false
		}
		data = data[n:]
		switch {
		case (field == keyField || field == valueField) && kind == protowire.BytesType:
			var content []byte
			if content, n = protowire.ConsumeBytes(data); field == keyField {
				kv.key = content
			} else {
				kv.value = content
			}
		case field == modRevisionField && kind == protowire.VarintType:
			var revision uint64
			revision, n = protowire.ConsumeVarint(data)
			kv.modRevision = int64(revision)
		default:
			n = protowire.ConsumeFieldValue(field, kind, data)
		}
		if n < 0 {
			return kv, false
		}
		data = data[n:]
	}
	return kv, kv.key != nil
}

var binaries = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

func lineOf(kv keyValue) line {
	one := line{Key: string(kv.key), Revision: kv.modRevision}
	switch {
	case bytes.HasPrefix(kv.value, []byte(encrypted)):
		parts := strings.SplitN(string(kv.value[:min(len(kv.value), 200)]), ":", 5)
		one.Encrypted = "unknown"
		if len(parts) > 2 {
			one.Encrypted = parts[2]
		}
	case bytes.HasPrefix(kv.value, []byte(binaryMark)):
		object, err := decode(kv.value)
		if err != nil {
			one.Failure = err.Error()
		} else {
			one.Object = object
		}
	case json.Valid(kv.value):
		one.Object = kv.value
	default:
		one.Failure = "neither protobuf of Kubernetes nor JSON"
	}
	return one
}

// decode writes a value as JSON, in the version that it is stored in.
func decode(value []byte) (encoded []byte, err error) {
	object, kind, err := binaries.Decode(value, nil, nil)
	if runtime.IsNotRegisteredError(err) && kind != nil {
		return nil, fmt.Errorf("this release has no %s %s", kind.GroupVersion(), kind.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("its protobuf cannot be decoded")
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	return json.Marshal(object)
}
