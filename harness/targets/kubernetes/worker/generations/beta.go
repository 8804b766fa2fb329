// What decides whether rules are served in releases that know levels (1.36 and later), and the mark of handwritten errors.

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

const servingGate = "DeclarativeValidationBeta"

// settings are asked for in served. What graduation would change is asked with what upstream's own tests use; there is
// no other way to ask for it.
func settings() []setting {
	return []setting{
		{"beta-on", map[string]bool{servingGate: true}, true, nil},
		{"beta-off", map[string]bool{servingGate: false}, false, nil},
		{"graduated", map[string]bool{}, true, func(ctx context.Context) context.Context {
			return rest.WithAllDeclarativeEnforcedForTest(ctx)
		}},
	}
}

// isHandwritten reads the mark that handwritten errors bear as soon as declarative validation was asked.
func isHandwritten(err *field.Error) bool { return err.FromImperative }
