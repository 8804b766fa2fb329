// How lists are composed and what errors say of themselves where there are no levels, and how names are checked (1.33 to 1.35).

package main

import (
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultComposition names how these releases compose their two lists.
const defaultComposition = "takeover"

func pathSegment(name string, prefix bool) []string {
	return path.ValidatePathSegmentName(name, prefix)
}

// isShortCircuit: errors of these releases do not say.
func isShortCircuit(*field.Error) bool { return false }

// level: tags of these releases have none.
func level(*field.Error) string { return "" }
