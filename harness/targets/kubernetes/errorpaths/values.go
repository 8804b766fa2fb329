package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"sort"
	"strings"
)

// Value is what is known of an expression: all that it may be. Nil is a value of which nothing is looked at. Values are
// not changed once they are made.
type Value struct {
	// paths are what a path may be; isVague: it may also be one that is not known.
	paths   map[string]bool
	isVague bool
	// texts are the only texts that it may be; none if it may be any.
	texts     map[string]bool
	functions map[string]*Function
	errors    map[Reported]bool
	members   map[string]*Value
	items     *Value
	keys      *Value
	cells     map[*Cell]bool
	dynamic   types.Type
	isNil     bool
	truth     truth
}

type truth int

const (
	unknown truth = iota
	yes
	no
)

// Function is a function that may be called: one with a declaration, or a literal with the variables around it.
type Function struct {
	object   *types.Func
	receiver *Value
	literal  *ast.FuncLit
	pkg      *Package
	captured map[types.Object]*Value
	home     *Node
}

// Cell is a variable that several functions share, or that a pointer points to.
type Cell struct {
	value *Value
	home  *Node
	name  string
	isSet bool
}

// Reported is an error that a node makes. A path that `isVague` is not known beyond what is told of it.
type Reported struct {
	node    *Node
	site    int // of the call that makes it
	kind    string
	path    string
	isVague bool
	origin  string
	covered bool
}

func pathValue(path string) *Value { return &Value{paths: map[string]bool{path: true}} }

func textValue(text string) *Value { return &Value{texts: map[string]bool{text: true}} }

func truthValue(is bool) *Value {
	if is {
		return &Value{truth: yes}
	}
	return &Value{truth: no}
}

var nilValue = &Value{isNil: true}

const mostTexts = 64

// join returns a value that may be either.
func join(one, other *Value) *Value {
	if one == other {
		return one
	}
	if one == nil {
		one = &Value{}
	}
	if other == nil {
		other = &Value{}
	}
	found := &Value{isVague: one.isVague || other.isVague, isNil: one.isNil && other.isNil}
	found.paths = joined(one.paths, other.paths)
	if len(found.paths) > 0 && one.isNil != other.isNil { // a nil path is the object
		found.paths = joined(found.paths, map[string]bool{"": true})
	}
	if (len(one.texts) > 0 || one.isNil) && (len(other.texts) > 0 || other.isNil) {
		found.texts = joined(one.texts, other.texts)
		if len(found.texts) > mostTexts {
			found.texts = nil
		}
	}
	found.functions = joined(one.functions, other.functions)
	found.errors = joined(one.errors, other.errors)
	found.cells = joined(one.cells, other.cells)
	if len(one.members) > 0 || len(other.members) > 0 {
		found.members = map[string]*Value{}
		for name, value := range one.members {
			found.members[name] = join(value, other.members[name])
		}
		for name, value := range other.members {
			if _, known := one.members[name]; !known {
				found.members[name] = value
			}
		}
	}
	found.items, found.keys = joinSome(one.items, other.items), joinSome(one.keys, other.keys)
	if one.truth == other.truth {
		found.truth = one.truth
	}
	switch {
	case other.dynamic == nil && other.isNil:
		found.dynamic = one.dynamic
	case one.dynamic == nil && one.isNil:
		found.dynamic = other.dynamic
	case one.dynamic != nil && other.dynamic != nil && types.Identical(one.dynamic, other.dynamic):
		found.dynamic = one.dynamic
	}
	if found.isEmpty() {
		return nil
	}
	return found
}

// joinSome joins items, of which none at all are known where a list is empty.
func joinSome(one, other *Value) *Value {
	if one == nil {
		return other
	}
	if other == nil {
		return one
	}
	return join(one, other)
}

func (v *Value) isEmpty() bool {
	return len(v.paths) == 0 && !v.isVague && len(v.texts) == 0 && len(v.functions) == 0 && len(v.errors) == 0 &&
		len(v.members) == 0 && v.items == nil && v.keys == nil && len(v.cells) == 0 && v.dynamic == nil && !v.isNil &&
		v.truth == unknown
}

func joined[K comparable, T any](one, other map[K]T) map[K]T {
	if len(one) == 0 {
		return other
	}
	if len(other) == 0 {
		return one
	}
	found := make(map[K]T, len(one)+len(other))
	for key, value := range one {
		found[key] = value
	}
	for key, value := range other {
		found[key] = value
	}
	return found
}

// key identifies a value, so that a function that is given the same is read once.
func (v *Value) key(depth int) string {
	if v == nil {
		return "-"
	}
	if depth > 6 {
		return "…"
	}
	var parts []string
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	for _, path := range ordered(v.paths) {
		add("p%q", path)
	}
	if v.isVague {
		add("vague")
	}
	for _, text := range ordered(v.texts) {
		add("t%q", text)
	}
	for _, name := range ordered(v.functions) {
		add("f%s", name)
	}
	var errors []string
	for one := range v.errors {
		errors = append(errors, fmt.Sprintf("e%d:%d:%s:%s:%v:%s:%v", one.node.number, one.site, one.kind, one.path, one.isVague, one.origin, one.covered))
	}
	sort.Strings(errors)
	parts = append(parts, errors...)
	for _, name := range ordered(v.members) {
		add("m%s=%s", name, v.members[name].key(depth+1))
	}
	if v.items != nil {
		add("i%s", v.items.key(depth+1))
	}
	if v.keys != nil {
		add("k%s", v.keys.key(depth+1))
	}
	var cells []string
	for cell := range v.cells {
		cells = append(cells, fmt.Sprintf("c%d.%s", cell.home.number, cell.name))
	}
	sort.Strings(cells)
	parts = append(parts, cells...)
	if v.dynamic != nil {
		add("d%s", v.dynamic)
	}
	if v.isNil {
		add("nil")
	}
	add("%d", v.truth)
	return "{" + strings.Join(parts, ",") + "}"
}

func ordered[T any](values map[string]T) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// child returns a path one step down. Steps that are not known are `?`.
func (v *Value) child(steps []string) *Value {
	found := &Value{paths: map[string]bool{}}
	if v == nil || len(v.paths) == 0 {
		if v == nil || !v.isNil {
			return &Value{isVague: true}
		}
		v = pathValue("")
	}
	found.isVague = v.isVague
	for path := range v.paths {
		for _, step := range steps {
			next := step
			if step != "[*]" {
				next = "." + step
			}
			found.paths[strings.TrimPrefix(path+next, ".")] = true
		}
	}
	return found
}
