package main

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

const plainCase = `{"id":12,"group":"apps","version":"v1","kind":"Deployment","operation":"update","object":{"a":["}","\\\"{",-0,1.50]},` +
	`"old":{"b":{}},"resource":"deployments","subresource":"status","mode":"given","options":{"X":true,"Y":false},"versions":true,` +
	`"served":false,"repeat":true,"validated":true,"brief":true,"measure":{"rounds":3,"nanoseconds":1000}}`

// standard is what the standard package reads.
func standard(raw []byte) (line caseLine, err error) {
	err = json.Unmarshal(raw, &line)
	return line, err
}

// agrees says in which way the scanner differs from the standard package: only inside of objects it may be content.
func agrees(raw []byte) string {
	var line caseLine
	if !scanCase(raw, &line) {
		return ""
	}
	wanted, err := standard(raw)
	switch {
	case err != nil && json.Valid(line.Object) && (line.Old == nil || json.Valid(line.Old)):
		return "understood what the standard package refuses: " + err.Error()
	case err == nil && !reflect.DeepEqual(wanted, line):
		return "read something else"
	}
	return ""
}

// A line of the harness is read by the scanner alone, to what the standard package reads.
func TestPlainCasesAreScanned(t *testing.T) {
	for _, raw := range []string{plainCase, plainCase + "\n", plainCase + "\r\n", `{"id":0}`, `{"object":{}}`} {
		var line caseLine
		if !scanCase([]byte(raw), &line) {
			t.Errorf("not understood: %s", raw)
		}
		if problem := agrees([]byte(raw)); problem != "" {
			t.Errorf("%s: %s", problem, raw)
		}
	}
}

// What looks different is left to the standard package.
func TestOtherCasesAreLeft(t *testing.T) {
	for _, raw := range []string{
		"", "{", "{}", "null", "[]", `{"id":1`, `{"id":1}}`, `{"id":1} {}`, ` {"id":1}`, `{"id": 1}`, `{"id":01}`, `{"id":-1}`,
		`{"id":1.0}`, `{"id":9223372036854775808}`, `{"id":1,}`, `{"ID":1}`, `{"id":null}`, `{"kind":"é"}`, `{"kind":"\u0041"}`,
		"{\"kind\":\"\x00\"}", `{"kind":"a`, `{"object":null}`, `{"object":[]}`, `{"object":{"a":"}`, `{"object":{"a":"\"}`,
		`{"options":{"X":1}}`, `{"measure":{"rounds":"3"}}`, `{"versions":truthful}`, `{"new":1}`,
	} {
		if scanCase([]byte(raw), &caseLine{}) {
			t.Errorf("understood: %s", raw)
		}
		wanted, wantedErr := standard([]byte(raw))
		line, err := readCase([]byte(raw))
		if !reflect.DeepEqual(wanted, line) || (err == nil) != (wantedErr == nil) {
			t.Errorf("%s: %v %+v, wanted %v %+v", raw, err, line, wantedErr, wanted)
		}
	}
}

// Cut short anywhere, a line is no case.
func TestCutCasesAreRefused(t *testing.T) {
	for end := range len(plainCase) {
		if _, err := readCase([]byte(plainCase[:end])); err == nil {
			t.Errorf("read: %s", plainCase[:end])
		}
	}
}

// Whatever bytes are changed, dropped or doubled, the scanner reads what the standard package reads, or leaves it.
func TestSpoiledCasesAreReadAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []byte("{}[]\",:\\ 09aetn-\n\x00\xc3\xff")
	for range 200_000 {
		raw := []byte(plainCase)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(raw))
			switch random.IntN(3) {
			case 0:
				raw[at] = letters[random.IntN(len(letters))]
			case 1:
				raw = append(raw[:at], raw[at+1:]...)
			default:
				end := min(at+random.IntN(40), len(raw))
				raw = append(raw[:end:end], raw[at:]...)
			}
		}
		if problem := agrees(raw); problem != "" {
			t.Fatalf("%s: %s", problem, raw)
		}
	}
}

// However deep an object is nested, the line is taken apart; the standard package would not read it.
func TestDeepObjectsAreTakenWhole(t *testing.T) {
	deep := `{"a":` + strings.Repeat(`[{"a":`, 100_000) + "1" + strings.Repeat("}]", 100_000) + "}"
	line, err := readCase([]byte(`{"id":3,"object":` + deep + `,"kind":"Pod"}`))
	if err != nil || string(line.Object) != deep || line.Kind != "Pod" {
		t.Errorf("%v, %d bytes of %d, kind %q", err, len(line.Object), len(deep), line.Kind)
	}
}

// A text ends at the first quotation mark that is not escaped.
func TestTextsEnd(t *testing.T) {
	for rest, wanted := range map[string]int{
		``: -1, `"`: 1, `a"b"`: 2, `\"`: -1, `\""`: 3, `\\"`: 3, `\\\"`: -1, `\\\""`: 5, `a\\"b"`: 4, `é"`: 3, `a`: -1, `\`: -1,
	} {
		if found := stringLength([]byte(rest)); found != wanted {
			t.Errorf("%s: %d, wanted %d", rest, found, wanted)
		}
	}
}

// The id of a line is found though nothing else of it can be read.
func TestIdsAreFound(t *testing.T) {
	for raw, wanted := range map[string]int64{
		`{"id":7,"object":`: 7, `{"id":-7}`: -7, `{"id":"7"}`: 0, ``: 0, `{`: 0, `{"kind":"a","id":7}`: 0, strings.Repeat("[", 1000): 0,
	} {
		if found := idOf([]byte(raw)); found != wanted {
			t.Errorf("%s: %d, wanted %d", raw, found, wanted)
		}
	}
}
