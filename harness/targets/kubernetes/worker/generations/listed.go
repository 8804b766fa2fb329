// Releases in which a validation option is a name that is listed (1.34 to 1.36).

package main

import (
	"sort"

	"k8s.io/apimachinery/pkg/api/operation"
)

// optionValues are the validation options that are on.
func optionValues(op operation.Operation) map[string]bool {
	values := map[string]bool{}
	for _, name := range op.Options {
		values[name] = true
	}
	return values
}

// withOptions overrides validation options.
func withOptions(op operation.Operation, overrides map[string]bool) operation.Operation {
	values := optionValues(op)
	for name, enabled := range overrides {
		values[name] = enabled
	}
	op.Options = nil
	for name, enabled := range values {
		if enabled {
			op.Options = append(op.Options, name)
		}
	}
	sort.Strings(op.Options)
	return op
}
