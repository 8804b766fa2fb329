package main

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// told is what a reader finds of what was validated.
type told struct {
	Type        string          `json:"type"`
	Object      json.RawMessage `json:"object"`
	Old         json.RawMessage `json:"old"`
	Options     map[string]bool `json:"options"`
	Subresource string          `json:"subresource"`
}

func line(t *testing.T, a answer) []byte {
	t.Helper()
	raw, err := a.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(raw) || bytes.ContainsAny(raw, "\n\r") {
		t.Fatalf("not one line of JSON: %q", raw)
	}
	return raw
}

var hostile = []string{
	"", "plain", `"quoted" \ and \n`, "a\x00b\tc\x1f\x7f", "é 漢字 🎉", "\u2028\u2029\ufeff", "<a href='x'>&amp;</a>", strings.Repeat(`\"`, 500),
}

// Every text of an error arrives as it was.
func TestTextsArrive(t *testing.T) {
	for _, text := range hostile {
		sent := answer{ID: -3, Handwritten: []wireError{
			{Type: text, Field: text, Detail: text, Origin: text, Level: text, Value: text, Covered: true, ShortCircuit: true}, {},
		}, Failure: &failure{Stage: text, Message: text, Panic: true}}
		var got answer
		if err := json.Unmarshal(line(t, sent), &got); err != nil || !reflect.DeepEqual(sent, got) {
			t.Errorf("%q: %v, %+v", text, err, got)
		}
	}
}

// Bytes that are no text are marked, and do not break the line.
func TestBytesThatAreNoTextAreMarked(t *testing.T) {
	var got answer
	if err := json.Unmarshal(line(t, answer{Declarative: []wireError{{Detail: "a\xffb"}}}), &got); err != nil {
		t.Fatal(err)
	}
	if got.Declarative[0].Detail != "a\ufffdb" {
		t.Errorf("%q", got.Declarative[0].Detail)
	}
}

// What says nothing is left out.
func TestNothingTakesNoRoom(t *testing.T) {
	for wanted, sent := range map[string]answer{
		`{"id":0}`:                   {},
		`{"id":9223372036854775807}`: {ID: math.MaxInt64, Handwritten: []wireError{}, Validated: map[string]*validated{}},
		`{"id":1,"handwritten":[{"type":"","field":""}]}`:           {ID: 1, Handwritten: []wireError{{}}},
		`{"id":1,"versions":{"v1":[]}}`:                             {ID: 1, Versions: map[string][]wireError{"v1": {}}},
		`{"id":1,"validated":{"v1":{"type":"","object":null}}}`:     {ID: 1, Validated: map[string]*validated{"v1": {}}},
		`{"id":1,"served":[{"setting":"","gates":{},"errors":[]}]}`: {ID: 1, Served: []servedList{{"", map[string]bool{}, []wireError{}}}},
	} {
		if got := string(line(t, sent)); got != wanted {
			t.Errorf("%s, wanted %s", got, wanted)
		}
	}
}

// What was validated is put in byte for byte: numbers keep their spelling and members their order.
func TestObjectsStayAsTheyAre(t *testing.T) {
	for _, object := range []string{`{}`, `{"b":-0,"a":1.50,"c":1e400,"b":0.1}`, `{"é":"<\u003c>","deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`} {
		for _, text := range hostile {
			sent := answer{ID: 1, Validated: map[string]*validated{
				text: {Type: text, Object: json.RawMessage(object), Old: json.RawMessage(object), Options: map[string]bool{text: true}, Subresource: text},
				"v0": {Type: "t", Object: json.RawMessage(object)},
			}}
			var got struct{ Validated map[string]told }
			if err := json.Unmarshal(line(t, sent), &got); err != nil {
				t.Fatal(err)
			}
			wanted := told{text, json.RawMessage(object), json.RawMessage(object), map[string]bool{text: true}, text}
			if !reflect.DeepEqual(wanted, got.Validated[text]) || string(got.Validated["v0"].Object) != object || got.Validated["v0"].Old != nil {
				t.Errorf("%q: %+v", text, got.Validated)
			}
		}
	}
}

// The same answer is the same line, whatever order its maps are walked in.
func TestLinesAreTheSame(t *testing.T) {
	sent := answer{Validated: map[string]*validated{}, Versions: map[string][]wireError{}}
	for _, version := range []string{"v1", "v2", "v1beta1", "v1alpha1", "v3"} {
		sent.Validated[version] = &validated{Type: version, Options: map[string]bool{"A": true, "B": false, "C": true}}
		sent.Versions[version] = nil
	}
	first := line(t, sent)
	for range 50 {
		if again := line(t, sent); !bytes.Equal(first, again) {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}

// What cannot be written is an error, not half a line.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	sent := answer{Cost: &cost{Parts: map[string]*spent{"read": {Nanoseconds: []float64{math.NaN()}}}}}
	if raw, err := sent.encode(); err == nil || raw != nil {
		t.Errorf("%s", raw)
	}
}
