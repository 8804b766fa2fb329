package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/apis/authentication"
	authenticationvalidation "k8s.io/kubernetes/pkg/apis/authentication/validation"
	"k8s.io/kubernetes/pkg/apis/authorization"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

type validateFunc func(ctx context.Context, obj, old runtime.Object) field.ErrorList

// function finds what the server itself calls for kinds that are answered and not kept.
func function(storage rest.Storage, resource string) validateFunc {
	switch storage.New().(type) {
	case *autoscaling.Scale:
		return scaleFunction(storage, resource)
	case *authentication.TokenRequest:
		return func(_ context.Context, obj, _ runtime.Object) field.ErrorList {
			return authenticationvalidation.ValidateTokenRequest(obj.(*authentication.TokenRequest))
		}
	case *core.Binding:
		return func(_ context.Context, obj, _ runtime.Object) field.ErrorList {
			return corevalidation.ValidatePodBinding(obj.(*core.Binding))
		}
	case *authorization.SubjectAccessReview:
		return func(ctx context.Context, obj, _ runtime.Object) field.ErrorList {
			return validateSubjectAccessReview(ctx, obj.(*authorization.SubjectAccessReview))
		}
	case *authorization.SelfSubjectAccessReview:
		return func(ctx context.Context, obj, _ runtime.Object) field.ErrorList {
			return validateSelfSubjectAccessReview(ctx, obj.(*authorization.SelfSubjectAccessReview))
		}
	case *authorization.LocalSubjectAccessReview:
		return func(ctx context.Context, obj, _ runtime.Object) field.ErrorList {
			return validateLocalSubjectAccessReview(ctx, obj.(*authorization.LocalSubjectAccessReview))
		}
	}
	return nil
}
