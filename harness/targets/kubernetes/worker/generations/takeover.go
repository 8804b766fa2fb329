// What decides whether rules are served in releases without levels (1.33 to 1.35): all of them or none.

package main

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

const (
	servingGate    = "DeclarativeValidationTakeover"
	validationGate = "DeclarativeValidation"
)

// settings are asked for in served. Whether rules run at all is for the gates of the whole process to say.
func settings() []setting {
	on, off := "takeover", "validation-on"
	asked := utilfeature.DefaultFeatureGate.Enabled(validationGate)
	if !asked {
		on, off = "takeover-only", "validation-off"
	}
	return []setting{
		{on, map[string]bool{validationGate: asked, servingGate: true}, true, nil},
		{off, map[string]bool{validationGate: asked, servingGate: false}, false, nil},
	}
}

// isHandwritten: while rules are not served, strategies return handwritten errors alone.
func isHandwritten(*field.Error) bool { return true }
