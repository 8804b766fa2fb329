package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An error is of the keyword whose words it has.
func TestConstraintOf(t *testing.T) {
	for detail, want := range map[string]string{
		"spec.a in body should match '^a$'":                                          "pattern",
		"spec.a in body should be at least 1 chars long":                             "minLength",
		"spec.a in body should be greater than or equal to 1":                        "minimum",
		"spec.a in body should be less than 9":                                       "maximum",
		"spec.a in body should have at least 2 items":                                "minItems",
		"spec.a in body should have at least 2 properties":                           "minProperties",
		"spec.a in body should be a multiple of 3":                                   "multipleOf",
		"spec.a in body must be of type integer: \"string\"":                         "type",
		"\"spec.a\" must validate one and only one schema (oneOf). Found none valid": "oneOf",
		"no such key: a evaluating rule: self.a":                                     "x-kubernetes-validations",
		"must be even":                                                               "", "": "",
	} {
		if got := constraintOf(detail); got != want {
			t.Errorf("%q is of %q, want %q", detail, got, want)
		}
	}
}

// The number of a rule is taken out of its errors, which are those of a schema without numbers.
func TestRuleNames(t *testing.T) {
	inner := apiextensions.JSONSchemaProps{XValidations: apiextensions.ValidationRules{{Rule: " self.a "}, {Rule: "self.b", Message: "no b"}}}
	top := &apiextensions.JSONSchemaProps{
		XValidations: apiextensions.ValidationRules{{Rule: "self.top"}},
		Properties: map[string]apiextensions.JSONSchemaProps{
			"list": {Items: &apiextensions.JSONSchemaPropsOrArray{Schema: &inner}},
			"map":  {AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Schema: &apiextensions.JSONSchemaProps{}}},
		},
	}
	names := nameRules(top)
	for _, one := range []struct{ words, place, clean string }{
		{top.XValidations[0].Message, "x-kubernetes-validations[0]", "failed rule: self.top"},
		{inner.XValidations[0].Message, "list[*].x-kubernetes-validations[0]", "failed rule: self.a"},
		{inner.XValidations[1].Message, "list[*].x-kubernetes-validations[1]", "no b"},
		{"no such key: a evaluating rule: " + inner.XValidations[0].Message, "list[*].x-kubernetes-validations[0] raises", "no such key: a evaluating rule: self.a"},
		{"no such key: a evaluating rule: " + inner.XValidations[1].Message, "list[*].x-kubernetes-validations[1] raises", "no such key: a evaluating rule: no b"},
		{"must be even", "", "must be even"},
		{tagStart + "99" + tagEnd + "x", "", "x"},
	} {
		if place, clean := names.take(one.words); place != one.place || clean != one.clean {
			t.Errorf("%q gives %q, %q, want %q, %q", one.words, place, clean, one.place, one.clean)
		}
	}
}

