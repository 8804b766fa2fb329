// The server's own path from a prepared object to a list of errors, in releases in which strategies call declarative
// validation themselves.

package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
)

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
