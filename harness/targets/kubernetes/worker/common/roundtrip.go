package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	kjson "sigs.k8s.io/json"
)

// roundTrips takes the object through every version of its kind and back, its own one too. Defaults are left out: they
// add what a version knows, and a conversion that loses nothing needs none.
func (q *question) roundTrips() map[string]*roundTrip {
	e := q.entry
	found := map[string]*roundTrip{}
	for _, version := range append([]string{e.gvk.Version}, e.info.Versions...) {
		if turned := q.roundTrip(schema.GroupVersion{Group: e.gvk.Group, Version: version}); turned != nil {
			found[version] = turned
		}
	}
	return found
}

// roundTrip is nil if the object comes back as it was.
func (q *question) roundTrip(gv schema.GroupVersion) (turned *roundTrip) {
	defer func() {
		if r := recover(); r != nil {
			turned = &roundTrip{Error: fmt.Sprint(r)}
			if known, ok := r.(stageError); ok {
				turned.Error = known.message
			}
		}
	}()
	read, err := legacyscheme.Scheme.ConvertToVersion(q.obj, gv)
	q.fail(err)
	written := reflect.New(reflect.TypeOf(read).Elem()).Interface().(runtime.Object)
	q.fail(kjson.UnmarshalCaseSensitivePreserveInts(encoded(read), written))
	back, err := legacyscheme.Scheme.ConvertToVersion(written, q.entry.hub)
	q.fail(err)
	if equality.Semantic.DeepEqual(q.obj, back) {
		return nil
	}
	return &roundTrip{Before: q.shown(q.obj), After: q.shown(back)}
}

// shown is an internal object as the version of the request shows it.
func (q *question) shown(obj runtime.Object) json.RawMessage {
	versioned, err := legacyscheme.Scheme.ConvertToVersion(obj, q.entry.gvk.GroupVersion())
	q.fail(err)
	return encoded(versioned)
}
