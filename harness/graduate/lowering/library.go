package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// field knows the package of errors: its constructors, paths and marks.
func (r *Reader) field(node *ast.CallExpr, function Function, arguments []Value, result types.Type) Value {
	name := function.object.Name()
	if kind := constructors[name]; kind != "" && function.receiver == nil {
		path, ok := arguments[0].(FieldPath)
		if _, isNil := arguments[0].(Nil); isNil {
			path, ok = FieldPath{}, true
		}
		if !ok {
			found := r.anyError(r.position(node)+": an error at a path that is not read", nil, nil)
			found.items[0].kind = kind
			return found
		}
		at := r.sources.fset.Position(node.Pos())
		return Errors{[]Reported{{when: r.live, path: path, kind: kind, at: fmt.Sprintf("%s:%d", at.Filename, at.Line)}}}
	}
	if name == "NewPath" {
		return r.children(FieldPath{}, arguments)
	}
	switch receiver := function.receiver.(type) {
	case FieldPath, Nil:
		path, _ := receiver.(FieldPath)
		return r.below(path, name, arguments)
	case Errors:
		return r.marked(node, receiver, name, arguments)
	}
	return r.unread(node, result, name, nil, nil)
}

// below returns what a method of a path returns.
func (r *Reader) below(path FieldPath, name string, arguments []Value) Value {
	switch name {
	case "Child":
		return r.children(path, arguments)
	case "Index":
		if index, ok := arguments[0].(Index); ok {
			return path.child("[*]", index.place+"[*]")
		}
		return path.vagueItem()
	case "Key":
		if text, ok := r.scalar(arguments[0]).(Text); ok && strings.HasSuffix(text.node.name, "{*}#key") {
			return path.child("[*]", strings.TrimSuffix(strings.TrimPrefix(text.node.name, "text:"), "#key"))
		}
		return path.vagueItem()
	case "String":
		return Opaque{"a path as text"}
	}
	return FieldPath{open: true}
}

func (p FieldPath) vagueItem() FieldPath {
	p = p.child("[*]", "")
	p.vague = true
	return p
}

func (r *Reader) children(path FieldPath, arguments []Value) Value {
	for _, one := range arguments {
		text, ok := one.(Text)
		if !ok || text.node.op != "text" {
			path.open = true
			return path
		}
		path = path.child("."+text.node.name, "")
	}
	return path
}

func (r *Reader) marked(node *ast.CallExpr, list Errors, name string, arguments []Value) Value {
	found := append([]Reported{}, list.items...)
	for number := range found {
		one := &found[number]
		switch name {
		case "WithOrigin":
			text, ok := arguments[0].(Text)
			if !ok || text.node.op != "text" {
				return r.anyError(r.position(node)+": an origin that is not read", nil, nil)
			}
			one.origin = text.node.name
		case "MarkCoveredByDeclarative":
			one.covered = true
		case "MarkAlpha":
			one.level = "alpha"
		case "MarkBeta":
			one.level = "beta"
		case "MarkShortCircuit", "MarkShortCircuitedInDV", "PrefixDetail":
		default:
			return r.anyError(r.position(node)+": "+name, nil, nil)
		}
	}
	return Errors{found}
}

// library knows functions that are not read; nil of those that it does not know.
func (r *Reader) library(pkg string, function Function, arguments []Value, result types.Type) Value {
	name := function.object.Name()
	switch {
	case pkg == setsPackage && function.receiver == nil && (name == "New" || name == "NewString"):
		values := arguments
		if len(arguments) == 1 {
			if all, ok := arguments[0].(Choices); ok {
				values = all.values
			}
		}
		return Choices{values, true}
	case pkg == setsPackage && name == "Has":
		if choices, ok := function.receiver.(Choices); ok {
			return r.contains(choices, arguments[0])
		}
	case pkg == "slices" && name == "Contains":
		if choices, ok := arguments[0].(Choices); ok {
			return r.contains(choices, arguments[1])
		}
		if _, ok := arguments[0].(Nil); ok {
			return Bool{r.no()}
		}
	case pkg == "regexp" && name == "MustCompile":
		if text, ok := arguments[0].(Text); ok && text.node.op == "text" {
			return Pattern{text.node.name}
		}
	case pkg == "regexp" && name == "MatchString":
		pattern, ok := function.receiver.(Pattern)
		if text, known := r.scalar(arguments[0]).(Text); ok && known && text.node.op == "text?" {
			return Bool{r.variable("match:" + strconv.Quote(pattern.text) + "(" + text.node.name + ")")}
		}
	case pkg == "unicode/utf8" && name == "RuneCountInString":
		if text, ok := r.scalar(arguments[0]).(Text); ok && text.node.op == "text?" {
			return Number{r.node("number?", "runes:"+text.node.name)}
		}
	case pkg == "math" && name == "Ceil":
		if value, ok := arguments[0].(Floating); ok {
			return Floating{value.node, value.divisor, true}
		}
	case pure[pkg] && function.receiver == nil:
		return r.applied(pkg+"."+name, arguments, result)
	}
	return nil
}

func (r *Reader) contains(choices Choices, value Value) Value {
	var any []*Formula
	for _, one := range choices.values {
		any = append(any, r.equal(one, value, "a set"))
	}
	return Bool{r.or(any...)}
}

func (r *Reader) applied(name string, arguments []Value, result types.Type) Value {
	var words []string
	for _, one := range arguments {
		switch one := r.scalar(one).(type) {
		case Text:
			if one.node.op == "text" {
				words = append(words, strconv.Quote(one.node.name))
			} else if one.node.op == "text?" {
				words = append(words, one.node.name)
			} else {
				return nil
			}
		case Number:
			if one.node.op != "number" && one.node.op != "number?" {
				return nil
			}
			words = append(words, one.node.name)
		default:
			return nil
		}
	}
	name += "(" + strings.Join(words, ",") + ")"
	switch under := result.Underlying().(type) {
	case *types.Basic:
		switch {
		case under.Info()&types.IsBoolean != 0:
			return Bool{r.variable("true:" + name)}
		case under.Info()&types.IsString != 0:
			return Text{r.node("text?", "text:"+name)}
		case under.Info()&types.IsInteger != 0:
			return Number{r.node("number?", "value:"+name)}
		}
	case *types.Interface, *types.Pointer:
		return Applied{name}
	}
	return nil
}
