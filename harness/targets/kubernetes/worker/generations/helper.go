// Releases in which one helper composes both lists for all strategies (1.35 and 1.36).

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
)

// scaleFunction imitates the storages of this release: only the one of replication controllers asks declaratively.
func scaleFunction(storage rest.Storage, resource string) validateFunc {
	mapper, _ := storage.(rest.GroupVersionKindProvider)
	return func(ctx context.Context, obj, old runtime.Object) field.ErrorList {
		errs := autoscalingvalidation.ValidateScale(obj.(*autoscaling.Scale))
		if resource != "replicationcontrollers" {
			return errs
		}
		return rest.ValidateDeclarativelyWithMigrationChecks(ctx, legacyscheme.Scheme, obj, old, errs, operation.Update, rest.WithSubresourceMapper(mapper))
	}
}

// pathRules are those that the strategies of a package use.
func pathRules(strategies string) []pathRule { return normalization[strategies] }
