// How lists are composed and what errors say of themselves where strategies opt in and handwritten ones have levels, and
// how names are checked (1.36).

package main

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultComposition is how a strategy composes that did not opt in.
const defaultComposition = "shadow"

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// isShortCircuit: errors of this release do not say.
func isShortCircuit(*field.Error) bool { return false }

func level(err *field.Error) string {
	switch {
	case err.IsAlpha():
		return "alpha"
	case err.IsBeta():
		return "beta"
	}
	return ""
}
