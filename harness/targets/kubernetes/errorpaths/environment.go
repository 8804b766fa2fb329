package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Environment holds the variables of a function as they are at a statement. One that `isDead` is behind a return.
type Environment struct {
	values map[types.Object]*Value
	isDead bool
}

func (e *Environment) copied() *Environment {
	found := &Environment{make(map[types.Object]*Value, len(e.values)), e.isDead}
	for object, value := range e.values {
		found.values[object] = value
	}
	return found
}

// merge takes in what another branch left behind.
func (e *Environment) merge(other *Environment) {
	if other.isDead {
		return
	}
	if e.isDead {
		e.values, e.isDead = other.copied().values, false
		return
	}
	for object, value := range other.values {
		if known, ok := e.values[object]; ok {
			e.values[object] = join(known, value)
		} else {
			e.values[object] = value
		}
	}
}

func (e *Environment) equals(other *Environment) bool {
	if e.isDead != other.isDead || len(e.values) != len(other.values) {
		return false
	}
	for object, value := range e.values {
		known, ok := other.values[object]
		if !ok || value != known && value.key(0) != known.key(0) {
			return false
		}
	}
	return true
}

// sharedIn returns the variables of a function that a literal of it shares with it while they change, or that a pointer
// points to: at no statement is it known what they are.
func sharedIn(pkg *Package, body ast.Node) map[types.Object]bool {
	assigned := map[types.Object]int{}
	inLiteral := map[types.Object]bool{}
	used := map[types.Object]bool{}
	found := map[types.Object]bool{}
	var literals []*ast.FuncLit
	isOutside := func(object types.Object) bool {
		for _, one := range literals {
			if object.Pos() < one.Pos() || object.Pos() >= one.End() {
				return true
			}
		}
		return false
	}
	target := func(node ast.Expr) {
		for {
			switch one := node.(type) {
			case *ast.SelectorExpr:
				node = one.X
				continue
			case *ast.IndexExpr:
				node = one.X
				continue
			case *ast.ParenExpr:
				node = one.X
				continue
			}
			break
		}
		name, ok := node.(*ast.Ident)
		if !ok {
			return
		}
		object := pkg.info.Defs[name]
		if object == nil {
			object = pkg.info.Uses[name]
		}
		if object == nil {
			return
		}
		assigned[object]++
		if isOutside(object) {
			inLiteral[object] = true
		}
	}
	var stack []ast.Node
	ast.Inspect(body, func(node ast.Node) bool {
		if node == nil {
			if one, ok := stack[len(stack)-1].(*ast.FuncLit); ok && len(literals) > 0 && literals[len(literals)-1] == one {
				literals = literals[:len(literals)-1]
			}
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, node)
		switch node := node.(type) {
		case *ast.FuncLit:
			literals = append(literals, node)
		case *ast.AssignStmt:
			for _, one := range node.Lhs {
				target(one)
			}
		case *ast.IncDecStmt:
			target(node.X)
		case *ast.RangeStmt:
			if node.Key != nil && node.Tok == token.ASSIGN {
				target(node.Key)
			}
			if node.Value != nil && node.Tok == token.ASSIGN {
				target(node.Value)
			}
		case *ast.ValueSpec:
			for _, name := range node.Names {
				if object := pkg.info.Defs[name]; object != nil {
					assigned[object]++
				}
			}
		case *ast.UnaryExpr:
			if name, ok := unparen(node.X).(*ast.Ident); ok && node.Op == token.AND {
				if object, ok := pkg.info.Uses[name].(*types.Var); ok {
					found[object] = true
				}
			}
		case *ast.Ident:
			if object, ok := pkg.info.Uses[node].(*types.Var); ok && !object.IsField() && isOutside(object) {
				used[object] = true
			}
		}
		return true
	})
	for object := range inLiteral {
		found[object] = true
	}
	for object := range used {
		if assigned[object] > 1 {
			found[object] = true
		}
	}
	for object := range found {
		if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			delete(found, object) // of the package
		}
	}
	return found
}
