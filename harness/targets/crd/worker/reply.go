package main

import "encoding/json"

// reply answers a line, whatever is in it. judge returns the answer to a case, and the names of rules that hold.
func reply(raw []byte, judge func(*caseLine) (answer, []string)) []byte {
	var out answer
	var held []string
	line, err := readCase(raw)
	if err != nil {
		out = answer{ID: idOf(raw), Failure: &failure{Stage: "decode", Message: "not a case: " + err.Error()}}
	} else {
		out, held = judge(&line)
	}
	encoded, err := out.encode()
	if err != nil {
		encoded, _ = json.Marshal(answer{ID: line.ID, Failure: &failure{Stage: "compose", Message: err.Error()}})
	} else if names, err := json.Marshal(held); err == nil && len(held) > 0 {
		encoded = append(append(append(encoded[:len(encoded)-1], `,"held":`...), names...), '}')
	}
	return encoded
}
