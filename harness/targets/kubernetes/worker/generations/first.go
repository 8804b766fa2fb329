// The first release with declarative validation (1.33): an operation says nothing of subresources, which go to generated
// functions beside it, options are a set, and only replication controllers themselves are asked, in code of their own.

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
)

// scaleFunction does what all storages of this release do.
func scaleFunction(rest.Storage, string) validateFunc {
	return func(_ context.Context, obj, _ runtime.Object) field.ErrorList {
		return autoscalingvalidation.ValidateScale(obj.(*autoscaling.Scale))
	}
}

type registration = func(ctx context.Context, op operation.Operation, obj, old any, subresources ...string) field.ErrorList

type subresourcesKey struct{}

func validatorOf(original registration) validator {
	return func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
		subresources, _ := ctx.Value(subresourcesKey{}).([]string)
		return original(ctx, op, obj, old, subresources...)
	}
}

func registrationOf(watching validator) registration {
	return func(ctx context.Context, op operation.Operation, obj, old any, subresources ...string) field.ErrorList {
		return watching(context.WithValue(ctx, subresourcesKey{}, subresources), op, obj, old)
	}
}

func subresourcesOf(operation.Operation) []string { return nil }

func withSubresources(op operation.Operation, _ []string) operation.Operation { return op }

// optionValues are the validation options that are on.
func optionValues(op operation.Operation) map[string]bool {
	values := map[string]bool{}
	for name := range op.Options {
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
	op.Options = sets.New[string]()
	for name, enabled := range values {
		if enabled {
			op.Options.Insert(name)
		}
	}
	return op
}
