// Package recorder writes down what tests of a release give to its validators, as versioned objects.
//
// A value that is no object of its own, such as the spec of a pod, is put into an empty object of the kind that has a
// field of its type, the one with the shortest path.
package recorder

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/harnessrecord"
)

const (
	maxRecords = 20_000
	maxBytes   = 128 << 20
	maxDepth   = 7
)

// record is one line: an object in one version, or why a validator's values are left out.
type record struct {
	Function string          `json:"function"`
	Group    string          `json:"group,omitempty"`
	Version  string          `json:"version,omitempty"`
	Kind     string          `json:"kind,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Old      json.RawMessage `json:"old,omitempty"`
	Left     string          `json:"left,omitempty"`
	Given    int             `json:"given,omitempty"` // the same number in every version of one object
}

type holder struct {
	kind  schema.GroupKind
	steps []int // field numbers; -1 enters a slice
}

type keeper struct {
	sync.Mutex
	out     *bufio.Writer
	seen    map[[32]byte]bool
	holders map[reflect.Type][]holder
	bytes   int
	given   int
}

// Start records all calls of this process in a file of the folder that HARNESS_RECORD names.
func Start(name string) {
	folder := os.Getenv("HARNESS_RECORD")
	if folder == "" {
		return
	}
	file, err := os.Create(filepath.Join(folder, name+".ndjson"))
	if err != nil {
		panic(err)
	}
	k := &keeper{out: bufio.NewWriter(file), seen: map[[32]byte]bool{}, holders: findHolders()}
	harnessrecord.Hook = k.call
}

func (k *keeper) call(function string, names []string, arguments []any) {
	if isNested() {
		return
	}
	k.Lock()
	defer k.Unlock()
	defer k.out.Flush() // after each call: a test may end its process at any time
	defer func() {
		// A value that cannot be converted is the test's own matter.
		if problem := recover(); problem != nil {
			k.leave(function, "not converted")
		}
	}()
	if len(k.seen) >= maxRecords || k.bytes >= maxBytes {
		k.leave(function, "limit reached")
		return
	}
	group := function[:strings.LastIndex(function, ".")]
	told := false
	for at, argument := range arguments {
		value := reflect.ValueOf(argument)
		if isOld(names[at]) || !isData(value) {
			continue
		}
		old := reflect.Value{}
		for other := range arguments {
			if isOld(names[other]) && reflect.TypeOf(arguments[other]) == value.Type() && isData(reflect.ValueOf(arguments[other])) {
				old = reflect.ValueOf(arguments[other])
			}
		}
		told = k.tell(function, group, value, old) || told
	}
	if !told {
		k.leave(function, "no kind has it")
	}
}

// leave writes once for each validator and reason that values were left out.
func (k *keeper) leave(function, reason string) { k.line(record{Function: function, Left: reason}) }

// isNested reports whether a validator called the one that is recorded: then the value is part of one that was.
func isNested() bool {
	var counters [1]uintptr
	if runtime.Callers(5, counters[:]) == 0 {
		return false
	}
	frame, _ := runtime.CallersFrames(counters[:]).Next()
	return strings.Contains(frame.Function, "/validation.") && !strings.HasSuffix(frame.File, "_test.go")
}

func isOld(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "old") || strings.HasSuffix(name, "Old") || strings.HasPrefix(lower, "prev")
}

func isData(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Pointer:
		return !value.IsNil() && value.Elem().Kind() == reflect.Struct && isOfRelease(value.Type().Elem())
	case reflect.Struct:
		return isOfRelease(value.Type())
	case reflect.Slice:
		element := value.Type().Elem()
		return element.Kind() == reflect.Struct && isOfRelease(element) && value.Len() > 0
	}
	return false
}

func isOfRelease(t reflect.Type) bool {
	return strings.HasPrefix(t.PkgPath(), "k8s.io/kubernetes/pkg/apis/") ||
		t == reflect.TypeFor[metav1.ObjectMeta]() || t == reflect.TypeFor[metav1.LabelSelector]()
}

func (k *keeper) tell(function, path string, value, old reflect.Value) bool {
	if object, ok := value.Interface().(k8sruntime.Object); ok {
		if kinds, _, err := legacyscheme.Scheme.ObjectKinds(object); err == nil && len(kinds) > 0 {
			before, _ := interfaceOf(old).(k8sruntime.Object)
			k.write(function, kinds[0].GroupKind(), object, before)
			return true
		}
	}
	for _, held := range k.holdersOf(value.Type(), path) {
		object, before := held.hold(value), k8sruntime.Object(nil)
		if old.IsValid() {
			before = held.hold(old)
		}
		k.write(function, held.kind, object, before)
		return true
	}
	return false
}

func interfaceOf(value reflect.Value) any {
	if !value.IsValid() {
		return nil
	}
	return value.Interface()
}

// holdersOf returns the kinds with a field of a type, those of the validator's own group first.
func (k *keeper) holdersOf(t reflect.Type, path string) []holder {
	found := k.holders[bare(t)]
	own := make([]holder, 0, len(found))
	for _, one := range found {
		if typeOf(one.kind).PkgPath() == strings.TrimSuffix(path, "/validation") {
			own = append(own, one)
		}
	}
	if len(own) > 0 {
		return own
	}
	return found
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func typeOf(kind schema.GroupKind) reflect.Type {
	return legacyscheme.Scheme.AllKnownTypes()[kind.WithVersion(k8sruntime.APIVersionInternal)]
}

// findHolders lists, for each type, the kinds with a field of it, the shortest path first.
func findHolders() map[reflect.Type][]holder {
	found := map[reflect.Type][]holder{}
	for kind, t := range legacyscheme.Scheme.AllKnownTypes() {
		_, listed := t.FieldByName("Items")
		if _, named := t.FieldByName("ObjectMeta"); kind.Version != k8sruntime.APIVersionInternal || listed || !named {
			continue
		}
		walk(t, kind.GroupKind(), nil, map[reflect.Type]bool{}, found)
	}
	for _, holders := range found {
		sort.Slice(holders, func(i, j int) bool {
			a, b := holders[i], holders[j]
			if len(a.steps) != len(b.steps) {
				return len(a.steps) < len(b.steps)
			}
			return a.kind.String()+fmt.Sprint(a.steps) < b.kind.String()+fmt.Sprint(b.steps)
		})
	}
	return found
}

func walk(t reflect.Type, kind schema.GroupKind, steps []int, above map[reflect.Type]bool, found map[reflect.Type][]holder) {
	if len(steps) >= maxDepth || above[t] {
		return
	}
	above[t] = true
	defer delete(above, t)
	for number := range t.NumField() {
		field := t.Field(number)
		inner := bare(field.Type)
		if inner.Kind() != reflect.Struct || !isOfRelease(inner) || !field.IsExported() {
			continue
		}
		path := append(append([]int{}, steps...), number)
		known := found[inner]
		if len(known) == 0 || known[len(known)-1].kind != kind {
			found[inner] = append(known, holder{kind, path})
		}
		walk(inner, kind, path, above, found)
	}
}

// hold puts a copy of the value into an empty object.
func (h holder) hold(value reflect.Value) k8sruntime.Object {
	whole := reflect.New(typeOf(h.kind))
	if meta, ok := whole.Interface().(metav1.Object); ok {
		meta.SetName("recorded")
		meta.SetNamespace("default")
	}
	place := whole.Elem()
	for at, step := range h.steps {
		place = place.Field(step)
		last := at == len(h.steps)-1
		if last && value.Type() == place.Type() {
			place.Set(value)
			return whole.Interface().(k8sruntime.Object)
		}
		if place.Kind() == reflect.Pointer {
			place.Set(reflect.New(place.Type().Elem()))
			place = place.Elem()
		}
		if place.Kind() == reflect.Slice {
			place.Set(reflect.MakeSlice(place.Type(), 1, 1))
			place = place.Index(0)
			if place.Kind() == reflect.Pointer {
				place.Set(reflect.New(place.Type().Elem()))
				place = place.Elem()
			}
		}
	}
	if value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	place.Set(value)
	return whole.Interface().(k8sruntime.Object)
}

func (k *keeper) write(function string, kind schema.GroupKind, object, old k8sruntime.Object) {
	k.given++
	for _, version := range legacyscheme.Scheme.VersionsForGroupKind(kind) {
		if version.Version == k8sruntime.APIVersionInternal {
			continue
		}
		one := record{Function: function, Group: kind.Group, Version: version.Version, Kind: kind.Kind}
		var err error
		if one.Object, err = encode(object, version); err == nil && old != nil {
			one.Old, err = encode(old, version)
		}
		if err != nil {
			k.leave(function, "not converted")
			continue
		}
		k.line(one)
	}
}

func (k *keeper) line(one record) {
	data, err := json.Marshal(one)
	if sum := sha256.Sum256(data); err == nil && !k.seen[sum] {
		k.seen[sum] = true
		one.Given = k.given
		data, _ = json.Marshal(one)
		k.bytes += len(data) + 1
		k.out.Write(append(data, '\n'))
	}
}

func encode(object k8sruntime.Object, version schema.GroupVersion) (json.RawMessage, error) {
	converted, err := legacyscheme.Scheme.ConvertToVersion(object.DeepCopyObject(), version)
	if err != nil {
		return nil, err
	}
	return json.Marshal(converted)
}
