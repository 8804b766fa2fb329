package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
)

func (r *Reader) conversion(node *ast.CallExpr, kind types.Type, scope *Scope) Value {
	value := r.scalar(r.value(node.Args[0], scope))
	from := r.frame().pkg.info.TypeOf(node.Args[0])
	switch value := value.(type) {
	case Text:
		if basic, ok := kind.Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			return value
		}
		if _, ok := kind.(*types.TypeParam); ok {
			return value
		}
	case Number:
		to, ok := kind.Underlying().(*types.Basic)
		if ok && to.Info()&types.IsFloat != 0 {
			return Floating{value.node, 1, false}
		}
		if ok && from != nil {
			if basic, known := from.Underlying().(*types.Basic); known && holds(to, basic) {
				return value
			}
		}
	case Floating:
		if value.isUp {
			return Number{r.node("quotient", fmt.Sprint(value.divisor), value.node)}
		}
	case Errors, Bool, Nil, FieldPath:
		return value
	}
	return Opaque{r.position(node) + ": a conversion"}
}

// holds tells whether a type of integers has all values of another one.
func holds(to, from *types.Basic) bool {
	size := map[types.BasicKind]int{
		types.Int8: 8, types.Int16: 16, types.Int32: 32, types.Int: 64, types.Int64: 64, types.UntypedInt: 1,
	}
	return size[to.Kind()] > 0 && size[from.Kind()] > 0 && size[to.Kind()] >= size[from.Kind()]
}

func (r *Reader) builtin(node *ast.CallExpr, name string, scope *Scope) Value {
	var values []Value
	if name == "len" || name == "append" {
		for _, one := range node.Args {
			values = append(values, r.value(one, scope))
		}
	}
	switch name {
	case "len":
		return r.length(values[0], r.position(node))
	case "append":
		return r.appended(node, values)
	case "make":
		return r.zero(r.frame().pkg.info.TypeOf(node))
	}
	if name == "panic" {
		r.live = r.no()
	}
	return Opaque{r.position(node) + ": " + name}
}

func (r *Reader) length(value Value, at string) Value {
	several := func(some *Formula) Value {
		return Number{r.choose(some, r.node("number?", many+strconv.Itoa(r.steps)), r.number("0"))}
	}
	switch value := r.scalar(value).(type) {
	case Text:
		if value.node.op == "text" {
			return Number{r.number(strconv.Itoa(len(value.node.name)))}
		}
		if value.node.op == "text?" {
			return Number{r.node("number?", "bytes:"+value.node.name)}
		}
	case Place:
		switch value.kind.Underlying().(type) {
		case *types.Slice, *types.Map:
			return Number{r.node("number?", "len:"+value.path)}
		}
	case Choices:
		return Number{r.number(strconv.Itoa(len(value.values)))}
	case Errors:
		return several(r.some(value))
	case Messages:
		return several(value.some)
	case Applied:
		return several(r.variable("some:" + value.name))
	case Nil, Zero:
		return Number{r.number("0")}
	}
	return Opaque{at + ": a length"}
}

func (r *Reader) appended(node *ast.CallExpr, values []Value) Value {
	kind := r.frame().pkg.info.TypeOf(node)
	if kind != nil && isErrors(kind) {
		var found []Reported
		for _, value := range values {
			switch value := value.(type) {
			case Errors:
				found = append(found, value.items...)
			case Nil, Zero:
			default:
				found = append(found, r.anyError(r.position(node)+": errors that are not read", nil, nil).items...)
			}
		}
		r.grow(len(found))
		return Errors{found}
	}
	switch first := values[0].(type) {
	case Messages:
		some := first.some
		for _, value := range values[1:] {
			more, ok := value.(Messages)
			switch {
			case !node.Ellipsis.IsValid():
				some = r.yes()
			case ok:
				some = r.or(some, more.some)
			default:
				some = r.or(some, r.unknown(r.position(node)+": messages"))
			}
		}
		return Messages{some}
	}
	return Opaque{r.position(node) + ": a list that grows"}
}
