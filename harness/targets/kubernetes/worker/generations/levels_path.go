// The server's own path from a prepared object to a list of errors, in releases that decide by the level of each tag.

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

// defaultComposition names how this release composes its two lists.
const defaultComposition = "levels"

// wholeCreate is what BeforeCreate calls.
func wholeCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy) field.ErrorList {
	return rest.ValidateCreate(ctx, obj, strategy)
}

// wholeUpdate is what BeforeUpdate calls.
func wholeUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy) field.ErrorList {
	return rest.ValidateUpdate(ctx, obj, old, strategy)
}

// isShortCircuit reads the mark of an error that stopped its siblings.
func isShortCircuit(err *field.Error) bool { return err.ShortCircuit }

func level(err *field.Error) string {
	switch {
	case err.IsAlpha():
		return "alpha"
	case err.IsBeta():
		return "beta"
	}
	return ""
}
