package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// encode writes an answer with the standard package: 1.4 µs for most, of 67 µs that a case takes, where writing lists
// of errors by hand took 0.7 µs. Only what was validated is put in as it is. It was written as JSON once, and the
// standard package would read it once more: 13 µs instead of 5, of 100 that such a case takes.
func (a *answer) encode() ([]byte, error) {
	var line bytes.Buffer
	out := json.NewEncoder(&line)
	out.SetEscapeHTML(false)
	if err := out.Encode(a); err != nil {
		return nil, err
	}
	line.Truncate(line.Len() - len("}\n"))
	before := `,"validated":{`
	for _, version := range slices.Sorted(maps.Keys(a.Validated)) {
		line.WriteString(before)
		if err := a.Validated[version].write(&line, version); err != nil {
			return nil, err
		}
		before = ","
	}
	if len(a.Validated) > 0 {
		line.WriteByte('}')
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

// write adds what was validated as a member of the line.
func (v *validated) write(line *bytes.Buffer, version string) error {
	key, err := json.Marshal(version)
	if err != nil {
		return err
	}
	small, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line.Write(key)
	line.WriteByte(':')
	line.Write(small[:len(small)-len("}")])
	line.WriteString(`,"object":`)
	if v.Object == nil {
		line.WriteString("null")
	}
	line.Write(v.Object)
	if len(v.Old) > 0 {
		line.WriteString(`,"old":`)
		line.Write(v.Old)
	}
	line.WriteByte('}')
	return nil
}
