package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const protocol = 1

// longestValue is what is kept of a bad value; the rest is told apart by a hash.
const longestValue = 256

type caseLine struct {
	ID          int64           `json:"id"`
	Group       string          `json:"group"`
	Version     string          `json:"version"`
	Kind        string          `json:"kind"`
	Operation   string          `json:"operation"`
	Object      json.RawMessage `json:"object"`
	Old         json.RawMessage `json:"old"`
	Resource    string          `json:"resource"`
	Subresource string          `json:"subresource"`
	Mode        string          `json:"mode"`
	Options     map[string]bool `json:"options"`
	Versions    bool            `json:"versions"`
	Served      bool            `json:"served"`
	Repeat      bool            `json:"repeat"`
	Validated   bool            `json:"validated"`
	Brief       bool            `json:"brief"`
	Measure     *measureLine    `json:"measure"`
	Trace       bool            `json:"trace"`
	Blocks      string          `json:"blocks"`
	RoundTrip   bool            `json:"round_trip"`
}

type wireError struct {
	Type         string `json:"type"`
	Field        string `json:"field"`
	Detail       string `json:"detail,omitempty"`
	Origin       string `json:"origin,omitempty"`
	Level        string `json:"level,omitempty"`
	Value        string `json:"value,omitempty"`
	Covered      bool   `json:"covered,omitempty"`
	ShortCircuit bool   `json:"short_circuit,omitempty"`
	Source       string `json:"source,omitempty"`
	Stack        string `json:"stack,omitempty"`
}

func (e wireError) order() string {
	return strings.Join([]string{e.Field, e.Type, e.Origin, e.Detail, e.Value, e.Level}, "\x00")
}

type servedList struct {
	Setting string          `json:"setting"`
	Gates   map[string]bool `json:"gates"`
	Errors  []wireError     `json:"errors"`
}

type failure struct {
	Stage   string `json:"stage"`
	Message string `json:"message"`
	Panic   bool   `json:"panic,omitempty"`
	At      string `json:"at,omitempty"`
}

type answer struct {
	ID          int64                  `json:"id"`
	Handwritten []wireError            `json:"handwritten,omitempty"`
	Declarative []wireError            `json:"declarative,omitempty"`
	Served      []servedList           `json:"served,omitempty"`
	Versions    map[string][]wireError `json:"versions,omitempty"`
	Validated   map[string]*validated  `json:"-"` // see encode
	Pruned      []string               `json:"pruned,omitempty"`
	Failure     *failure               `json:"failure,omitempty"`
	Unreachable string                 `json:"unreachable,omitempty"`
	Parent      []wireError            `json:"parent,omitempty"`
	Nanoseconds map[string]int64       `json:"nanoseconds,omitempty"`
	Cost        *cost                  `json:"cost,omitempty"`
	Blocks      []uint64               `json:"blocks,omitempty"`
	RoundTrips  map[string]*roundTrip  `json:"round_trips,omitempty"`
}

// refused says whether there is anything wrong with the object, or the case.
func (a *answer) refused() bool {
	return len(a.Handwritten) > 0 || len(a.Declarative) > 0 || a.Failure != nil
}

// roundTrip is an object that is another one once a client has read and written it in some version: how it
// was and how it came back, both in the version of the request; or why it did not.
type roundTrip struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// validated is what declarative validation of one version was given.
type validated struct {
	Type        string          `json:"type"`
	Options     map[string]bool `json:"options,omitempty"`
	Subresource string          `json:"subresource,omitempty"`
	Object      json.RawMessage `json:"-"` // see encode
	Old         json.RawMessage `json:"-"`
}

// ruledKind is a registered kind whose type has generated validation, served or not.
type ruledKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Type    string `json:"type"`
}

type kindInfo struct {
	Group                string          `json:"group"`
	Version              string          `json:"version"`
	Kind                 string          `json:"kind"`
	Resource             string          `json:"resource"`
	APIVersion           string          `json:"api_version"`
	Subresource          string          `json:"subresource,omitempty"`
	Type                 string          `json:"type"`
	Operations           []string        `json:"operations"`
	Namespaced           bool            `json:"namespaced"`
	Rules                bool            `json:"rules"`
	Storage              bool            `json:"storage"`
	Composition          string          `json:"composition"`
	Normalization        [][2]string     `json:"normalization"`
	ShortCircuitMismatch bool            `json:"short_circuit_mismatch"`
	Options              map[string]bool `json:"options"`
	Versions             []string        `json:"versions,omitempty"`
	Through              string          `json:"through,omitempty"`
}

type excluded struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
	Reason   string `json:"reason"`
}

type targetInfo struct {
	Name      string          `json:"name"`
	Protocol  int             `json:"protocol"`
	Release   string          `json:"release"`
	Abilities []string        `json:"abilities"`
	Kinds     []kindInfo      `json:"kinds"`
	Excluded  []excluded      `json:"excluded"`
	Ruled     []ruledKind     `json:"ruled"`
	Gates     map[string]bool `json:"gates"`
}

// measureLine asks for so many samples of each part, each of so many nanoseconds at least.
type measureLine struct {
	Rounds      int   `json:"rounds"`
	Nanoseconds int64 `json:"nanoseconds"`
}

// spent is what one run of a part takes: a value for each round, and what it allocates.
type spent struct {
	Loops       int       `json:"loops"`
	Nanoseconds []float64 `json:"nanoseconds"`
	Objects     uint64    `json:"objects"`
	Bytes       uint64    `json:"bytes"`
}

type cost struct {
	Clock string            `json:"clock"`
	Parts map[string]*spent `json:"parts"`
}

func wireErrors(errs field.ErrorList) []wireError {
	if len(errs) == 0 {
		return nil
	}
	out := make([]wireError, 0, len(errs))
	var values map[held]string
	if len(errs) > 1 {
		values = map[held]string{}
	}
	for _, err := range errs {
		out = append(out, wireError{
			Type: string(err.Type), Field: err.Field, Detail: still(err.Detail), Origin: err.Origin, Level: level(err),
			Covered: err.CoveredByDeclarative, ShortCircuit: isShortCircuit(err), Value: shownOnce(err, values),
		})
	}
	return out
}

// held tells a value that many errors may quote: what they say of it, and where it is.
type held struct {
	said   field.ErrorType
	of     reflect.Type
	at     uintptr
	length int
}

// shownOnce shows a list, a map or what is pointed at for the first error that quotes it. A list in which each of
// hundreds of items is wrong may be quoted whole by every error.
func shownOnce(err *field.Error, values map[held]string) string {
	v := reflect.ValueOf(err.BadValue)
	key := held{said: err.Type}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		key.of, key.at, key.length = v.Type(), v.Pointer(), v.Len()
	case reflect.Pointer:
		key.of, key.at = v.Type(), v.Pointer()
	default:
		return badValue(err)
	}
	text, known := values[key]
	if !known {
		text = badValue(err)
		if values != nil {
			values[key] = text
		}
	}
	return text
}

// badValue is the part of the error's text between the words of its type and its detail.
func badValue(err *field.Error) string {
	text := err.ErrorBody()
	text = strings.TrimPrefix(text, err.Type.String())
	if err.Detail != "" {
		text = strings.TrimSuffix(text, ": "+err.Detail)
	}
	return capped(still(strings.TrimPrefix(text, ": ")))
}

func capped(text string) string {
	if len(text) <= longestValue {
		return text
	}
	end := longestValue
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	hash := fnv.New64a()
	hash.Write([]byte(text))
	return fmt.Sprintf("%s… (%d bytes, %016x)", text[:end], len(text), hash.Sum64())
}
