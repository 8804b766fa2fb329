package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

const setsPackage = "k8s.io/apimachinery/pkg/util/sets"

// pure are libraries whose functions return the same for the same arguments, and change nothing.
var pure = map[string]bool{
	"strings": true, "net": true, "net/netip": true, "net/url": true, "path": true, "strconv": true, "net/mail": true,
	"github.com/google/uuid": true, "k8s.io/utils/net": true, "unicode": true,
}

// anyError returns errors that were not read: at these paths and below them, or anywhere.
func (r *Reader) anyError(why string, paths []FieldPath, object *types.Func) Errors {
	if paths == nil || object == nil || !r.isConfined(object) {
		paths = []FieldPath{{open: true}}
	}
	var found []Reported
	for _, path := range paths {
		path.open = true
		found = append(found, Reported{when: r.and(r.live, r.unknown(why)), path: path, unread: why})
	}
	return Errors{found}
}

// some tells whether a list has an error. Errors of items that are not named here are about some item: not known.
func (r *Reader) some(list Errors) *Formula {
	var any []*Formula
	unread := ""
	for _, one := range list.items {
		any = append(any, one.when)
		if one.ghost {
			unread = "of other items"
		} else if one.unread != "" {
			unread = one.unread
		} else if !r.isCurrent(one.when) {
			unread = "about items of a list, at " + one.path.steps
		}
	}
	if unread == "" {
		return r.or(any...)
	}
	found := r.unknown("whether there are errors " + unread)
	for _, one := range any {
		r.facts = append(r.facts, [2]int{found.id, r.or(r.not(one), found).id})
	}
	return found
}

func (r *Reader) isCurrent(when *Formula) bool {
	for item := range when.free {
		if !r.loops[item] {
			return false
		}
	}
	return true
}

func (r *Reader) called(node *ast.CallExpr, scope *Scope) Value {
	info := r.frame().pkg.info
	if kind, ok := info.Types[node.Fun]; ok && kind.IsType() {
		return r.conversion(node, kind.Type, scope)
	}
	if name, ok := unparen(node.Fun).(*ast.Ident); ok {
		if _, isBuiltin := info.Uses[name].(*types.Builtin); isBuiltin {
			return r.builtin(node, name.Name, scope)
		}
	}
	function := r.value(node.Fun, scope)
	var arguments []Value
	for _, one := range node.Args {
		arguments = append(arguments, r.value(one, scope))
	}
	result := info.TypeOf(node)
	switch function := function.(type) {
	case Closure:
		signature, _ := function.pkg.info.TypeOf(function.literal).(*types.Signature)
		if signature == nil {
			return r.unread(node, result, "a function literal", arguments, nil)
		}
		return r.run(function.pkg, function.literal.Type, function.literal.Body, function.scope, nil, nil, arguments, node.Ellipsis.IsValid())
	case Function:
		return r.callFunction(node, function, arguments, result)
	}
	return r.unread(node, result, "a call of something that is not read", arguments, nil)
}

// unread returns what a call may return that is not read.
func (r *Reader) unread(node ast.Node, result types.Type, why string, arguments []Value, object *types.Func) Value {
	why = r.position(node) + ": " + why
	var paths []FieldPath
	for _, one := range arguments {
		if path, ok := one.(FieldPath); ok {
			paths = append(paths, path)
		}
	}
	if result == nil {
		return Opaque{why}
	}
	if isErrors(result) {
		return r.anyError(why, paths, object)
	}
	if all, ok := result.(*types.Tuple); ok {
		values := make([]Value, all.Len())
		for number := range values {
			values[number] = Opaque{why}
			if isErrors(all.At(number).Type()) {
				values[number] = r.anyError(why, paths, object)
			}
		}
		return Tuple{values}
	}
	return Opaque{why}
}

func (r *Reader) callFunction(node *ast.CallExpr, function Function, arguments []Value, result types.Type) Value {
	object := function.object.Origin()
	pkg := ""
	if object.Pkg() != nil {
		pkg = object.Pkg().Path()
	}
	if pkg == fieldPackage {
		return r.field(node, function, arguments, result)
	}
	if known := r.library(pkg, function, arguments, result); known != nil {
		return known
	}
	declared := r.sources.functions[object.FullName()]
	name := object.FullName()
	isCopy := strings.HasPrefix(object.Name(), "DeepCopy")
	if declared == nil || isCopy || len(r.frames) > mostDepth || r.active[name] > 3 {
		return r.unread(node, result, object.Name(), arguments, object)
	}
	return r.guarded(node, name, result, arguments, object, func() Value {
		return r.run(
			declared.pkg, declared.function.Type, declared.function.Body, nil, declared.function.Recv, function.receiver,
			arguments, node.Ellipsis.IsValid(),
		)
	})
}

