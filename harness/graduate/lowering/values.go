package main

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// Value is what an expression may be: one of the types below. What is none of them is Opaque.
type Value interface{}

type (
	// Const is a constant.
	Const struct{ value constant.Value }
	// Nil is nil, and Zero the zero value of a type that is not looked at.
	Nil  struct{}
	Zero struct{}
	// Place is what stands at a place of the object that is validated; PointerTo is a pointer to it.
	Place struct {
		path string
		kind types.Type
	}
	PointerTo struct{ place Place }
	// Number, Text and Bool are scalars that may depend on the object.
	Number struct{ node *Formula }
	Text   struct{ node *Formula }
	Bool   struct{ node *Formula }
	// Floating is a quotient of a length, as far as limits use it.
	Floating struct {
		node    *Formula
		divisor int64
		isUp    bool
	}
	// Applied is what a known function of libraries returns for known arguments.
	Applied struct{ name string }
	// Messages is a list of texts, of which only is known whether it is empty.
	Messages struct{ some *Formula }
	// Choices is a set or a list of constants, or a list of values.
	Choices struct {
		values []Value
		isSet  bool
	}
	// Fields is a struct that the code makes.
	Fields struct{ values map[string]Value }
	// Pattern is a compiled regular expression.
	Pattern struct{ text string }
	// FieldPath is a path of an error. `items` are the places whose items it names.
	FieldPath struct {
		steps string
		items map[string]bool
		open  bool // what comes below is not known
		vague bool // which item it names is not known
	}
	// Index is the index of a loop over a place, LoopKey its key.
	Index   struct{ place string }
	Errors  struct{ items []Reported }
	Closure struct {
		literal *ast.FuncLit
		scope   *Scope
		pkg     *Package
	}
	Function struct {
		object   *types.Func
		receiver Value
	}
	Tuple  struct{ values []Value }
	Opaque struct{ why string }
	// LocalPointer points to a variable of a function, which is Opaque from the start.
	LocalPointer struct{}
)

// Reported is an error that may be reported, under a condition. Without a type it may be any error at `path` or below
// it, or anywhere: what was not read.
type Reported struct {
	when    *Formula
	path    FieldPath
	kind    string
	origin  string
	covered bool
	level   string
	unread  string
	at      string // the file and line that make it
	ghost   bool   // it is no error: whether the list is empty is not known
}

// Scope holds variables.
type Scope struct {
	parent *Scope
	names  map[types.Object]*Variable
}

// Variable is a variable. `when` is the branch in which it was declared.
type Variable struct {
	value  Value
	when   *Formula
	opaque bool // its address is taken
}

func (s *Scope) find(object types.Object) *Variable {
	for one := s; one != nil; one = one.parent {
		if known := one.names[object]; known != nil {
			return known
		}
	}
	return nil
}

func newScope(parent *Scope) *Scope { return &Scope{parent, map[types.Object]*Variable{}} }

// child returns a path one step down.
func (p FieldPath) child(step string, item string) FieldPath {
	if p.open {
		return p
	}
	found := FieldPath{p.steps + step, p.items, false, p.vague}
	if p.steps == "" && len(step) > 0 && step[0] == '.' {
		found.steps = step[1:]
	}
	if item != "" {
		found.items = map[string]bool{item: true}
		for known := range p.items {
			found.items[known] = true
		}
	}
	return found
}
