package main

import (
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
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
