// Watches the generated validators while the fuzz test of a release runs: which errors each type reports, and how often it
// is asked. bench/upstream.py compiles it together with that test, in the cache of the user.

package testing

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

type validator = func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList

type seenError struct {
	Path   string `json:"path"`
	Type   string `json:"type"`
	Origin string `json:"origin"`
}

type watched struct {
	Calls  int         `json:"calls"`
	Errors []seenError `json:"errors"`
	seen   map[seenError]bool
}

var (
	watching  sync.Mutex
	byType    = map[string]*watched{}
	subscript = regexp.MustCompile(`\[[^\]]*\]`)
	began     = time.Now()
)

func init() {
	limit, err := time.ParseDuration(os.Getenv("HARNESS_BENCH_TIME"))
	if err != nil {
		panic(err)
	}
	*roundtrip.FuzzIters = 200 // the release's own measure of how long to go on; the test takes a tenth of it for each kind
	functions := reflect.ValueOf(legacyscheme.Scheme).Elem().FieldByName("validationFuncs")
	registered := *(*map[reflect.Type]validator)(unsafe.Pointer(functions.UnsafeAddr()))
	for t, original := range registered {
		one := &watched{seen: map[seenError]bool{}, Errors: []seenError{}}
		byType[t.Elem().PkgPath()+"."+t.Elem().Name()] = one
		registered[t] = func(ctx context.Context, op operation.Operation, obj, old any) field.ErrorList {
			errs := original(ctx, op, obj, old)
			watching.Lock()
			defer watching.Unlock()
			one.note(errs)
			if time.Since(began) > limit {
				tell()
			}
			return errs
		}
	}
}

func (w *watched) note(errs field.ErrorList) {
	w.Calls++
	for _, err := range errs {
		key := seenError{subscript.ReplaceAllString(err.Field, "[*]"), string(err.Type), err.Origin}
		if !w.seen[key] {
			w.seen[key] = true
			w.Errors = append(w.Errors, key)
		}
	}
}

// tell ends the process: the time is over.
func tell() {
	encoded, err := json.Marshal(map[string]any{"seconds": time.Since(began).Seconds(), "types": byType})
	if err == nil {
		err = os.WriteFile(os.Getenv("HARNESS_BENCH_FILE"), encoded, 0o600)
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}
