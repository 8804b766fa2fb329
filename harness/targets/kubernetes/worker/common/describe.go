package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// describe asks the strategy about an empty object, for what it says of itself: options, path rules, composition.
func (e *entry) describe() {
	e.info.Composition = defaultComposition
	e.info.Options = map[string]bool{}
	e.info.Normalization = [][2]string{}
	for _, operation := range []string{"create", "update"} {
		if operation == "create" && !e.create || operation == "update" && !e.update {
			continue
		}
		e.info.Operations = append(e.info.Operations, operation)
		e.learn(e.askEmpty(operation, false))
		if defaultComposition == "shadow" && e.showsStandard(operation) {
			e.info.Composition = "explicit"
		}
	}
}

// askEmpty runs both sides on empty objects, with defaults where a strategy crashes without. One that cannot bear them
// either tells nothing, and is asked all the same.
func (e *entry) askEmpty(operation string, inject bool) *call {
	c := &call{inject: inject, enter: func(string) {}}
	if !e.bears(operation, e.newFunc, c) && c.calls == 0 {
		e.bears(operation, e.defaulted, c)
	}
	return c
}

// bears asks about an empty object, and says whether the strategy answers.
func (e *entry) bears(operation string, empty func() runtime.Object, c *call) (answers bool) {
	defer func() { _ = recover() }()
	var old runtime.Object
	if operation == "update" {
		old = empty()
	}
	e.judge(e.context(operation, "harness", e.gv.Version, "harness"), operation, empty(), old, c)
	return true
}

// defaulted is an empty object with the defaults of its version.
func (e *entry) defaulted() runtime.Object {
	obj, err := legacyscheme.Scheme.New(e.gvk)
	if err != nil {
		panic(err)
	}
	legacyscheme.Scheme.Default(obj)
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj, e.hub)
	if err != nil {
		panic(err)
	}
	return internal
}

// showsStandard says whether a declarative error reaches the user: only then did the strategy opt in.
func (e *entry) showsStandard(operation string) bool {
	return e.askEmpty(operation, true).injected
}

func (e *entry) learn(c *call) {
	e.info.ShortCircuitMismatch = e.info.ShortCircuitMismatch || c.shortCircuit
	if len(e.info.Normalization) == 0 {
		for _, rule := range c.rules {
			e.info.Normalization = append(e.info.Normalization, [2]string{rule.Regexp.String(), rule.Replacement})
		}
	}
	if c.calls == 0 {
		return
	}
	for name, enabled := range optionValues(c.operation) {
		if _, known := e.info.Options[name]; !known {
			e.info.Options[name] = enabled
		}
	}
	e.info.Rules = e.info.Rules || !lacksValidation(c.declarative())
}

// lacksValidation reads the answer of generated code that knows the type and not the subresource.
func lacksValidation(errs field.ErrorList) bool {
	for _, err := range errs {
		if err.Type == field.ErrorTypeInternal && strings.Contains(err.Detail, "no validation found for") {
			return true
		}
	}
	return false
}
