package main

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

const betaGate = "DeclarativeValidationBeta"

// hasBeta says whether the release has the gate; asking the gates about an unknown one panics.
var hasBeta = sync.OnceValue(func() bool {
	_, known := utilfeature.DefaultMutableFeatureGate.GetAll()[betaGate]
	return known
})

// setBeta flips the one gate of the migration; a release that has it no more keeps its one answer.
func setBeta(enabled bool) {
	if !hasBeta() || utilfeature.DefaultFeatureGate.Enabled(betaGate) == enabled {
		return
	}
	values := resolvedGates()
	if values == nil {
		flipBeta(enabled)
		return
	}
	if seen := betaGates[enabled]; seen != nil {
		values.Store(seen)
		return
	}
	flipBeta(enabled)
	betaGates[enabled] = values.Load()
}

func flipBeta(enabled bool) {
	_ = utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{betaGate: enabled})
}

// betaGates are the values of all gates with the gate on and off, as the release resolved them: nothing else is flipped
// once cases are answered, and resolving all gates takes longer than validating most objects.
var betaGates = map[bool]any{}

// resolvedGates is where the gates keep their resolved values; nil in a release that keeps them in another way.
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
