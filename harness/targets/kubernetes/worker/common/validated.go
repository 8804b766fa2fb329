package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// snapshot writes down what a generated function is given.
func snapshot(op operation.Operation, obj, old any) *validated {
	t := reflect.TypeOf(obj).Elem()
	return &validated{
		Type: t.PkgPath() + "." + t.Name(), Object: encoded(obj), Old: encoded(old), Options: optionValues(op),
		Subresource: strings.Join(subresourcesOf(op), "/"),
	}
}

// encoded writes an object as JSON; nothing when there is none.
func encoded(obj any) json.RawMessage {
	if v := reflect.ValueOf(obj); !v.IsValid() || v.IsNil() {
		return nil
	}
	raw, err := json.Marshal(obj)
	if err != nil {
		panic(stageError{stage: "convert", message: err.Error()})
	}
	return raw
}

// validated is what declarative validation looked at, or would have: a kind that has no rules yet is converted all the
// same, so that rules can be tried on it. Nothing is said where a strategy lets the rules of its type lie.
func (q *question) validated(c *call) map[string]*validated {
	e := q.entry
	var seen *validated
	if c.seen != nil {
		seen = c.seen()
	} else {
		// Asked of the type, not of the object: one that cannot be converted is the reason why no rule was asked.
		empty, err := legacyscheme.Scheme.New(e.gvk)
		q.fail(err)
		if generatedValidators[reflect.TypeOf(empty)] != nil {
			return nil
		}
		obj, old := q.converted(e.gvk.GroupVersion())
		seen = snapshot(q.operation(c), obj, old)
	}
	all := map[string]*validated{e.gv.Version: seen}
	if q.line.Versions {
		for _, version := range e.info.Versions {
			obj, old := q.converted(schema.GroupVersion{Group: e.gvk.Group, Version: version})
			all[version] = snapshot(q.operation(c), obj, old)
		}
	}
	return all
}

// operation is what the declarative side was asked with, or would have been.
func (q *question) operation(c *call) operation.Operation {
	if c.calls > 0 {
		return c.operation
	}
	op := withOptions(operation.Operation{}, q.line.Options)
	if q.entry.info.Subresource != "" {
		op = withSubresources(op, strings.Split(q.entry.info.Subresource, "/"))
	}
	return op
}

// answerDeclarative asks the generated function of a registered type and nothing else: served or not, without a
// strategy, with the options of the case alone.
func answerDeclarative(line *caseLine) (out answer) {
	out.ID = line.ID
	stage := "decode"
	defer func() {
		if r := recover(); r != nil {
			out.Failure = (&question{stage: stage}).failure(r)
			if stage == "declarative" {
				out.Declarative = wireErrors(panicErrors(r))
				out.Failure.Message = panicText(r)
			}
		}
	}()
	gvk := schema.GroupVersionKind{Group: line.Group, Version: line.Version, Kind: line.Kind}
	obj := registered(line.Object, gvk)
	op := operation.Operation{Type: operation.Create}
	var old any
	if line.Operation == "update" {
		op.Type = operation.Update
		old = registered(line.Old, gvk)
	}
	if line.Subresource != "" {
		op = withSubresources(op, strings.Split(line.Subresource, "/"))
	}
	stage = "declarative"
	out.Declarative = wireErrors(generated(withOptions(op, line.Options), obj, old))
	return out
}

func generated(op operation.Operation, obj runtime.Object, old any) field.ErrorList {
	if validate := generatedValidators[reflect.TypeOf(obj)]; validate != nil {
		return validate(context.Background(), op, obj, old)
	}
	return nil
}

// registered reads an object of exactly this kind.
func registered(raw []byte, wanted schema.GroupVersionKind) runtime.Object {
	obj, gvk, err := decode(raw, wanted, nil)
	if err == nil && gvk != wanted {
		err = fmt.Errorf("the object is a %s, wanted a %s", gvk, wanted)
	}
	if err != nil {
		panic(stageError{stage: "decode", message: err.Error()})
	}
	return obj
}

// ruledKinds are the kinds whose types have generated validation.
func ruledKinds() []ruledKind {
	var kinds []ruledKind
	for t := range generatedValidators {
		obj, ok := reflect.New(t.Elem()).Interface().(runtime.Object)
		if !ok {
			continue
		}
		gvks, _, err := legacyscheme.Scheme.ObjectKinds(obj)
		if err != nil {
			continue
		}
		for _, gvk := range gvks {
			name := t.Elem().PkgPath() + "." + t.Elem().Name()
			kinds = append(kinds, ruledKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Type: name})
		}
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		return a.Group+" "+a.Version+" "+a.Kind < b.Group+" "+b.Version+" "+b.Kind
	})
	return kinds
}
