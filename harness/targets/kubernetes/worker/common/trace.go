package main

import (
	"fmt"
	"path"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// errorHook has the release's constructors of errors call a function for every error that they make; nil where the
// harness could not put a hook into them. The hook is global: whoever sets it holds the lock of gates.
var errorHook func(made func(*field.Error))

const (
	deepest      = 64
	mostStacks   = 1000 // of a list: an answer may have thousands of errors, and has a limit
	releaseCode  = "k8s.io/kubernetes/"
	anyCode      = "k8s.io/"
	errorPackage = "k8s.io/apimachinery/pkg/util/validation/field."
	calledAt     = ", called at "
)

var (
	moduleVersion = regexp.MustCompile(`@[^/]*`)
	inside        = regexp.MustCompile(`(\[\.\.\.\])?(\.func\d+.*)?$`)
)

// traces remembers the stack that made each error.
type traces struct {
	lock   sync.Mutex
	stacks map[*field.Error][]uintptr
}

// traceErrors remembers every error that is made until it is stopped.
func traceErrors() (seen *traces, stop func()) {
	seen = &traces{stacks: map[*field.Error][]uintptr{}}
	if errorHook == nil {
		return seen, func() {}
	}
	errorHook(seen.keep)
	return seen, func() { errorHook(nil) }
}

func (t *traces) keep(err *field.Error) {
	stack := make([]uintptr, deepest)
	stack = stack[:runtime.Callers(3, stack)]
	t.lock.Lock()
	defer t.lock.Unlock()
	t.stacks[err] = stack
}

// addTo adds to the errors of a list what made the same errors when they were asked for again. Errors are told apart as
// the wire shows them, because a validator that walks a map reports in any order.
func (t *traces) addTo(list []wireError, again field.ErrorList, sources bool) {
	made := map[wireError][]*field.Error{}
	for i, err := range wireErrors(again) {
		made[err] = append(made[err], again[i])
	}
	for i, err := range list {
		known := made[err]
		if len(known) == 0 {
			continue
		}
		made[err] = known[1:]
		if i < mostStacks {
			list[i].Stack = t.stack(known[0])
		}
		if sources {
			list[i].Source = t.source(known[0])
		}
	}
}

// stack names the calls that made an error, the innermost first, from what called the constructor up to the worker.
func (t *traces) stack(err *field.Error) string {
	var found []string
	for _, frame := range framesOf(t.stacks[err]) {
		if strings.HasPrefix(frame.Function, "main.") {
			break
		}
		if strings.HasPrefix(frame.Function, anyCode) && !strings.HasPrefix(frame.Function, errorPackage) {
			found = append(found, place(frame))
		}
	}
	return strings.Join(found, calledAt)
}

// source is where an error was made: in the release's own code, and where none of it is on the stack in what it uses.
// A helper of apimachinery is shared by all groups; who looks for a check looks for its caller. A helper of another
// group is named with the line that calls it.
func (t *traces) source(err *field.Error) string {
	elsewhere := ""
	frames := framesOf(t.stacks[err])
	for i, frame := range frames {
		switch {
		case strings.HasPrefix(frame.Function, releaseCode):
			if i+1 < len(frames) && calls(frames[i+1], frame) {
				return place(frame) + calledAt + place(frames[i+1])
			}
			return place(frame)
		case strings.HasPrefix(frame.Function, "main."):
			return elsewhere
		case elsewhere == "" && !strings.HasPrefix(frame.Function, errorPackage):
			elsewhere = place(frame)
		}
	}
	return elsewhere
}

// calls says whether the validation of one group calls that of another one.
func calls(caller, called runtime.Frame) bool {
	return strings.HasPrefix(caller.Function, releaseCode+"pkg/apis/") && path.Dir(caller.File) != path.Dir(called.File)
}

// panicPlace is the line that panicked; called by a function that was deferred, and only after it recovered. What was
// recovered and raised again is below what raised it again.
func panicPlace() string {
	stack := make([]uintptr, deepest)
	var below []runtime.Frame
	for _, frame := range framesOf(stack[:runtime.Callers(2, stack)]) {
		if frame.Function == "runtime.gopanic" {
			below = below[:0]
		} else {
			below = append(below, frame)
		}
	}
	for _, frame := range below {
		if strings.HasPrefix(frame.Function, anyCode) {
			return place(frame)
		}
	}
	return ""
}

func framesOf(stack []uintptr) (found []runtime.Frame) {
	if len(stack) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(stack)
	for {
		frame, more := frames.Next()
		found = append(found, frame)
		if !more {
			return found
		}
	}
}

// place names a line and its function: pkg/apis/core/validation/validation.go:1234 in ValidatePodSpec.
func place(frame runtime.Frame) string {
	file := strings.TrimPrefix(moduleVersion.ReplaceAllString(frame.File, ""), releaseCode)
	_, function, _ := strings.Cut(frame.Function[strings.LastIndexByte(frame.Function, '/')+1:], ".")
	return fmt.Sprintf("%s:%d in %s", file, frame.Line, inside.ReplaceAllString(function, ""))
}
