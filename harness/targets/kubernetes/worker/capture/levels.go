// Added by overlay to package rest of a release that decides by the level of each tag (1.37 and later).

package rest

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// HarnessComposition names how this release composes its two lists.
const HarnessComposition = "levels"

// HarnessCall is what a strategy hands to declarative validation: the handwritten errors and everything needed to ask
// the declarative side alone.
type HarnessCall struct {
	Calls  int
	scheme *runtime.Scheme
	obj    runtime.Object
	old    runtime.Object
	opType operation.Type
	config DeclarativeValidationConfig
}

func harnessCapture(ctx context.Context, scheme *runtime.Scheme, obj, oldObj runtime.Object, errs field.ErrorList, opType operation.Type, config DeclarativeValidationConfig) (field.ErrorList, bool) {
	call, ok := ctx.Value(harnessKey{}).(*HarnessCall)
	if !ok {
		return nil, false
	}
	call.Calls++
	if call.Calls == 1 {
		call.scheme, call.obj, call.old, call.opType, call.config = scheme, obj, oldObj, opType, config
	}
	return errs, true
}

// Composition says how this strategy composes.
func (c *HarnessCall) Composition() string { return HarnessComposition }

// Options are the validation options with their values.
func (c *HarnessCall) Options() map[string]bool { return c.config.Options }

// NormalizationRules are the strategy's path rules.
func (c *HarnessCall) NormalizationRules() []field.NormalizationRule { return c.config.NormalizationRules }

// ShortCircuitMismatch says whether a short-circuit error may stand for errors below it.
func (c *HarnessCall) ShortCircuitMismatch() bool { return c.config.ShortCircuitMismatch }

// Declarative runs the release's own declarative step, every level, for the version that ctx names.
func (c *HarnessCall) Declarative(ctx context.Context, overrides map[string]bool) field.ErrorList {
	config := c.config
	if len(overrides) > 0 {
		config.Options = map[string]bool{}
		for name, enabled := range c.config.Options {
			config.Options[name] = enabled
		}
		for name, enabled := range overrides {
			config.Options[name] = enabled
		}
	}
	return validateDeclaratively(ctx, c.scheme, c.obj, c.old, &ValidationConfigOption{OpType: c.opType, DeclarativeValidationConfig: config})
}

// HarnessValidateCreate is what BeforeCreate calls.
func HarnessValidateCreate(ctx context.Context, obj runtime.Object, strategy RESTCreateStrategy) field.ErrorList {
	return ValidateCreate(ctx, obj, strategy)
}

// HarnessValidateUpdate is what BeforeUpdate calls.
func HarnessValidateUpdate(ctx context.Context, obj, old runtime.Object, strategy RESTUpdateStrategy) field.ErrorList {
	return ValidateUpdate(ctx, obj, old, strategy)
}

// HarnessUnconditional says whether an update without a resource version is taken.
func HarnessUnconditional(ctx context.Context, strategy RESTUpdateStrategy) bool {
	return strategy.AllowUnconditionalUpdate(ctx)
}

// HarnessShortCircuit reads the mark of an error that stopped its siblings.
func HarnessShortCircuit(err *field.Error) bool { return err.ShortCircuit }
