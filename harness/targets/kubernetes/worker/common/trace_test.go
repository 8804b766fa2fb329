package main

import (
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestPlace(t *testing.T) {
	for _, one := range []struct{ file, function, want string }{
		{
			"k8s.io/kubernetes@v0.0.0/pkg/apis/core/validation/validation.go",
			"k8s.io/kubernetes/pkg/apis/core/validation.ValidatePodSpec",
			"pkg/apis/core/validation/validation.go:7 in ValidatePodSpec",
		},
		{
			"k8s.io/kubernetes@v0.0.0/pkg/apis/core/validation/validation.go",
			"k8s.io/kubernetes/pkg/apis/core/validation.ValidatePodSpec.func2.1",
			"pkg/apis/core/validation/validation.go:7 in ValidatePodSpec",
		},
		{
			"k8s.io/apimachinery@v0.0.0/pkg/api/validate/enum.go",
			"k8s.io/apimachinery/pkg/api/validate.Enum[...]",
			"k8s.io/apimachinery/pkg/api/validate/enum.go:7 in Enum",
		},
		{
			"k8s.io/kubernetes@v0.0.0/pkg/registry/core/pod/strategy.go",
			"k8s.io/kubernetes/pkg/registry/core/pod.podStrategy.Validate",
			"pkg/registry/core/pod/strategy.go:7 in podStrategy.Validate",
		},
	} {
		if got := place(runtime.Frame{File: one.file, Function: one.function, Line: 7}); got != one.want {
			t.Errorf("got %s, want %s", got, one.want)
		}
	}
}

func TestWithoutHookNothingIsTraced(t *testing.T) {
	before := errorHook
	defer func() { errorHook = before }()
	errorHook = nil
	seen, stop := traceErrors()
	defer stop()
	if got := seen.source(field.Required(field.NewPath("x"), "")); got != "" {
		t.Errorf("got %s of an error that nobody saw", got)
	}
}
