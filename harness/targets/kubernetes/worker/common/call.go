package main

import (
	"context"
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// validator is a generated validation function. The scheme of each generation keeps it as a registration.
type validator = func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList

// generatedValidators are the release's own, by versioned type.
var generatedValidators = map[reflect.Type]validator{}

// call sees the declarative side at work inside the server's own path.
type call struct {
	overrides map[string]bool // of validation options
	inject    bool            // report an error of our own, to see whether it gets through
	keep      bool            // keep what is validated
	idle      bool            // let generated functions do nothing
	enter     func(stage string)

	calls        int
	operation    operation.Operation
	errs         field.ErrorList // all levels, before any composition
	panicked     any
	panickedAt   string
	injected     bool
	returned     field.ErrorList // what came back where no generated function ran
	rules        []pathRule
	shortCircuit bool
	seen         func() *validated // writes down what was validated: seldom wanted, and long
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// watchGenerated puts a watcher around every generated validation function of the scheme. The functions run unchanged;
// without a call in the context the watcher only passes on. They are kept in a private map of runtime.Scheme, touched
// because the server's own path shows its declarative list only after composition, without the levels that are hidden
// and without the options it was asked with. Scheme.AddValidationFunc could put the watchers in; a method of Scheme
// that gives the function of a type, or lists the types that have one, would replace the rest.
func watchGenerated() {
	functions := reflect.ValueOf(legacyscheme.Scheme).Elem().FieldByName("validationFuncs")
	if !functions.IsValid() || functions.Type() != reflect.TypeFor[map[reflect.Type]registration]() {
		panic("the scheme of this release keeps its generated validation in a way the worker does not know")
	}
	registered := *(*map[reflect.Type]registration)(unsafe.Pointer(functions.UnsafeAddr()))
	for t, original := range registered {
		generatedValidators[t] = validatorOf(original)
		registered[t] = registrationOf(watched(generatedValidators[t]))
	}
}

func watched(original validator) validator {
	return func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
		c, ok := ctx.Value(callKey{}).(*call)
		if !ok {
			return original(ctx, op, obj, old)
		}
		if len(c.overrides) > 0 {
			op = withOptions(op, c.overrides)
		}
		return c.watch(original, ctx, op, obj, old)
	}
}

func (c *call) watch(original validator, ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
	if c.idle {
		return nil
	}
	c.calls++
	c.operation = op
	if c.keep {
		c.seen = func() *validated { return snapshot(op, obj, old) }
	}
	if c.inject {
		return field.ErrorList{field.Forbidden(field.NewPath(injectedField), "")}
	}
	defer func() {
		if r := recover(); r != nil {
			c.panicked, c.panickedAt = r, panicPlace()
			panic(r)
		}
	}()
	errs := original(ctx, op, obj, old)
	c.errs = append(c.errs, errs...)
	return errs
}

const injectedField = "<harness>"

// declarative is the whole declarative list. Errors from around the generated code, such as a failed conversion, are
// in what came back when no function ran.
func (c *call) declarative() field.ErrorList {
	switch {
	case c.panicked != nil:
		return panicErrors(c.panicked)
	case c.calls > 0:
		return c.errs
	}
	return c.returned
}

func panicErrors(recovered any) field.ErrorList {
	return field.ErrorList{field.InternalError(nil, fmt.Errorf("%s", panicText(recovered)))}
}

func panicText(recovered any) string {
	return fmt.Sprintf("panic during declarative validation: %v", recovered)
}

// learn keeps what a strategy says of itself.
func (c *call) learn(rules []pathRule, shortCircuit bool) {
	c.rules, c.shortCircuit = rules, shortCircuit
}

// finish keeps what declarative validation alone returned.
func (c *call) finish(returned field.ErrorList) { c.returned = returned }

// split takes a composed list apart. The gate that has rules served is off outside of served, so none of the
// handwritten errors was taken away.
func (c *call) split(composed field.ErrorList) field.ErrorList {
	if c.calls == 0 {
		return composed
	}
	var handwritten field.ErrorList
	for _, err := range composed {
		if isHandwritten(err) {
			handwritten = append(handwritten, err)
		} else if err.Field == injectedField {
			c.injected = true
		}
	}
	return handwritten
}
