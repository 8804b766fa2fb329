package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// A line that is no case has an answer with its id and the reason.
func TestHostileLinesAreAnswered(t *testing.T) {
	s := &server{found: &discovery{}, byKind: map[string]*entry{}}
	deep := strings.Repeat(`{"a":`, 100_000)
	for raw, wanted := range map[string]answer{
		"":                              {Failure: &failure{Stage: "decode"}},
		"\x00\xff":                      {Failure: &failure{Stage: "decode"}},
		`{"id":5,"kind":[]}`:            {ID: 5, Failure: &failure{Stage: "decode"}},
		`{"id":6,"object":` + deep:      {ID: 6, Failure: &failure{Stage: "decode"}},
		`{"id":7,"kind":"Nonsense"}`:    {ID: 7, Failure: &failure{Stage: "decode"}},
		`{"id":8,"mode":"declarative"}`: {ID: 8, Failure: &failure{Stage: "decode"}},
	} {
		var got answer
		if err := json.Unmarshal(s.reply([]byte(raw)), &got); err != nil {
			t.Fatal(err)
		}
		if got.ID != wanted.ID || got.Failure == nil || got.Failure.Stage != "decode" || got.Failure.Message == "" || got.Failure.Panic {
			t.Errorf("%.40s: %+v", raw, got.Failure)
		}
	}
}

// The present time is shown as the time that the server fills in, wherever it stands; any other time stays.
func TestThePresentStandsStill(t *testing.T) {
	now, filled := time.Now().UTC().Format(time.RFC3339), filledTime.UTC().Format(time.RFC3339)
	for _, one := range [][2]string{
		{"", ""}, {"Z", "Z"}, {now, filled}, {now[1:], now[1:]}, {"a" + now + "é" + now + "Z", "a" + filled + "é" + filled + "Z"},
		{"2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"}, {"2001-13-41T99:00:00Z" + now, "2001-13-41T99:00:00Z" + filled},
		{strings.Repeat("Z", 100_000), strings.Repeat("Z", 100_000)}, {now[:19], now[:19]},
	} {
		if got := still(one[0]); got != one[1] {
			t.Errorf("%.60q: %.60q, wanted %.60q", one[0], got, one[1])
		}
	}
}