// guarded runs a function; where it cannot be read, its result is not known.
func (r *Reader) guarded(
	node *ast.CallExpr, name string, result types.Type, arguments []Value, object *types.Func, run func() Value,
) (value Value) {
	live, branch, frames := r.live, r.branch, len(r.frames)
	r.active[name]++
	defer func() {
		r.active[name]--
		if problem := recover(); problem != nil {
			unread, ok := problem.(Unread)
			if !ok || unread.isFatal || r.steps > mostSteps {
				panic(problem)
			}
			r.live, r.branch, r.frames = live, branch, r.frames[:frames]
			value = r.unread(node, result, object.Name()+" ("+unread.why+")", arguments, object)
		}
	}()
	return run()
}

// run runs the body of a function and returns what it returns.
func (r *Reader) run(
	pkg *Package, kind *ast.FuncType, body *ast.BlockStmt, outer *Scope, receivers *ast.FieldList, receiver Value,
	arguments []Value, isSpread bool,
) Value {
	live := r.live
	frame := &Frame{pkg: pkg}
	r.frames = append(r.frames, frame)
	r.noteAddressed(pkg, body)
	scope := newScope(outer)
	if receivers != nil && len(receivers.List) == 1 && len(receivers.List[0].Names) == 1 {
		if object := pkg.info.Defs[receivers.List[0].Names[0]]; object != nil {
			r.declare(object, receiver, scope)
		}
	}
	r.bind(kind, arguments, isSpread, scope)
	if kind.Results != nil {
		for _, one := range kind.Results.List {
			for _, name := range one.Names {
				if object := pkg.info.Defs[name]; object != nil {
					r.declare(object, r.zero(object.Type()), scope)
					frame.results = append(frame.results, scope.names[object])
				}
			}
		}
	}
	r.block(body.List, scope)
	r.frames = r.frames[:len(r.frames)-1]
	r.live = live
	if len(frame.ended) == 0 {
		return Tuple{}
	}
	for _, one := range frame.ended {
		r.typeNils(pkg, kind, one.value.(Tuple).values)
	}
	last := frame.ended[len(frame.ended)-1].value.(Tuple)
	values := append([]Value{}, last.values...)
	for number := len(frame.ended) - 2; number >= 0; number-- {
		one := frame.ended[number]
		for index, value := range one.value.(Tuple).values {
			if index < len(values) {
				values[index] = r.merge(one.when, value, values[index], r.position(body))
			}
		}
	}
	if len(values) == 1 {
		return values[0]
	}
	return Tuple{values}
}

func (r *Reader) typeNils(pkg *Package, kind *ast.FuncType, values []Value) {
	number := 0
	if kind.Results == nil {
		return
	}
	for _, one := range kind.Results.List {
		for index := 0; index < max(len(one.Names), 1); index++ {
			if number < len(values) {
				if _, isNil := values[number].(Nil); isNil {
					values[number] = r.typedNil(pkg.info.TypeOf(one.Type), values[number])
				}
			}
			number++
		}
	}
}

func (r *Reader) bind(kind *ast.FuncType, arguments []Value, isSpread bool, scope *Scope) {
	pkg := r.frame().pkg
	number := 0
	for _, one := range kind.Params.List {
		count := max(len(one.Names), 1)
		for index := 0; index < count; index++ {
			var value Value = Opaque{"an argument"}
			if _, isVariadic := one.Type.(*ast.Ellipsis); isVariadic && !isSpread {
				value = Choices{values: append([]Value{}, arguments[min(number, len(arguments)):]...)}
			} else if number < len(arguments) {
				value = arguments[number]
			}
			number++
			if index < len(one.Names) {
				object := pkg.info.Defs[one.Names[index]]
				if object == nil {
					continue
				}
				if _, isNil := value.(Nil); isNil {
					value = r.typedNil(object.Type(), value)
				}
				r.declare(object, value, scope)
			}
		}
	}
}

func (r *Reader) typedNil(kind types.Type, value Value) Value {
	if isErrors(kind) {
		return Errors{}
	}
	if pointer, ok := kind.(*types.Pointer); ok && strings.HasSuffix(pointer.Elem().String(), "field.Path") {
		return FieldPath{}
	}
	return value
}

func (r *Reader) noteAddressed(pkg *Package, body *ast.BlockStmt) {
	ast.Inspect(body, func(node ast.Node) bool {
		if one, ok := node.(*ast.UnaryExpr); ok && one.Op == token.AND {
			if name, ok := unparen(one.X).(*ast.Ident); ok {
				if object := pkg.info.Uses[name]; object != nil {
					r.addressed[object] = true
				}
			}
		}
		return true
	})
}

const many = "?many"
