// Added by overlay to package rest of a release in which strategies opt in with functional options (1.36).

package rest

import (
	"context"
	"sort"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/operation"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// HarnessComposition names how this release composes unless the strategy says otherwise.
const HarnessComposition = "shadow"

// HarnessCall is what a strategy hands to declarative validation: the handwritten errors and everything needed to ask
// the declarative side alone.
type HarnessCall struct {
	Calls  int
	scheme *runtime.Scheme
	obj    runtime.Object
	old    runtime.Object
	config validationConfigOption
}

func harnessCapture(ctx context.Context, scheme *runtime.Scheme, obj, oldObj runtime.Object, errs field.ErrorList, opType operation.Type, configOpts []ValidationConfig) (field.ErrorList, bool) {
	call, ok := ctx.Value(harnessKey{}).(*HarnessCall)
	if !ok {
		return nil, false
	}
	call.Calls++
	if call.Calls == 1 {
		call.scheme, call.obj, call.old = scheme, obj, oldObj
		call.config.opType = opType
		for _, option := range configOpts {
			option(&call.config)
		}
	}
	return errs, true
}

// Composition says how this strategy composes.
func (c *HarnessCall) Composition() string {
	if c.config.declarativeEnforcement {
		return "explicit"
	}
	return HarnessComposition
}

// Options are the validation options that are on; in this release an option is a name that is listed.
func (c *HarnessCall) Options() map[string]bool {
	options := map[string]bool{}
	for _, name := range c.config.options {
		options[name] = true
	}
	return options
}

// NormalizationRules are the strategy's path rules.
func (c *HarnessCall) NormalizationRules() []field.NormalizationRule { return c.config.normalizationRules }

// ShortCircuitMismatch does not exist in this release.
func (c *HarnessCall) ShortCircuitMismatch() bool { return false }

// Declarative runs the release's own declarative step, every level, for the version that ctx names.
func (c *HarnessCall) Declarative(ctx context.Context, overrides map[string]bool) field.ErrorList {
	config := c.config
	if len(overrides) > 0 {
		options := c.Options()
		for name, enabled := range overrides {
			options[name] = enabled
		}
		config.options = nil
		for name, enabled := range options {
			if enabled {
				config.options = append(config.options, name)
			}
		}
		sort.Strings(config.options)
	}
	return validateDeclaratively(ctx, c.scheme, c.obj, c.old, &config)
}

// HarnessValidateCreate does what BeforeCreate does between preparing and warning: object metadata is looked at only
// when the strategy, declarative errors included, has no complaint.
func HarnessValidateCreate(ctx context.Context, obj runtime.Object, strategy RESTCreateStrategy) field.ErrorList {
	if errs := strategy.Validate(ctx, obj); len(errs) > 0 {
		return errs
	}
	objectMeta, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	return genericvalidation.ValidateObjectMetaAccessor(objectMeta, strategy.NamespaceScoped(), validatePathSegment, field.NewPath("metadata"))
}

// HarnessValidateUpdate does what BeforeUpdate does between preparing and warning.
func HarnessValidateUpdate(ctx context.Context, obj, old runtime.Object, strategy RESTUpdateStrategy) field.ErrorList {
	errs, err := validateCommonFields(obj, old, strategy)
	if err != nil {
		return field.ErrorList{field.InternalError(field.NewPath("metadata"), err)}
	}
	return append(errs, strategy.ValidateUpdate(ctx, obj, old)...)
}

// HarnessUnconditional says whether an update without a resource version is taken.
func HarnessUnconditional(_ context.Context, strategy RESTUpdateStrategy) bool {
	return strategy.AllowUnconditionalUpdate()
}

// HarnessShortCircuit does not exist in this release.
func HarnessShortCircuit(*field.Error) bool { return false }
