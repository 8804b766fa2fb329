package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// response is the list of errors that a client gets, or what it gets where validation is not what answered.
type response struct {
	servedList
	Status string `json:"status,omitempty"`
}

// ask asks under the present gates. What has to be stored is stored for the time of one request.
func (c *cluster) ask(r *request, mark marking) (response, error) {
	body := r.body
	if r.key != "" {
		put, err := c.storage.Put(context.Background(), r.key, string(r.stored), clientv3.WithPrevKV())
		if err != nil {
			return response{}, fmt.Errorf("storing the old object: %w", err)
		}
		defer c.restore(r.key, put)
		body = r.at(put.Header.Revision)
	}
	said := c.do(c.director, r.method, r.path, body, mark)
	return said.read(r), nil
}

// restore puts back what was stored before.
func (c *cluster) restore(key string, put *clientv3.PutResponse) {
	if put.PrevKv != nil {
		_, _ = c.storage.Put(context.Background(), key, string(put.PrevKv.Value))
	} else {
		_, _ = c.storage.Delete(context.Background(), key)
	}
}

// read says what the reply to a request means. A create is validated before the server looks whether the name is taken.
func (r *reply) read(asked *request) response {
	out := response{servedList: servedList{Errors: []wireError{}}}
	if r.panic != nil {
		words, _, _ := strings.Cut(fmt.Sprint(r.panic), "\n") // the stack follows
		out.Status = fmt.Sprintf("the connection is closed, because the server panics: %.500s", words)
		return out
	}
	if r.code >= 200 && r.code < 300 {
		return out
	}
	var status metav1.Status
	if err := json.Unmarshal(r.body.Bytes(), &status); err != nil || status.Kind != "Status" {
		out.Status = fmt.Sprintf("%d: %.2000s", r.code, r.body.String())
		return out
	}
	if asked.method == "POST" && status.Reason == metav1.StatusReasonAlreadyExists {
		return out
	}
	if status.Reason != metav1.StatusReasonInvalid || status.Details == nil {
		out.Status = fmt.Sprintf("%d %s: %s", r.code, status.Reason, status.Message)
		return out
	}
	for _, cause := range status.Details.Causes {
		out.Errors = append(out.Errors, asked.causeError(cause))
	}
	return out
}

// causeError is the error that a cause was made of, as far as it tells: the value stands before the detail, and nothing
// says where one ends.
func (r *request) causeError(cause metav1.StatusCause) wireError {
	text := strings.TrimPrefix(strings.TrimPrefix(cause.Message, words(field.ErrorType(cause.Type))), ": ")
	return wireError{Type: string(cause.Type), Field: cause.Field, Detail: still(r.withoutOwn(text))}
}

var uids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// withoutOwn takes back what the server itself put into a new object that a text quotes: a uid of its own, where the
// other worker puts one that is always the same, and the managed fields of this request.
func (r *request) withoutOwn(text string) string {
	if r.method != "POST" {
		return text
	}
	text = uids.ReplaceAllStringFunc(text, func(uid string) string {
		if bytes.Contains(r.body, []byte(uid)) {
			return uid
		}
		return string(filledUID)
	})
	const member = `"managedFields":`
	begin := strings.Index(text, member)
	if begin < 0 {
		return text
	}
	list := begin + len(member)
	end := list + lengthOf(text[list:])
	others := othersManaged(text[list:end])
	if others == "" {
		return strings.TrimSuffix(text[:begin], ",") + text[end:]
	}
	return text[:list] + others + text[end:]
}

// othersManaged leaves out of a list of managed fields the entry of the request itself, and is empty if that was all.
func othersManaged(list string) string {
	var entries, others []json.RawMessage
	if json.Unmarshal([]byte(list), &entries) != nil {
		return list
	}
	for _, raw := range entries {
		var entry metav1.ManagedFieldsEntry
		if json.Unmarshal(raw, &entry) != nil || entry.Manager != userAgent {
			others = append(others, raw)
		}
	}
	if len(others) == 0 {
		return ""
	}
	encoded, _ := json.Marshal(others)
	return string(encoded)
}

// lengthOf is the length of the JSON value with which a text begins.
func lengthOf(text string) int {
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) != nil {
		return 0
	}
	return int(decoder.InputOffset())
}

// words are those with which the text of an error begins; of a type that this release does not know there are none.
func words(kind field.ErrorType) (text string) {
	defer func() { _ = recover() }()
	return kind.String()
}
