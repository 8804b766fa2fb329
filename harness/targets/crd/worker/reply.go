package main

import "encoding/json"

// extras are what only some programs add to an answer: the names of rules that hold, and what was raised and let pass.
type extras struct {
	Held    []string    `json:"held,omitempty"`
	Ignored []wireError `json:"ignored,omitempty"`
}

// reply answers a line, whatever is in it. judge returns the answer to a case.
func reply(raw []byte, judge func(*caseLine) (answer, extras)) []byte {
	var out answer
	var more extras
	line, err := readCase(raw)
	if err != nil {
		out = answer{ID: idOf(raw), Failure: &failure{Stage: "decode", Message: "not a case: " + err.Error()}}
	} else {
		out, more = judge(&line)
	}
	encoded, err := out.encode()
	if err != nil {
		encoded, _ = json.Marshal(answer{ID: line.ID, Failure: &failure{Stage: "compose", Message: err.Error()}})
	} else if added, err := json.Marshal(more); err == nil && len(added) > len("{}") {
		encoded = append(append(encoded[:len(encoded)-1], ','), added[1:]...)
	}
	return encoded
}
