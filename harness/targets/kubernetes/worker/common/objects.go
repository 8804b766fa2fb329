package main

import (
	"fmt"
	"hash/maphash"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kjson "sigs.k8s.io/json"
)

// decode reads an object, which should be of the wanted kind, and says of which kind it is. What the server's
// deserializer does first, finding out the kind and trying other encodings, is left out where the object turns out to be
// what was wanted; all others go the whole way, for the same words. The kind that the address of a request names, if any,
// is that of an object which does not say one.
func decode(raw []byte, wanted schema.GroupVersionKind, named *schema.GroupVersionKind) (runtime.Object, schema.GroupVersionKind, error) {
	if obj, err := legacyscheme.Scheme.New(wanted); err == nil && len(raw) > 0 && raw[0] == '{' {
		if kjson.UnmarshalCaseSensitivePreserveInts(raw, obj) == nil && obj.GetObjectKind().GroupVersionKind() == wanted {
			return obj, wanted, nil
		}
	}
	obj, found, err := legacyscheme.Codecs.UniversalDeserializer().Decode(raw, named, nil)
	if err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	return obj, *found, nil
}

// internal is the object as the server holds it after decoding, with defaults unless the mode is `given`. The same
// text comes again and again, as the old object of many edits and on both sides of an update that changes nothing, so
// what it was read to is kept.
func (q *question) internal(raw []byte) runtime.Object {
	q.enter("decode")
	key := readKey{q.entry, q.line.Mode == "given", ""}
	if obj := readObjects.find(key, raw); obj != nil {
		return obj.DeepCopyObject()
	}
	obj := q.read(raw, "")
	readObjects.keep(key, raw, obj)
	return obj
}

// nameBoth reads an object of an update again that has no name, with the name of the other one, as both have in a server:
// a default may come of it.
func (q *question) nameBoth() {
	if q.old == nil || q.line.Mode == "given" {
		return
	}
	switch name, oldName := nameOf(q.obj), nameOf(q.old); {
	case name == "" && oldName != "":
		q.obj = q.read(q.line.Object, oldName)
	case oldName == "" && name != "":
		q.old = q.read(q.line.Old, name)
	}
}

func nameOf(obj runtime.Object) string {
	objectMeta, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return objectMeta.GetName()
}

// read reads an object, which gets a name if one is given.
func (q *question) read(raw []byte, name string) runtime.Object {
	e := q.entry
	var named *schema.GroupVersionKind
	if q.line.Mode != "given" && len(raw) > 0 && raw[0] == '{' {
		named = &e.gvk
	}
	obj, gvk, err := decode(raw, e.gvk, named)
	q.fail(err)
	if gvk != e.gvk {
		q.fail(fmt.Errorf("the object is a %s of %s, wanted a %s of %s", gvk.Kind, gvk.GroupVersion(), e.gvk.Kind, e.gvk.GroupVersion()))
	}
	if name != "" {
		objectMeta, err := meta.Accessor(obj)
		q.fail(err)
		objectMeta.SetName(name)
	}
	if q.line.Mode != "given" {
		q.enter("default")
		legacyscheme.Scheme.Default(obj)
	}
	q.enter("convert")
	internal, err := legacyscheme.Scheme.UnsafeConvertToVersion(obj, e.hub)
	q.fail(err)
	return internal
}

// What is kept of objects that were read: so many texts, and so many bytes of text, in each of two generations.
const (
	mostKept      = 1024
	mostKeptBytes = 2 << 20
	longestKept   = 1 << 15
	mostSeen      = 1 << 14
)

type readKey struct {
	entry *entry
	given bool
	text  string
}

// kept holds what was read lately and more than once: when the present generation is full it becomes the former one,
// which is forgotten. Most texts never come again, so the first time only a trace of them is left.
type kept struct {
	lock            sync.Mutex
	present, former map[readKey]runtime.Object
	bytes           int
	seed            maphash.Seed
	seen            [mostSeen]uint32
}

var readObjects = &kept{present: map[readKey]runtime.Object{}, seed: maphash.MakeSeed()}

// find returns what the text was read to; it must be copied before anything is done with it.
func (k *kept) find(key readKey, raw []byte) runtime.Object {
	k.lock.Lock()
	defer k.lock.Unlock()
	if obj := k.present[readKey{key.entry, key.given, string(raw)}]; obj != nil {
		return obj
	}
	obj := k.former[readKey{key.entry, key.given, string(raw)}]
	if obj != nil {
		key.text = string(raw)
		k.add(key, obj)
	}
	return obj
}

// keep keeps a copy of what came before: the object itself goes on to be prepared and validated. An object that was
// given the present time is not kept: later it would be given another one.
func (k *kept) keep(key readKey, raw []byte, obj runtime.Object) {
	if len(raw) > longestKept || !k.again(raw) || hasPresent(obj) {
		return
	}
	obj = obj.DeepCopyObject()
	key.text = string(raw)
	k.lock.Lock()
	defer k.lock.Unlock()
	k.add(key, obj)
}

// again tells whether the text, or one with the same trace, came lately.
func (k *kept) again(raw []byte) bool {
	hash := maphash.Bytes(k.seed, raw)
	k.lock.Lock()
	defer k.lock.Unlock()
	place, trace := hash%mostSeen, uint32(hash>>32)
	known := k.seen[place] == trace
	k.seen[place] = trace
	return known
}

func (k *kept) add(key readKey, obj runtime.Object) {
	if len(k.present) >= mostKept || k.bytes > mostKeptBytes {
		k.present, k.former, k.bytes = make(map[readKey]runtime.Object, mostKept), k.present, 0
	}
	k.present[key] = obj
	k.bytes += len(key.text)
}
