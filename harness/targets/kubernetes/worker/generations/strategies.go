// Releases in which strategies call declarative validation themselves (1.33 to 1.36): what they hand over is told from
// their result.

package main

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/authorization"
	authorizationvalidation "k8s.io/kubernetes/pkg/apis/authorization/validation"
)

func validateSubjectAccessReview(_ context.Context, obj *authorization.SubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSubjectAccessReview(obj)
}

func validateSelfSubjectAccessReview(_ context.Context, obj *authorization.SelfSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateSelfSubjectAccessReview(obj)
}

func validateLocalSubjectAccessReview(_ context.Context, obj *authorization.LocalSubjectAccessReview) field.ErrorList {
	return authorizationvalidation.ValidateLocalSubjectAccessReview(obj)
}

// judgeCreate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeCreate(ctx context.Context, obj runtime.Object, strategy rest.RESTCreateStrategy, c *call) field.ErrorList {
	c.learn(pathRules(packageOf(strategy)), false)
	returned := strategy.Validate(ctx, obj)
	if len(returned) == 0 {
		return metadataErrors(obj, strategy.NamespaceScoped())
	}
	return c.split(returned)
}

// judgeUpdate returns the handwritten list as it enters the composition; the declarative one is left in call.
func judgeUpdate(ctx context.Context, obj, old runtime.Object, strategy rest.RESTUpdateStrategy, c *call) field.ErrorList {
	c.learn(pathRules(packageOf(strategy)), false)
	return append(commonErrors(obj, old, strategy), c.split(strategy.ValidateUpdate(ctx, obj, old))...)
}

func packageOf(strategy any) string {
	return reflect.Indirect(reflect.ValueOf(strategy)).Type().PkgPath()
}

// aloneCreate: strategies of these releases ask the declarative side themselves.
func aloneCreate(context.Context, runtime.Object, rest.RESTCreateStrategy) func() { return nil }

// aloneUpdate: see aloneCreate.
func aloneUpdate(context.Context, runtime.Object, runtime.Object, rest.RESTUpdateStrategy) func() {
	return nil
}
