package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// rare is what few answers have: the general encoder does it well enough.
type rare struct {
	Served      []servedList           `json:"served,omitempty"`
	Versions    map[string][]wireError `json:"versions,omitempty"`
	Failure     *failure               `json:"failure,omitempty"`
	Nanoseconds map[string]int64       `json:"nanoseconds,omitempty"`
	Cost        *cost                  `json:"cost,omitempty"`
}

// encode writes an answer. Lists of errors are written here, which took a tenth of a case's time in the general
// encoder, and so is what was validated: it was written as JSON once and needs no second look.
func (a *answer) encode() ([]byte, error) {
	line := make([]byte, 0, a.length())
	line = append(line, `{"id":`...)
	line = strconv.AppendInt(line, a.ID, 10)
	line = appendErrors(line, `,"handwritten":[`, a.Handwritten)
	line = appendErrors(line, `,"declarative":[`, a.Declarative)
	line, err := a.appendValidated(line)
	if err != nil {
		return nil, err
	}
	if a.Served != nil || a.Versions != nil || a.Failure != nil || a.Nanoseconds != nil || a.Cost != nil {
		more, err := json.Marshal(rare{a.Served, a.Versions, a.Failure, a.Nanoseconds, a.Cost})
		if err != nil {
			return nil, err
		}
		if len(more) > len(`{}`) {
			return append(append(line, ','), more[1:]...), nil
		}
	}
	return append(line, '}'), nil
}

// length guesses how long the line will be, so that it seldom moves while it grows.
func (a *answer) length() int {
	length := 64
	for _, errs := range [][]wireError{a.Handwritten, a.Declarative} {
		for i := range errs {
			e := &errs[i]
			length += 128 + len(e.Field) + len(e.Detail) + len(e.Origin) + len(e.Value)
		}
	}
	for _, one := range a.Validated {
		length += 256 + len(one.Object) + len(one.Old)
	}
	return length
}

func appendErrors(line []byte, key string, errs []wireError) []byte {
	if len(errs) == 0 {
		return line
	}
	line = append(line, key...)
	for i := range errs {
		if i > 0 {
			line = append(line, ',')
		}
		line = errs[i].append(line)
	}
	return append(line, ']')
}

func (e *wireError) append(line []byte) []byte {
	line = appendString(append(line, `{"type":`...), e.Type)
	line = appendString(append(line, `,"field":`...), e.Field)
	for _, member := range [...]struct{ key, value string }{
		{`,"detail":`, e.Detail}, {`,"origin":`, e.Origin}, {`,"level":`, e.Level}, {`,"value":`, e.Value},
	} {
		if member.value != "" {
			line = appendString(append(line, member.key...), member.value)
		}
	}
	if e.Covered {
		line = append(line, `,"covered":true`...)
	}
	if e.ShortCircuit {
		line = append(line, `,"short_circuit":true`...)
	}
	return append(line, '}')
}

func (a *answer) appendValidated(line []byte) ([]byte, error) {
	if len(a.Validated) == 0 {
		return line, nil
	}
	line = append(line, `,"validated":{`...)
	for number, version := range slices.Sorted(maps.Keys(a.Validated)) {
		one := a.Validated[version]
		if number > 0 {
			line = append(line, ',')
		}
		line = append(appendString(line, version), ':')
		line = appendString(append(line, `{"type":`...), one.Type)
		line = append(line, `,"object":`...)
		if one.Object == nil {
			line = append(line, `null`...)
		}
		line = append(line, one.Object...)
		if len(one.Old) > 0 {
			line = append(append(line, `,"old":`...), one.Old...)
		}
		if len(one.Options) > 0 {
			options, err := json.Marshal(one.Options)
			if err != nil {
				return nil, err
			}
			line = append(append(line, `,"options":`...), options...)
		}
		if one.Subresource != "" {
			line = appendString(append(line, `,"subresource":`...), one.Subresource)
		}
		line = append(line, '}')
	}
	return append(line, '}'), nil
}

// appendString quotes a text. One with more than ASCII in it, or with control characters, is left to the general encoder.
func appendString(line []byte, text string) []byte {
	begin := len(line)
	line = append(line, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			line = append(append(line, text[start:i]...), '\\', c)
			start = i + 1
		case c < ' ' || c >= utf8.RuneSelf:
			quoted, _ := json.Marshal(text) // a string always has a form
			return append(line[:begin], quoted...)
		}
	}
	return append(append(line, text[start:]...), '"')
}
