package main

import (
	"context"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// describe asks the strategy about an empty object, for what it says of itself: options, path rules, composition.
func (e *entry) describe() {
	e.info.Composition = rest.HarnessComposition
	e.info.Options = map[string]bool{}
	for _, operation := range []string{"create", "update"} {
		if operation == "create" && !e.create || operation == "update" && !e.update {
			continue
		}
		e.info.Operations = append(e.info.Operations, operation)
		if call := e.captureEmpty(operation); call != nil && call.Calls > 0 {
			e.learn(operation, call)
		}
	}
	if e.info.Normalization == nil {
		e.info.Normalization = [][2]string{}
	}
}

func (e *entry) captureEmpty(operation string) (call *rest.HarnessCall) {
	defer func() { _ = recover() }() // a strategy that cannot bear an empty object tells nothing, and is asked all the same
	ctx := e.context(operation, "harness", e.gv.Version, "harness")
	ctx, call = rest.WithHarnessCapture(ctx)
	var old runtime.Object
	if operation == "update" {
		old = e.newFunc()
	}
	e.validate(ctx, operation, e.newFunc(), old)
	return call
}

func (e *entry) learn(operation string, call *rest.HarnessCall) {
	e.info.Composition = call.Composition()
	e.info.ShortCircuitMismatch = e.info.ShortCircuitMismatch || call.ShortCircuitMismatch()
	for name, enabled := range call.Options() {
		if _, known := e.info.Options[name]; !known {
			e.info.Options[name] = enabled
		}
	}
	if e.info.Normalization == nil {
		for _, rule := range call.NormalizationRules() {
			e.info.Normalization = append(e.info.Normalization, [2]string{rule.Regexp.String(), rule.Replacement})
		}
	}
	e.info.Rules = e.info.Rules || e.hasRules(operation, call)
}

// hasRules says whether generated validation exists for the versioned type, and for the subresource.
func (e *entry) hasRules(operation string, call *rest.HarnessCall) bool {
	versioned, err := legacyscheme.Scheme.New(e.gvk)
	if err != nil {
		return false
	}
	functions := reflect.ValueOf(legacyscheme.Scheme).Elem().FieldByName("validationFuncs")
	if functions.IsValid() && !functions.MapIndex(reflect.ValueOf(reflect.TypeOf(versioned))).IsValid() {
		return false
	}
	errs := e.declareEmpty(e.context(operation, "harness", e.gv.Version, "harness"), call)
	for _, err := range errs {
		if err.Type == field.ErrorTypeInternal && strings.Contains(err.Detail, "no validation found for") {
			return false
		}
	}
	return true
}

func (e *entry) declareEmpty(ctx context.Context, call *rest.HarnessCall) (errs field.ErrorList) {
	defer func() { _ = recover() }()
	return call.Declarative(ctx, nil)
}
