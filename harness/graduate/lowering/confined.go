package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
)

// effect runs a statement that is a call.
func (r *Reader) effect(node *ast.ExprStmt, scope *Scope) {
	call, ok := node.X.(*ast.CallExpr)
	if !ok {
		r.fail(node, "an expression as a statement")
	}
	chosen, isMethod := call.Fun.(*ast.SelectorExpr)
	for _, one := range append([]ast.Expr{call.Fun}, call.Args...) {
		if isMethod && one == call.Fun {
			one = chosen.X
		}
		name, ok := unparen(one).(*ast.Ident)
		if !ok {
			continue
		}
		known := scope.find(r.frame().pkg.info.Uses[name])
		if known == nil || known.opaque {
			continue
		}
		switch known.value.(type) {
		case Errors, Choices:
			r.fail(node, "a call may change "+name.Name)
		case Fields, Messages, Nil, Zero:
			known.value = Opaque{r.position(node) + ": a call may change it"}
		}
	}
	r.value(node.X, scope)
}

// isConfined tells whether a function reports errors at the paths that it is given, and below them, alone.
func (r *Reader) isConfined(object *types.Func) bool {
	name := object.FullName()
	if known, ok := r.reaches[name]; ok {
		return known
	}
	declared := r.sources.functions[name]
	if declared == nil {
		r.reaches[name] = false
		return false
	}
	r.reaches[name] = true // of functions that call themselves
	found := true
	info := declared.pkg.info
	ast.Inspect(declared.function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			if used := info.Uses[node.Sel]; used != nil && used.Pkg() != nil && used.Pkg().Path() == fieldPackage {
				found = found && used.Name() != "NewPath" && used.Name() != "ToPath" && used.Name() != "Root"
			}
		case *ast.CompositeLit:
			if kind := info.TypeOf(node); kind != nil && isErrors(kind) {
				_, isList := kind.Underlying().(*types.Slice)
				found = found && isList
			}
		case *ast.CallExpr:
			found = found && r.isConfinedCall(info, node)
		}
		return found
	})
	r.reaches[name] = found
	return found
}

func (r *Reader) isConfinedCall(info *types.Info, node *ast.CallExpr) bool {
	kind := info.TypeOf(node)
	if kind == nil || !returnsErrors(kind) {
		return true
	}
	var used types.Object
	switch called := unparen(node.Fun).(type) {
	case *ast.Ident:
		used = info.Uses[called]
	case *ast.SelectorExpr:
		used = info.Uses[called.Sel]
	}
	switch used := used.(type) {
	case *types.Builtin, *types.TypeName:
		return true
	case *types.Func:
		return used.Pkg() != nil && used.Pkg().Path() == fieldPackage || r.isConfined(used.Origin())
	}
	return false
}

func returnsErrors(kind types.Type) bool {
	all, ok := kind.(*types.Tuple)
	if !ok {
		return isErrors(kind)
	}
	for number := 0; number < all.Len(); number++ {
		if isErrors(all.At(number).Type()) {
			return true
		}
	}
	return false
}

func shortName(file string) string {
	for _, mark := range []string{"/k8s.io/kubernetes@", "/k8s.io/"} {
		if _, rest, ok := strings.Cut(file, mark); ok {
			if mark == "/k8s.io/kubernetes@" {
				_, rest, _ = strings.Cut(rest, "/")
			}
			return rest
		}
	}
	return filepath.Base(file)
}