// A text that came twice is kept, a third reader gets what the second read; of other kinds and modes nothing is known.
func TestTextsThatComeAgainAreKept(t *testing.T) {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	raw := []byte(`{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"é"}}`)
	obj, found, err := decode(raw, gvk, nil)
	if err != nil || found != gvk {
		t.Fatal(err, found)
	}
	key := readKey{&entry{}, false, ""}
	k := &kept{present: readObjects.present, seed: readObjects.seed}
	k.keep(key, raw, obj)
	if k.find(key, raw) != nil {
		t.Error("kept at once")
	}
	k.keep(key, raw, obj)
	if got := k.find(key, raw); got == nil || got == obj {
		t.Errorf("%v is no copy of its own", got)
	}
	if k.find(readKey{&entry{}, false, ""}, raw) != nil || k.find(readKey{key.entry, true, ""}, raw) != nil || k.find(key, raw[1:]) != nil {
		t.Error("found for another kind, mode or text")
	}
	present := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"creationTimestamp":"` + time.Now().UTC().Format(time.RFC3339) + `"}}`)
	if obj, _, err = decode(present, gvk, nil); err != nil || !hasPresent(obj) {
		t.Fatal(err, "the present time is not seen")
	}
	k.keep(key, present, obj)
	k.keep(key, present, obj)
	if k.find(key, present) != nil {
		t.Error("kept with the present time")
	}
	long := append(append([]byte{}, raw...), make([]byte, longestKept)...)
	k.keep(key, long, obj)
	k.keep(key, long, obj)
	if k.find(key, long) != nil {
		t.Error("kept though it is long")
	}
}

// Objects that nobody could have meant are refused with upstream's words, never with a panic.
func TestHostileObjectsAreRefused(t *testing.T) {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	for _, raw := range []string{
		"", "null", "{}", "[]", "{", `{"kind":"ConfigMap"}`, `{"apiVersion":"v1","kind":"Nonsense"}`, "\xff\x00",
		`{"apiVersion":"v1","kind":"ConfigMap","data":` + strings.Repeat(`{"a":`, 20_000) + strings.Repeat("}", 20_000) + "}",
	} {
		if _, _, err := decode([]byte(raw), gvk, nil); err == nil {
			t.Errorf("read: %.40s", raw)
		}
	}
	_, found, err := decode([]byte(`{"apiVersion":"v1","kind":"Secret"}`), gvk, nil)
	if err != nil || found.Kind != "Secret" {
		t.Errorf("%v, %v: another kind is read as what it is", err, found)
	}
}

type hidden struct{ inner any }
type holder struct{ deep *hidden }
type circle struct{ next *circle }

// The store of a storage is found in unexported fields and behind interfaces; a circle ends.
func TestStoresAreFound(t *testing.T) {
	store := &genericregistry.Store{}
	round := &circle{}
	round.next = round
	for _, storage := range []any{store, &hidden{store}, &holder{&hidden{store}}, &struct{ *genericregistry.Store }{store}} {
		if findStore(storage) != store {
			t.Errorf("%T", storage)
		}
	}
	for _, storage := range []any{round, &holder{}, &hidden{}, &hidden{(*genericregistry.Store)(nil)}, 7, nil} {
		if found := findStore(storage); found != nil {
			t.Errorf("%T: %v", storage, found)
		}
	}
}

// The gate says what it was set to, at once and when its values are remembered; no other gate moves.
func TestTheGateFlips(t *testing.T) {
	if !canServe() {
		t.Fatal("the release has no such gate: is the worker to flip another one?")
	}
	if resolvedGates() == nil {
		t.Error("the release keeps its gates in another way: each case that asks for settings is slow")
	}
	before := knownGates()
	for range 3 {
		for _, enabled := range []bool{true, false} {
			setServing(enabled)
			after := knownGates()
			if utilfeature.DefaultFeatureGate.Enabled(servingGate) != enabled || after[servingGate] != enabled {
				t.Errorf("not %v", enabled)
			}
			after[servingGate] = before[servingGate]
			if !maps.Equal(before, after) {
				t.Error("another gate moved")
			}
		}
	}
	setServing(before[servingGate])
}

// A composed list is taken apart by the mark of handwritten errors, and only where the declarative side was asked.
func TestComposedListsAreTakenApart(t *testing.T) {
	handwritten, declarative := field.Invalid(somewhere, 1, "h"), field.Invalid(somewhere, 1, "d")
	handwritten.FromImperative = true
	ours := field.Forbidden(field.NewPath(injectedField), "")
	all := field.ErrorList{handwritten, declarative, ours}
	if got := (&call{}).split(all); len(got) != 3 {
		t.Errorf("%v", got)
	}
	c := &call{calls: 1}
	if got := c.split(all); len(got) != 1 || got[0] != handwritten || !c.injected {
		t.Errorf("%v", got)
	}
	c = &call{calls: 1, errs: field.ErrorList{declarative}, returned: field.ErrorList{ours}}
	if got := c.declarative(); len(got) != 1 || got[0] != declarative {
		t.Errorf("%v", got)
	}
	c.panicked = "boom"
	if got := c.declarative(); len(got) != 1 || got[0].Type != field.ErrorTypeInternal || !strings.Contains(got[0].Detail, "boom") {
		t.Errorf("%v", got)
	}
}

// Options of a case win over those of the strategy, and change no list that others hold.
func TestOptionsAreOverridden(t *testing.T) {
	op := withOptions(operation.Operation{}, map[string]bool{"A": true, "B": true})
	before := optionValues(op)
	after := optionValues(withOptions(op, map[string]bool{"B": false, "C": true}))
	if !after["A"] || after["B"] || !after["C"] || !maps.Equal(before, optionValues(op)) || !before["B"] {
		t.Errorf("%v, before %v", after, before)
	}
}

// Generated code that knows the type and not the subresource is told by its words.
func TestMissingValidationIsTold(t *testing.T) {
	if lacksValidation(nil) || lacksValidation(field.ErrorList{field.Invalid(nil, 1, "no validation found for x")}) {
		t.Error("told of other errors")
	}
	if !lacksValidation(panicErrors("no validation found for *v1.Pod, subresource: x")) {
		t.Error("not told")
	}
}

// What idle generated functions leave is the handwritten side, less the conversion, and never less than nothing.
func TestTheHandwrittenSideIsDerived(t *testing.T) {
	c := &cost{Parts: map[string]*spent{
		stripped:  {Nanoseconds: []float64{10, 3}, Objects: 5, Bytes: 1},
		"convert": {Nanoseconds: []float64{4, 4}, Objects: 2, Bytes: 9},
	}}
	c.derive()
	got := c.Parts["handwritten"]
	if got == nil || c.Parts[stripped] != nil || got.Nanoseconds[0] != 6 || got.Nanoseconds[1] != 0 || got.Objects != 3 || got.Bytes != 0 {
		t.Errorf("%+v", got)
	}
	if perRun(1234*time.Nanosecond, 100) != 12.3 {
		t.Errorf("%v", perRun(1234*time.Nanosecond, 100))
	}
}

// What is left out is told once, in one order.
func TestExclusionsAreSorted(t *testing.T) {
	got := sortedExclusions([]excluded{{"b", "v1", "x", "r"}, {"a", "v1", "x", "r"}, {"b", "v1", "x", "r"}})
	if len(got) != 2 || got[0].Group != "a" || got[1].Group != "b" {
		t.Errorf("%v", got)
	}
}
