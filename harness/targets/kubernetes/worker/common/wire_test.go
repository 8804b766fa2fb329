package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

var somewhere = field.NewPath("spec", "x")

// A value is shown as the error's own text has it, between the words of its type and its detail.
func TestValuesAreShownAsErrorsShowThem(t *testing.T) {
	number := 7
	for _, one := range []struct {
		err    *field.Error
		wanted string
	}{
		{field.Invalid(somewhere, "a: b", "a: b"), `"a: b"`},
		{field.Invalid(somewhere, 0, ""), "0"},
		{field.Invalid(somewhere, nil, "must be set"), "null"},
		{field.Invalid(somewhere, &number, "too odd"), "7"},
		{field.Invalid(somewhere, []string{"a", "é"}, "no"), `["a","é"]`},
		{field.NotSupported(somewhere, "x", []string{"a", "b"}), `"x"`},
		{field.Duplicate(somewhere, "x"), `"x"`},
		{field.Required(somewhere, "really"), ""},
		{field.Forbidden(somewhere, ""), ""},
	} {
		if got := badValue(one.err); got != one.wanted {
			t.Errorf("%s: %q, wanted %q", one.err, got, one.wanted)
		}
	}
}

// A value of at most 256 bytes is whole; a longer one is cut between characters, and told apart by what was cut off.
func TestLongValuesAreCut(t *testing.T) {
	whole := strings.Repeat("é", longestValue/2)
	if capped(whole) != whole {
		t.Error("cut though it fits")
	}
	a, b := capped("x"+whole), capped("x"+whole[2:]+"z")
	for _, text := range []string{a, b} {
		if !utf8.ValidString(text) || len(text) > longestValue+60 || !strings.HasPrefix(text, "xé") {
			t.Errorf("%q", text)
		}
	}
	if a == b || capped("x"+whole) != a {
		t.Errorf("%s and %s", a, b)
	}
	if cut := capped(strings.Repeat("\x80", 1000)); len(cut) > longestValue+60 {
		t.Errorf("%d bytes of no text", len(cut))
	}
}

// Errors that quote one list show it as each would alone; another list of the same length is another value.
func TestSharedValuesAreShownAlike(t *testing.T) {
	one, other := []string{"a", "b"}, []string{"a", "c"}
	object := map[string]string{"k": "v"}
	list := field.ErrorList{
		field.Invalid(somewhere, one, "first"), field.Invalid(somewhere, one, "second"), field.Invalid(somewhere, one[:1], "part"),
		field.Invalid(somewhere, other, ""), field.Invalid(somewhere, object, ""), field.Duplicate(somewhere, one), field.Invalid(somewhere, &one, ""),
		field.TooMany(somewhere, 3, 2), field.Invalid(somewhere, []string(nil), ""), field.Invalid(somewhere, map[string]string(nil), ""),
	}
	for i, got := range wireErrors(list) {
		if wanted := badValue(list[i]); got.Value != wanted {
			t.Errorf("%s: %q, wanted %q", list[i], got.Value, wanted)
		}
	}
}

// An error keeps its type, path, detail, origin and marks; no errors are no list.
func TestErrorsKeepWhatTheySay(t *testing.T) {
	err := field.Invalid(somewhere.Index(2).Key("a]b"), "v", "why").WithOrigin("format=x")
	err.CoveredByDeclarative = true
	wanted := wireError{Type: "FieldValueInvalid", Field: "spec.x[2][a]b]", Detail: "why", Origin: "format=x", Value: `"v"`, Covered: true}
	if got := wireErrors(field.ErrorList{err}); len(got) != 1 || got[0] != wanted {
		t.Errorf("%+v", got)
	}
	if wireErrors(field.ErrorList{}) != nil || list(nil) == nil {
		t.Error("an empty list")
	}
	if got := []string{level(err), level(err.MarkAlpha()), level(field.Invalid(nil, 1, "").MarkBeta())}; !slices.Equal(got, []string{"", "alpha", "beta"}) {
		t.Errorf("%q", got)
	}
}

// Two answers are the same whatever order their errors have, and differ in how often one is there.
func TestErrorsAreComparedWithoutOrder(t *testing.T) {
	a, b := wireError{Type: "x", Field: "a"}, wireError{Type: "x", Field: "b"}
	if !sameErrors([]wireError{a, b, a}, []wireError{a, a, b}) || sameErrors([]wireError{a, b, a}, []wireError{a, b, b}) || sameErrors(nil, []wireError{a}) {
		t.Error("order or number")
	}
	if !sameErrors(nil, []wireError{}) {
		t.Error("nothing is nothing")
	}
}
