package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	schemaobjectmeta "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
)

// stageError is where an answer failed.
type stageError struct{ stage, message string }

// question is one case on its way.
type question struct {
	entry    *entry
	line     *caseLine
	stage    string
	obj, old *unstructured.Unstructured
	space    string
}

// answer never panics: a panic becomes a failure with the stage at which it happened.
func (s *server) answer(line *caseLine) (out answer) {
	out.ID = line.ID
	e := s.entries[keyOf(kindInfo{Group: line.Group, Version: line.Version, Resource: line.Resource, Subresource: line.Subresource})]
	if e == nil {
		out.Failure = &failure{Stage: "decode", Message: fmt.Sprintf("not served: %s/%s %s/%s", line.Group, line.Version, line.Resource, line.Subresource)}
		return out
	}
	if !slices.Contains(e.info.Operations, line.Operation) {
		out.Failure = &failure{Stage: "decode", Message: fmt.Sprintf("%s is not served for %s", line.Operation, e.key())}
		return out
	}
	q := &question{entry: e, line: line}
	defer func() {
		if r := recover(); r != nil {
			out.Failure = q.failure(r)
		}
	}()
	q.run(&out)
	return out
}

func (q *question) failure(recovered any) *failure {
	if known, ok := recovered.(stageError); ok {
		return &failure{Stage: known.stage, Message: known.message}
	}
	return &failure{Stage: q.stage, Message: fmt.Sprintf("panic: %v", recovered), Panic: true}
}

func (q *question) fail(err error) {
	if err != nil {
		panic(stageError{q.stage, err.Error()})
	}
}

func (q *question) run(out *answer) {
	q.stage = "decode"
	q.obj, out.Pruned = q.read(q.line.Object)
	if q.line.Operation == "update" {
		if len(q.line.Old) == 0 || string(q.line.Old) == "null" {
			q.fail(fmt.Errorf("an update wants an old object"))
		}
		q.old, _ = q.read(q.line.Old)
	}
	if q.entry.scale != nil { // which has nothing of the object but a number
		out.Pruned = nil
	}
	q.stage = "prepare"
	q.prepare()
	q.stage = "declarative"
	out.Declarative = wireErrors(slices.DeleteFunc(q.validate(), isNotice))
	for i := range out.Declarative {
		place, words := q.entry.rules.take(out.Declarative[i].Detail)
		out.Declarative[i].Detail = words
		switch {
		case place != "":
			out.Declarative[i].Origin = place
		case out.Declarative[i].Origin == "":
			out.Declarative[i].Origin = constraintOf(words)
		}
		if out.Declarative[i].Field == "<nil>" { // a path without parts
			out.Declarative[i].Field = ""
		}
	}
	if q.line.Validated && !(q.line.Brief && out.refused()) {
		q.stage = "convert"
		out.Validated = map[string]*validated{q.entry.info.Version: {
			Type: q.entry.info.Type, Object: q.encoded(q.obj), Old: q.encoded(q.old), Subresource: q.line.Subresource,
		}}
	}
}

func (q *question) encoded(obj *unstructured.Unstructured) json.RawMessage {
	if obj == nil {
		return nil
	}
	raw, err := json.Marshal(obj.Object)
	q.fail(err)
	return raw
}

// read decodes an object and does what the server's private unstructuredSchemaCoercer does with it, step by step, then
// sets defaults; in mode `given` it is left as it is. Returns the fields that the schema does not know, which are gone.
func (q *question) read(raw []byte) (*unstructured.Unstructured, []string) {
	decoded, _, err := unstructured.UnstructuredJSONScheme.Decode(raw, nil, nil)
	q.fail(err)
	u, ok := decoded.(*unstructured.Unstructured)
	if !ok {
		q.fail(fmt.Errorf("the object is a list of objects"))
	}
	if found := u.GroupVersionKind(); found != q.entry.gvk {
		q.fail(fmt.Errorf("the object is a %s of %s, wanted a %s of %s", found.Kind, found.GroupVersion(), q.entry.gvk.Kind, q.entry.gvk.GroupVersion()))
	}
	if q.line.Mode == "given" {
		return u, nil
	}
	schema := q.entry.structural
	track := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	objectMeta, found, unknown, err := schemaobjectmeta.GetObjectMetaWithOptions(u.Object, schemaobjectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	q.fail(err)
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, schema, true, track)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, schema)
	more, coerceErr := coerce(u.Object, schema)
	if coerceErr != nil {
		q.fail(coerceErr)
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		q.fail(schemaobjectmeta.SetObjectMeta(u.Object, objectMeta))
	}
	q.stage = "default"
	defaulting.Default(u.Object, schema)
	q.stage = "decode"
	return u, append(unknown, more...)
}

// prepare does what happens to an object between decoding and validation.
func (q *question) prepare() {
	namespaced, served := q.entry.info.Namespaced, q.line.Mode != "given"
	if q.old != nil && served {
		fillOld(q.old, q.obj, namespaced)
		fillNew(q.obj, q.old, namespaced)
		if q.entry.scale != nil {
			q.scaled()
		}
	}
	q.space = q.obj.GetNamespace()
	switch {
	case !namespaced:
		q.space = ""
	case q.space == "" && served:
		q.space = metav1.NamespaceDefault
	}
	if !served {
		return
	}
	q.fail(rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForScope(q.space, namespaced), q.obj))
	if q.old == nil {
		rest.WipeObjectMetaSystemFields(q.obj)
		fillCreated(q.obj, q.entry.create)
		q.entry.create.PrepareForCreate(q.context(), q.obj)
		return
	}
	q.obj.SetGeneration(q.old.GetGeneration())
	q.entry.update.PrepareForUpdate(q.context(), q.obj, q.old)
	keepOld(q.obj, q.old)
}

func (q *question) validate() field.ErrorList {
	if q.old == nil {
		return wholeCreate(q.context(), q.obj, q.entry.create)
	}
	return wholeUpdate(q.context(), q.obj, q.old, q.entry.update)
}

// isNotice tells what the server adds where errors of the schema keep its CEL rules from being asked: it says nothing of
// the object, and is there whenever such an error is.
func isNotice(err *field.Error) bool {
	return err.Type == field.ErrorTypeInvalid && strings.HasPrefix(err.Detail, "some validation rules were not checked")
}

func (q *question) context() context.Context {
	info := q.entry.info
	ctx := genericapirequest.WithRequestInfo(context.Background(), &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: q.line.Operation, APIPrefix: "apis", APIGroup: info.Group, APIVersion: info.Version,
		Resource: info.Resource, Subresource: info.Subresource, Namespace: q.space, Name: q.obj.GetName(),
	})
	return genericapirequest.WithNamespace(ctx, q.space)
}
