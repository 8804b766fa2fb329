// Releases that decide by the level of each tag (1.37 and later): a strategy hands its errors and its configuration to
// declarative validation through an interface, so a strategy around the strategy sees both.

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/authorization"
	authorizationvalidation "k8s.io/kubernetes/pkg/apis/authorization/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
)

func scaleFunction(storage rest.Storage, _ string) validateFunc {
	mapper, _ := storage.(rest.GroupVersionKindProvider)
	return func(ctx context.Context, obj, old runtime.Object) field.ErrorList {
		return autoscalingvalidation.ValidateScaleUpdate(ctx, obj.(*autoscaling.Scale), old.(*autoscaling.Scale), legacyscheme.Scheme, mapper)
	}
}

func validateSubjectAccessReview(ctx context.Context, obj *authorization.SubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSubjectAccessReviewCreate(ctx, legacyscheme.Scheme, obj)
}

func validateSelfSubjectAccessReview(ctx context.Context, obj *authorization.SelfSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSelfSubjectAccessReviewCreate(ctx, legacyscheme.Scheme, obj)
}

func validateLocalSubjectAccessReview(ctx context.Context, obj *authorization.LocalSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateLocalSubjectAccessReviewCreate(ctx, legacyscheme.Scheme, obj)
}

// around keeps what a strategy hands to declarative validation, and asks the declarative side alone.
type around struct {
	rest.DeclarativeValidationStrategy
	call *call
}

func (a around) ValidateDeclaratively(ctx context.Context, obj, old runtime.Object, errs field.ErrorList, opType operation.Type, config rest.DeclarativeValidationConfig) field.ErrorList {
	a.call.learn(config.NormalizationRules, config.ShortCircuitMismatch)
	a.call.enter("declarative")
	returned := a.DeclarativeValidationStrategy.ValidateDeclaratively(ctx, obj, old, nil, opType, config)
	a.call.finish(returned)
	return errs
}

type aroundCreate struct {
	rest.RESTCreateStrategy
	around
}

type aroundUpdate struct {
	rest.RESTUpdateStrategy
	around
}

// judgeCreate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy, c *call) field.ErrorList {
	if declarative, ok := strategy.(rest.DeclarativeValidationStrategy); ok {
		return rest.ValidateCreate(ctx, obj, aroundCreate{strategy, around{declarative, c}})
	}
	return rest.ValidateCreate(ctx, obj, strategy)
}

// judgeUpdate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy, c *call) field.ErrorList {
	if declarative, ok := strategy.(rest.DeclarativeValidationStrategy); ok {
		return rest.ValidateUpdate(ctx, obj, old, aroundUpdate{strategy, around{declarative, c}})
	}
	return rest.ValidateUpdate(ctx, obj, old, strategy)
}

// bare leaves declarative validation out.
type bare struct {
	rest.DeclarativeValidationStrategy
}

func (bare) ValidateDeclaratively(_ context.Context, _, _ runtime.Object, errs field.ErrorList, _ operation.Type, _ rest.DeclarativeValidationConfig) field.ErrorList {
	return errs
}

func (bare) DeclarativeValidationConfig(context.Context, runtime.Object, runtime.Object) rest.DeclarativeValidationConfig {
	return rest.DeclarativeValidationConfig{}
}

type bareCreate struct {
	rest.RESTCreateStrategy
	bare
}

type bareUpdate struct {
	rest.RESTUpdateStrategy
	bare
}

// aloneCreate is the handwritten side of a create.
func aloneCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy) func() {
	if declarative, ok := strategy.(rest.DeclarativeValidationStrategy); ok {
		strategy = bareCreate{strategy, bare{declarative}}
	}
	return func() { rest.ValidateCreate(ctx, obj, strategy) }
}

// aloneUpdate is the handwritten side of an update.
func aloneUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy) func() {
	if declarative, ok := strategy.(rest.DeclarativeValidationStrategy); ok {
		strategy = bareUpdate{strategy, bare{declarative}}
	}
	return func() { rest.ValidateUpdate(ctx, obj, old, strategy) }
}

// optionValues are the validation options with their values.
func optionValues(op operation.Operation) map[string]bool { return op.Options }

// withOptions overrides validation options.
func withOptions(op operation.Operation, overrides map[string]bool) operation.Operation {
	options := map[string]bool{}
	for name, enabled := range op.Options {
		options[name] = enabled
	}
	for name, enabled := range overrides {
		options[name] = enabled
	}
	op.Options = options
	return op
}
