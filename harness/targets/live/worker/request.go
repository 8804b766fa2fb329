package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/kubeapiserver"
)

// request is a case as a client sends it, and what has to be stored before.
type request struct {
	entry        *entry
	method, path string
	body         []byte
	key          string // where in storage; empty where nothing has to be there
	stored       []byte
}

// fields are the members of an object, each as it was written: a server may read a number in another way than we would.
type fields map[string]json.RawMessage

// realRevision stands in a body for what the storage will call the stored object.
const realRevision = `"@revision"`

func folderOf(group, resource string) string {
	if group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io" {
		return group + "/" + resource
	}
	if special, known := kubeapiserver.SpecialDefaultResourcePrefixes[schema.GroupResource{Group: group, Resource: resource}]; known {
		return special
	}
	return resource
}

// request addresses a case. Whatever a client may leave out, or takes from what is stored, is filled in as the other
// worker fills it in.
func (e *entry) request(line *caseLine) (*request, error) {
	object, err := parse(line.Object)
	if err != nil {
		return nil, err
	}
	r := &request{entry: e, method: "POST"}
	meta, isWhole := object.member("metadata")
	name, space := meta.text("name"), ""
	if e.info.Namespaced {
		if space = meta.text("namespace"); space == "" {
			space = "default"
		}
	}
	if line.Operation == "update" {
		r.method = "PUT"
		if !isWhole {
			return nil, errors.New("metadata of the object is no object")
		}
		if name, space, err = r.updated(line, object, meta); err != nil {
			return nil, err
		}
	} else if e.info.Subresource != "" || e.info.Resource == "bindings" {
		r.beside(name, space, meta.text("uid"))
	}
	r.path = e.prefix
	if space != "" {
		r.path += "/namespaces/" + url.PathEscape(space)
	}
	r.path += "/" + e.info.Resource
	if line.Operation == "update" || e.info.Subresource != "" {
		r.path += "/" + url.PathEscape(name)
	}
	if e.info.Subresource != "" {
		r.path += "/" + e.info.Subresource
	}
	r.path += "?dryRun=All&fieldValidation=Ignore"
	if r.body == nil {
		r.body = line.Object
	}
	return r, nil
}

// updated prepares both objects of an update, and says where the stored one is.
func (r *request) updated(line *caseLine, object, meta fields) (name, space string, err error) {
	e := r.entry
	old, err := parse(line.Old)
	if err != nil {
		return "", "", err
	}
	oldMeta, isWhole := old.member("metadata")
	if !isWhole {
		return "", "", errors.New("metadata of the old object is no object")
	}
	if name = oldMeta.text("name"); name == "" {
		name = meta.text("name")
	}
	oldMeta.set("name", name)
	delete(oldMeta, "namespace")
	if e.info.Namespaced {
		if space = oldOf(line.Old).text("namespace"); space == "" {
			space = "default"
		}
		oldMeta.set("namespace", space)
		meta.fill("namespace", space)
	} else {
		delete(meta, "namespace")
	}
	oldMeta.fill("uid", string(filledUID))
	oldMeta.fill("creationTimestamp", filledTime.UTC().Format("2006-01-02T15:04:05Z"))
	revision := oldMeta.text("resourceVersion")
	if revision == "" {
		revision = "1"
	}
	delete(oldMeta, "resourceVersion")
	meta.fill("name", name)
	if wanted := meta.text("resourceVersion"); meta.isEmpty("resourceVersion") || wanted == "0" || wanted == revision {
		meta["resourceVersion"] = json.RawMessage(realRevision)
	}
	old.fill("kind", e.info.Kind)
	old.fill("apiVersion", e.info.APIVersion)
	old["metadata"], object["metadata"] = oldMeta.encode(), meta.encode()
	r.body, r.stored = object.encode(), old.encode()
	if e.info.Subresource == "scale" {
		r.stored = scaled(e, oldMeta, old)
	}
	r.key = keyOf(e.folder, space, name)
	return name, space, nil
}

func keyOf(folder, space, name string) string {
	parts := []string{storagePrefix, folder}
	if space != "" {
		parts = append(parts, space)
	}
	return strings.Join(append(parts, name), "/")
}

// oldOf reads the metadata of an object once more.
func oldOf(raw []byte) fields {
	object, _ := parse(raw)
	meta, _ := object.member("metadata")
	return meta
}

// scaled is an object with the replicas of an old scale, and with as much of its metadata as a scale takes from it.
func scaled(e *entry, meta, scale fields) []byte {
	kept := fields{}
	for _, name := range []string{"name", "namespace", "uid", "creationTimestamp", "managedFields"} {
		if value, given := meta[name]; given {
			kept[name] = value
		}
	}
	spec, _ := scale.member("spec")
	replicas := json.RawMessage("0")
	if count, given := spec["replicas"]; given && string(count) != "null" {
		replicas = count
	}
	return parentOf(e.info.Group, e.info.Version, e.info.Resource, kept, replicas)
}

// beside stores what a request about a part of another object needs: the pod of a binding, the account of a token. It has
// the uid that the request wants.
func (r *request) beside(name, space, uid string) {
	whole := fields{}
	folder := r.entry.folder
	switch r.entry.info.Resource {
	case "pods", "bindings":
		folder = "pods"
		whole.set("kind", "Pod")
		whole["spec"] = json.RawMessage(podSpec)
	case "serviceaccounts":
		whole.set("kind", "ServiceAccount")
	default:
		return
	}
	meta := fields{}
	meta.set("name", name)
	meta.set("namespace", space)
	meta.set("uid", uid)
	meta.fill("uid", string(filledUID))
	meta.set("creationTimestamp", filledTime.UTC().Format("2006-01-02T15:04:05Z"))
	whole.set("apiVersion", "v1")
	whole["metadata"] = meta.encode()
	r.key, r.stored = keyOf(folder, space, name), whole.encode()
}

// at puts the revision of the stored object into the body.
func (r *request) at(revision int64) []byte {
	return bytes.Replace(r.body, []byte(`"resourceVersion":`+realRevision), []byte(`"resourceVersion":"`+strconv.FormatInt(revision, 10)+`"`), 1)
}

func parse(raw []byte) (fields, error) {
	object := fields{}
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		return nil, errors.New("the object is no JSON object")
	}
	return object, nil
}

// member is an object in an object; one that is not there is empty.
func (f fields) member(name string) (fields, bool) {
	inner := fields{}
	raw, given := f[name]
	if !given || string(raw) == "null" {
		return inner, true
	}
	err := json.Unmarshal(raw, &inner)
	return inner, err == nil
}

func (f fields) text(name string) (text string) {
	_ = json.Unmarshal(f[name], &text)
	return text
}

func (f fields) isEmpty(name string) bool {
	raw := string(f[name])
	return raw == "" || raw == "null" || raw == `""`
}

func (f fields) set(name, text string) { f[name], _ = json.Marshal(text) }

func (f fields) fill(name, text string) {
	if f.isEmpty(name) {
		f.set(name, text)
	}
}

func (f fields) encode() []byte {
	encoded, _ := json.Marshal(f)
	return encoded
}