// A value that is a whole schema is left out of the reasons why a definition is refused.
func TestWordsOf(t *testing.T) {
	path := field.NewPath("spec")
	for want, err := range map[string]*field.Error{
		`Invalid value: "x": no`: field.Invalid(path, "x", "no"),
		"Invalid value: no":      field.Invalid(path, map[string]any{"a": 1}, "no"),
		"Required value":         field.Required(path, ""),
		"Required value: say it": field.Required(path, "say it"),
	} {
		if got := wordsOf(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What the strict decoder says is taken apart.
func TestStrictReason(t *testing.T) {
	for text, want := range map[string][2]string{
		`unknown field "spec.a"`:   {"spec.a", "unknown field"},
		`duplicate field "spec.b"`: {"spec.b", "duplicate field"},
		"something else":           {"", "something else"},
	} {
		if path, why := strictReason(text); path != want[0] || why != want[1] {
			t.Errorf("%q gives %q, %q", text, path, why)
		}
	}
}

// Of several embedded objects that are wrong, the same one is always reported: the first by name, and by index in a list.
func TestCoerceReportsTheSameError(t *testing.T) {
	embedded := structuralschema.Structural{Extensions: structuralschema.Extensions{XEmbeddedResource: true}}
	schema := &structuralschema.Structural{Properties: map[string]structuralschema.Structural{
		"one": embedded, "two": embedded, "list": {Items: &embedded},
		"named": {AdditionalProperties: &structuralschema.StructuralOrBool{Structural: &embedded}},
	}}
	bad := map[string]any{"apiVersion": true, "kind": int64(1), "metadata": map[string]any{"name": int64(1), "labels": "x"}}
	good := map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}}
	for want, object := range map[string]map[string]any{
		"one.apiVersion":      {"one": bad, "two": bad},
		"two.apiVersion":      {"one": good, "two": bad},
		"list[1].apiVersion":  {"list": []any{good, bad, bad}, "two": bad},
		"named[a].apiVersion": {"named": map[string]any{"b": bad, "a": bad}},
		"one.metadata":        {"one": map[string]any{"apiVersion": "v1", "kind": "A", "metadata": bad["metadata"]}},
		"one.kind":            {"one": map[string]any{"metadata": bad["metadata"], "kind": nil}},
	} {
		for range 40 {
			if _, err := coerce(runtime.DeepCopyJSON(object), schema); err == nil || err.Field != want {
				t.Fatalf("got %v, want an error of %s", err, want)
			}
		}
	}
	if _, err := coerce(map[string]any{"one": good, "list": []any{good}}, schema); err != nil {
		t.Errorf("got %v", err)
	}
}

const widgets = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.example.com"},
"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
"x-kubernetes-validations": [{"rule": "self.metadata.name != 'no'"}],
"properties": {"spec": {"type": "object", "x-kubernetes-validations": [{"rule": "!has(self.limits) || self.limits.low <= self.limits.high"},
  {"rule": "self.name == oldSelf.name"}],
"properties": {"name": {"type": "string", "maxLength": 9},
"limits": {"type": "object", "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}}},
"parts": {"type": "array", "maxItems": 9, "items": {"type": "object", "x-kubernetes-validations": [{"rule": "self.a != self.b"}],
  "properties": {"a": {"type": "string", "maxLength": 9}, "b": {"type": "string", "maxLength": 9}}}},
"named": {"type": "object", "maxProperties": 9, "additionalProperties": {"type": "object", "x-kubernetes-validations": [{"rule": "self.deep.a > 0"}],
  "properties": {"deep": {"type": "object", "properties": {"a": {"type": "integer"}}}}}},
"template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-validations": [{"rule": "self.metadata.name == self.spec.a"}],
  "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}}}
}}}}}}]}}`

var widgetObjects = []string{
	`{"metadata": {"name": "a"}, "spec": {"name": "a"}}`,
	`{"metadata": {"name": "no"}, "spec": {"name": "a", "limits": {"low": 2, "high": 1}}}`,
	`{"metadata": {"name": "a"}, "spec": {"name": "a", "limits": {"low": 1}}}`,
	`{"metadata": {"name": "a"}, "spec": {"name": "b", "parts": [{"a": "x", "b": "x"}, {"a": "x", "b": "y"}, {"a": "x"}]}}`,
	`{"metadata": {"name": "a"}, "spec": {"name": "b", "named": {"x": {"deep": {"a": 0}}, "y": {"deep": {"a": 1}}, "z": {}}}}`,
	`{"metadata": {"name": "a"}, "spec": {"name": "a", "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"a": "x"}}}}`,
	`{"metadata": {"name": "a"}, "spec": {"name": "a", "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {"a": "y"}}}}`,
}

// errorsOf loads the definition and judges each object as a create, and each pair of objects as an update.
func errorsOf(t *testing.T) (lists [][]string) {
	s := &server{entries: map[string]*entry{}}
	if s.add([]byte(widgets)); len(s.refused) > 0 {
		t.Fatal(s.refused)
	}
	ask := func(operation, object, old string) {
		line := &caseLine{Group: "example.com", Version: "v1", Resource: "widgets", Operation: operation}
		typed := func(text string) json.RawMessage {
			return json.RawMessage(`{"apiVersion": "example.com/v1", "kind": "Widget", ` + text[1:])
		}
		if line.Object = typed(object); old != "" {
			line.Old = typed(old)
		}
		out := s.answer(line)
		if out.Failure != nil {
			t.Fatal(operation, object, out.Failure)
		}
		list := []string{}
		for _, err := range out.Declarative {
			list = append(list, err.Field+": "+err.Detail+" of "+err.Origin)
		}
		slices.Sort(list)
		lists = append(lists, list)
	}
	for _, object := range widgetObjects {
		ask("create", object, "")
		for _, old := range widgetObjects {
			ask("update", object, old)
		}
	}
	return lists
}

// A schema that keeps its members gives the errors of one that makes them whenever it is asked.
func TestKeptMembers(t *testing.T) {
	kept := errorsOf(t)
	defer func(keep func(*structuralschema.Structural)) { keepMembers = keep }(keepMembers)
	keepMembers = func(*structuralschema.Structural) {}
	made := errorsOf(t)
	if !reflect.DeepEqual(kept, made) {
		t.Errorf("kept: %q\nmade: %q", kept, made)
	}
	found := map[string]bool{}
	for _, list := range made {
		for _, text := range list {
			found[text] = true
		}
	}
	if len(found) < 9 { // each rule rejects, and some raise
		t.Errorf("only %q", slices.Collect(maps.Keys(found)))
	}
}

// The members of a schema that is kept are made once, with all that they contain; those of another one each time.
func TestKeptMembersAreTheSame(t *testing.T) {
	inner := structuralschema.Structural{Properties: map[string]structuralschema.Structural{"a": {Generic: structuralschema.Generic{Type: "string"}}}}
	one := &structuralschema.Structural{Properties: map[string]structuralschema.Structural{
		"list": {Items: &inner}, "map": {AdditionalProperties: &structuralschema.StructuralOrBool{Structural: &inner}}, "inner": inner,
	}}
	other := one.DeepCopy()
	keepMembers(one)
	address := func(s *structuralschema.Structural) any {
		return reflect.ValueOf((&model.Structural{Structural: s}).Properties()).Pointer()
	}
	copied := *one // which has the same members
	if address(one) != address(&copied) || address(&inner) != address(one.Properties["list"].Items) {
		t.Error("the members of a kept schema are made again")
	}
	if address(other) == address(other) {
		t.Error("the members of another schema are kept")
	}
	if got := (&model.Structural{Structural: one}).Properties()["inner"].Properties()["a"].Type(); got != "string" {
		t.Errorf("the type of a member is %q", got)
	}
	if got := (&model.Structural{Structural: &structuralschema.Structural{}}).Properties(); got != nil {
		t.Errorf("a schema without members has %v", got)
	}
}
