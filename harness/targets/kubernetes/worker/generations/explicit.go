// Releases in which strategies call declarative validation themselves and opt in with functional options (1.36): what
// they hand over is told from their result, in which handwritten errors bear a mark.

package main

import (
	"context"
	"reflect"
	"sort"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/authorization"
	authorizationvalidation "k8s.io/kubernetes/pkg/apis/authorization/validation"
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

func validateSubjectAccessReview(_ context.Context, obj *authorization.SubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSubjectAccessReview(obj)
}

func validateSelfSubjectAccessReview(_ context.Context, obj *authorization.SelfSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSelfSubjectAccessReview(obj)
}

func validateLocalSubjectAccessReview(_ context.Context, obj *authorization.LocalSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateLocalSubjectAccessReview(obj)
}

// defaultComposition is how a strategy composes that did not opt in.
const defaultComposition = "shadow"

// wholeCreate does what BeforeCreate does between preparing and warning: object metadata is looked at only when the
// strategy, declarative errors included, has no complaint.
func wholeCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy) field.ErrorList {
	if errs := strategy.Validate(ctx, obj); len(errs) > 0 {
		return errs
	}
	return metadataErrors(obj, strategy.NamespaceScoped())
}

// wholeUpdate does what BeforeUpdate does between preparing and warning.
func wholeUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy) field.ErrorList {
	return append(commonErrors(obj, old, strategy), strategy.ValidateUpdate(ctx, obj, old)...)
}

func metadataErrors(obj runtime.Object, namespaced bool) field.ErrorList {
	objectMeta, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	return genericvalidation.ValidateObjectMetaAccessor(objectMeta, namespaced, pathSegment, field.NewPath("metadata"))
}

func commonErrors(obj, old runtime.Object, strategy rest.RESTUpdateStrategy) field.ErrorList {
	objectMeta, err := meta.Accessor(obj)
	if err != nil {
		panic(err)
	}
	oldMeta, err := meta.Accessor(old)
	if err != nil {
		panic(err)
	}
	errs := metadataErrors(obj, strategy.NamespaceScoped())
	return append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(objectMeta, oldMeta, field.NewPath("metadata"))...)
}

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// judgeCreate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy, c *call) field.ErrorList {
	c.learn(normalization[reflect.Indirect(reflect.ValueOf(strategy)).Type().PkgPath()], false)
	returned := strategy.Validate(ctx, obj)
	if len(returned) == 0 {
		return metadataErrors(obj, strategy.NamespaceScoped())
	}
	return c.split(returned)
}

// judgeUpdate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy, c *call) field.ErrorList {
	c.learn(normalization[reflect.Indirect(reflect.ValueOf(strategy)).Type().PkgPath()], false)
	return append(commonErrors(obj, old, strategy), c.split(strategy.ValidateUpdate(ctx, obj, old))...)
}

// aloneCreate: strategies of this release ask the declarative side themselves.
func aloneCreate(context.Context, runtime.Object, rest.RESTCreateStrategy) func() { return nil }

// aloneUpdate: see aloneCreate.
func aloneUpdate(context.Context, runtime.Object, runtime.Object, rest.RESTUpdateStrategy) func() {
	return nil
}

// optionValues are the validation options that are on; in this release an option is a name that is listed.
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

// isShortCircuit: errors of this release do not say.
func isShortCircuit(*field.Error) bool { return false }
