package main

import (
	"go/types"
)

// merge returns the one value where a condition holds, and the other elsewhere.
func (r *Reader) merge(when *Formula, one, other Value, at string) Value {
	if when == r.yes() {
		return one
	}
	if when == r.no() {
		return other
	}
	one, other = r.scalar(one), r.scalar(other)
	if _, isNil := one.(Nil); isNil {
		if _, ok := other.(Errors); ok {
			one = Errors{}
		}
	}
	if _, isNil := other.(Nil); isNil {
		switch one.(type) {
		case Errors:
			other = Errors{}
		case Messages:
			other = Messages{r.no()}
		}
	}
	switch one := one.(type) {
	case Errors:
		if other, ok := other.(Errors); ok {
			return r.mergeErrors(when, one, other)
		}
	case Number:
		if other, ok := other.(Number); ok {
			return Number{r.choose(when, one.node, other.node)}
		}
	case Text:
		if other, ok := other.(Text); ok {
			return Text{r.choose(when, one.node, other.node)}
		}
	case Bool:
		if other, ok := other.(Bool); ok {
			return Bool{r.or(r.and(when, one.node), r.and(r.not(when), other.node))}
		}
	case Messages:
		if other, ok := other.(Messages); ok {
			return Messages{r.or(r.and(when, one.some), r.and(r.not(when), other.some))}
		}
	case FieldPath:
		if other, ok := other.(FieldPath); ok && one.steps == other.steps {
			return one
		}
	}
	for _, value := range []Value{one, other} {
		if _, ok := value.(Errors); ok {
			return r.anyError(at, nil, nil)
		}
	}
	return Opaque{at + ": one of two values"}
}

// mergeErrors keeps what both lists begin with, and conditions the rest.
func (r *Reader) mergeErrors(when *Formula, one, other Errors) Value {
	same := 0
	r.grow(len(one.items) + len(other.items))
	for same < len(one.items) && same < len(other.items) && equalReported(one.items[same], other.items[same]) {
		same++
	}
	found := append([]Reported{}, one.items[:same]...)
	for _, item := range one.items[same:] {
		found = r.addReported(found, item, when)
	}
	for _, item := range other.items[same:] {
		found = r.addReported(found, item, r.not(when))
	}
	return Errors{found}
}

func startsWith(list, old Errors) bool {
	if len(list.items) < len(old.items) {
		return false
	}
	for number, item := range old.items {
		if !equalReported(item, list.items[number]) {
			return false
		}
	}
	return true
}

func (r *Reader) addReported(all []Reported, one Reported, when *Formula) []Reported {
	one.when = r.and(one.when, when)
	if one.when == r.no() {
		return all
	}
	return append(all, one)
}

func equalReported(one, other Reported) bool {
	return one.when == other.when && one.path.steps == other.path.steps && one.kind == other.kind &&
		one.origin == other.origin && one.covered == other.covered && one.level == other.level &&
		one.unread == other.unread && one.ghost == other.ghost
}

func (r *Reader) zero(kind types.Type) Value {
	if isErrors(kind) {
		return Errors{}
	}
	switch under := kind.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature, *types.Map:
		if _, isParameter := kind.(*types.TypeParam); isParameter {
			return Zero{}
		}
		return Nil{}
	case *types.Slice:
		if basic, ok := under.Elem().Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
			return Messages{r.no()}
		}
		return Nil{}
	case *types.Basic:
		switch {
		case under.Info()&types.IsBoolean != 0:
			return Bool{r.no()}
		case under.Info()&types.IsInteger != 0:
			return Number{r.number("0")}
		case under.Info()&types.IsString != 0:
			return Text{r.text("")}
		}
	}
	return Zero{}
}

// forgotten returns what is known of a value that something else may change.
func (r *Reader) forgotten(value Value, why string) Value {
	if _, ok := value.(Errors); ok {
		return r.anyError(why, nil, nil)
	}
	return Opaque{why}
}

// kept returns the value of a local variable. A set can be changed wherever it is known, and so is not kept.
func kept(value Value) Value {
	if choices, ok := value.(Choices); ok && choices.isSet {
		return Opaque{"a set of a function"}
	}
	return value
}
