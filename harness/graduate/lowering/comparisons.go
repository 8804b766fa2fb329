package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

func (r *Reader) plus(value Value, step int64) Value {
	number, ok := r.scalar(value).(Number)
	if !ok {
		return Opaque{"a count that is not read"}
	}
	return Number{r.count(number.node, step)}
}

// count adds to constants, and to choices between them; what overflows has no place in it.
func (r *Reader) count(node *Formula, step int64) *Formula {
	r.grow(1)
	switch node.op {
	case "number":
		var known int64
		if _, err := fmt.Sscan(node.name, &known); err == nil && known < 1<<31 && known > -1<<31 {
			return r.number(fmt.Sprint(known + step))
		}
	case "choose":
		return r.choose(node.args[0], r.count(node.args[1], step), r.count(node.args[2], step))
	}
	return r.node("number?", fmt.Sprintf("?count%d", r.steps))
}

func (r *Reader) compound(node *ast.AssignStmt, scope *Scope) Value {
	step, ok := r.value(node.Rhs[0], scope).(Number)
	var known int64
	if ok && step.node.op == "number" && (node.Tok == token.ADD_ASSIGN || node.Tok == token.SUB_ASSIGN) {
		if _, err := fmt.Sscan(step.node.name, &known); err == nil {
			if node.Tok == token.SUB_ASSIGN {
				known = -known
			}
			return r.plus(r.value(node.Lhs[0], scope), known)
		}
	}
	return Opaque{r.position(node) + ": " + node.Tok.String()}
}

func (r *Reader) less(one, other Value, at string) *Formula {
	first, ok := r.scalar(r.zeroAs(one, other)).(Number)
	second, known := r.scalar(r.zeroAs(other, one)).(Number)
	if !ok || !known {
		return r.unknown(at + ": a comparison")
	}
	return r.compare("less", first.node, second.node)
}

// zeroAs returns a zero value as one of the sort of the other value.
func (r *Reader) zeroAs(value, other Value) Value {
	if _, ok := value.(Zero); !ok {
		return value
	}
	switch r.scalar(other).(type) {
	case Number:
		return Number{r.number("0")}
	case Text:
		return Text{r.text("")}
	case Bool:
		return Bool{r.no()}
	case PointerTo:
		return Nil{}
	case Place:
		if _, ok := other.(Place).kind.Underlying().(*types.Pointer); ok {
			return Nil{}
		}
	}
	return value
}

func (r *Reader) compare(op string, one, other *Formula) *Formula {
	r.grow(1)
	if one == other {
		if op == "less" {
			return r.no()
		}
		return r.yes()
	}
	if isConstant(one) && isConstant(other) {
		if op == "same" {
			return r.no() // equal ones are one node
		}
		first, second := constant.MakeFromLiteral(one.name, token.INT, 0), constant.MakeFromLiteral(other.name, token.INT, 0)
		if strings.HasPrefix(one.name, "-") || strings.HasPrefix(other.name, "-") {
			first, second = signed(one.name), signed(other.name)
		}
		if constant.Compare(first, token.LSS, second) {
			return r.yes()
		}
		return r.no()
	}
	for number, side := range []*Formula{one, other} {
		if side.op == "choose" && (isConstant(side.args[1]) || isConstant(side.args[2])) {
			first, second := side.args[1], side.args[2]
			when := side.args[0]
			if number == 0 {
				return r.or(r.and(when, r.compare(op, first, other)), r.and(r.not(when), r.compare(op, second, other)))
			}
			return r.or(r.and(when, r.compare(op, one, first)), r.and(r.not(when), r.compare(op, one, second)))
		}
	}
	if op == "same" && one.id > other.id {
		one, other = other, one
	}
	return r.node(op, "", one, other)
}

func signed(text string) constant.Value {
	value := constant.MakeFromLiteral(strings.TrimPrefix(text, "-"), token.INT, 0)
	if strings.HasPrefix(text, "-") {
		return constant.UnaryOp(token.SUB, value, 0)
	}
	return value
}

func isConstant(node *Formula) bool { return node.op == "number" || node.op == "text" }

func (r *Reader) equal(one, other Value, at string) *Formula {
	one, other = r.zeroAs(one, other), r.zeroAs(other, one)
	one, other = r.scalar(one), r.scalar(other)
	if _, ok := one.(Nil); ok {
		one, other = other, one
	}
	if _, ok := other.(Nil); ok {
		return r.isNil(one, at)
	}
	switch one := one.(type) {
	case Number:
		if other, ok := other.(Number); ok {
			return r.compare("same", one.node, other.node)
		}
	case Text:
		if other, ok := other.(Text); ok {
			return r.compare("same", one.node, other.node)
		}
	case Bool:
		if other, ok := other.(Bool); ok {
			return r.or(r.and(one.node, other.node), r.and(r.not(one.node), r.not(other.node)))
		}
	}
	return r.unknown(at + ": a comparison")
}

func (r *Reader) isNil(value Value, at string) *Formula {
	switch value := value.(type) {
	case Nil:
		return r.yes()
	case PointerTo, LocalPointer, Function, Closure, FieldPath, Fields, Pattern:
		if path, ok := value.(FieldPath); ok && path.steps == "" {
			return r.unknown(at + ": the root of paths")
		}
		return r.no()
	case Errors:
		return r.not(r.some(value))
	case Messages:
		return r.not(value.some)
	case Applied:
		return r.not(r.variable("some:" + value.name))
	case Place:
		switch value.kind.Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map:
			return r.variable("nil:" + value.path)
		}
	}
	return r.unknown(at + ": a comparison with nil")
}
