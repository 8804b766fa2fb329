package main

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// setting is one way in which a release composes both lists: its name, the gates that stand for it, whether the gate
// that has rules served is on, and what the context of the request bears.
type setting struct {
	name    string
	gates   map[string]bool
	serving bool
	mark    func(context.Context) context.Context
}

// canServe says whether the release has the gate that has rules served; asking the gates about an unknown one panics.
var canServe = sync.OnceValue(func() bool {
	_, known := utilfeature.DefaultMutableFeatureGate.GetAll()[servingGate]
	return known
})

// setServing flips the one gate of the migration, and says whether its value is now the wanted one: other gates may
// forbid it. A release that has it no more keeps its one answer.
func setServing(enabled bool) bool {
	if !canServe() || utilfeature.DefaultFeatureGate.Enabled(servingGate) == enabled {
		return true
	}
	values := resolvedGates()
	if values == nil {
		return flipServing(enabled)
	}
	if seen := servingGates[enabled]; seen != nil {
		values.Store(seen)
		return true
	}
	if !flipServing(enabled) {
		return false
	}
	servingGates[enabled] = values.Load()
	return true
}

func flipServing(enabled bool) bool {
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{servingGate: enabled}) == nil
}

// servingGates are the values of all gates with the gate on and off, as the release resolved them: nothing else is flipped
// once cases are answered, and resolving all gates takes longer than validating most objects.
var servingGates = map[bool]any{}

// resolvedGates is where the gates keep their resolved values; nil in a release that keeps them in another way, and
// then gates are flipped as everybody does. It is private state of k8s.io/component-base/featuregate, touched because
// each flip through its own methods resolves all gates, twice for each case that is asked under every setting. An option of
// the request's context, such as rest.WithAllDeclarativeEnforcedForTest is for graduation, would replace it.
var resolvedGates = sync.OnceValue(func() *atomic.Value {
	gates := reflect.ValueOf(utilfeature.DefaultMutableFeatureGate)
	if gates.Kind() != reflect.Pointer || gates.Elem().Kind() != reflect.Struct {
		return nil
	}
	values := gates.Elem().FieldByName("enabled")
	if !values.IsValid() || values.Type() != reflect.TypeFor[atomic.Value]() {
		return nil
	}
	return (*atomic.Value)(unsafe.Pointer(values.UnsafeAddr()))
})
