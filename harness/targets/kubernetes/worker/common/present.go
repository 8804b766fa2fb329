package main

import (
	"encoding/json"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

const (
	stampLength = len("2006-01-02T15:04:05Z")
	recently    = time.Minute
)

// hasPresent tells whether an object has the present time in it; of one that cannot be written that is not known.
func hasPresent(obj runtime.Object) bool {
	written, err := json.Marshal(obj)
	return err != nil || still(string(written)) != string(written)
}

// still shows the present time as that which the server fills in. A strategy may have set it before a validator quotes
// it, and two answers to one case are seldom of the same second.
func still(text string) string {
	if len(text) < stampLength {
		return text
	}
	var out strings.Builder
	kept := 0
	for end := stampLength; end <= len(text); end++ {
		next := strings.IndexByte(text[end-1:], 'Z')
		if next < 0 {
			break
		}
		end += next
		at, err := time.Parse(time.RFC3339, text[end-stampLength:end])
		if err != nil || time.Since(at).Abs() > recently {
			continue
		}
		out.WriteString(text[kept : end-stampLength])
		out.WriteString(filledTime.UTC().Format(time.RFC3339))
		kept = end
	}
	if kept == 0 {
		return text
	}
	return out.String() + text[kept:]
}
