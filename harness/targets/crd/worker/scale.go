package main

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// scalePaths are where a scale finds its numbers and its selector in an object.
type scalePaths struct{ spec, status, selector []string }

func pathsOf(scale *apiextensions.CustomResourceSubresourceScale) *scalePaths {
	paths := &scalePaths{spec: steps(scale.SpecReplicasPath), status: steps(scale.StatusReplicasPath)}
	if scale.LabelSelectorPath != nil && *scale.LabelSelectorPath != "" {
		paths.selector = steps(*scale.LabelSelectorPath)
	}
	return paths
}

func steps(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// scaled does what the server's private scaleUpdatedObjectInfo does: the stored object gets the number of the new one, and
// nothing else of it. A case of a scale has objects of the resource, as those of its status have.
func (q *question) scaled() {
	paths := q.entry.scale
	replicas, _, err := unstructured.NestedInt64(q.obj.Object, paths.spec...) // a scale without a number says 0
	q.fail(err)
	if replicas < math.MinInt32 || replicas > math.MaxInt32 {
		q.fail(fmt.Errorf("%d is no number of replicas: a scale has 32 bits for it", replicas))
	}
	_, _, err = unstructured.NestedInt64(q.old.Object, paths.spec...)
	q.fail(err)
	_, _, err = unstructured.NestedInt64(q.old.Object, paths.status...)
	q.fail(err)
	if len(paths.selector) > 0 {
		_, _, err = unstructured.NestedString(q.old.Object, paths.selector...)
		q.fail(err)
	}
	q.obj = q.old.DeepCopy()
	q.fail(unstructured.SetNestedField(q.obj.Object, replicas, paths.spec...))
}
