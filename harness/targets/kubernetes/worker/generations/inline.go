// Releases in which each strategy composes both lists in code of its own (1.34).

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
)

// scaleFunction does what the storages of this release do: only the one of replication controllers asks declaratively.
func scaleFunction(storage rest.Storage, resource string) validateFunc {
	mapper, _ := storage.(rest.GroupVersionKindProvider)
	return func(ctx context.Context, obj, old runtime.Object) field.ErrorList {
		errs := autoscalingvalidation.ValidateScale(obj.(*autoscaling.Scale))
		if resource != "replicationcontrollers" || !utilfeature.DefaultFeatureGate.Enabled(validationGate) {
			return errs
		}
		takeover := utilfeature.DefaultFeatureGate.Enabled(servingGate)
		declarative := rest.ValidateUpdateDeclaratively(ctx, legacyscheme.Scheme, obj, old, rest.WithTakeover(takeover), rest.WithSubresourceMapper(mapper))
		rest.CompareDeclarativeErrorsAndEmitMismatches(ctx, errs, declarative, takeover)
		if takeover {
			errs = append(errs.RemoveCoveredByDeclarative(), declarative...)
		}
		return errs
	}
}
