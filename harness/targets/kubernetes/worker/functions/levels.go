package main

import (
	"context"

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
