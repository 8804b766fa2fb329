package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// value reads an expression; of a call with several results the first.
func (w *Walk) value(node ast.Expr) *Value {
	if values := w.values(node); len(values) > 0 {
		return values[0]
	}
	return nil
}

func (w *Walk) values(node ast.Expr) []*Value {
	if known, ok := w.pkg.info.Types[node]; ok && known.Value != nil {
		switch known.Value.Kind() {
		case constant.String:
			return []*Value{textValue(constant.StringVal(known.Value))}
		case constant.Bool:
			return []*Value{truthValue(constant.BoolVal(known.Value))}
		}
		return nil
	}
	switch node := node.(type) {
	case *ast.ParenExpr:
		return w.values(node.X)
	case *ast.Ident:
		return []*Value{w.identifier(node)}
	case *ast.SelectorExpr:
		return []*Value{w.member(node)}
	case *ast.CallExpr:
		return w.called(node)
	case *ast.IndexExpr:
		if object := functionOf(w.pkg, node); object != nil { // with arguments for its types
			return w.values(node.X)
		}
		over := w.value(node.X)
		w.value(node.Index)
		if over == nil {
			return []*Value{nil, nil}
		}
		found := over.items
		if found != nil && found.truth != unknown { // what a map does not have is false
			found = join(found, truthValue(false))
		}
		return []*Value{found, nil}
	case *ast.IndexListExpr:
		return w.values(node.X)
	case *ast.SliceExpr:
		return w.values(node.X)
	case *ast.StarExpr:
		pointer := w.value(node.X)
		if pointer == nil || len(pointer.cells) == 0 {
			return []*Value{pointer}
		}
		return []*Value{w.pointedAt(pointer)}
	case *ast.UnaryExpr:
		return []*Value{w.unary(node)}
	case *ast.BinaryExpr:
		return []*Value{w.binary(node)}
	case *ast.TypeAssertExpr:
		return []*Value{w.value(node.X), nil}
	case *ast.CompositeLit:
		return []*Value{w.composite(node)}
	case *ast.FuncLit:
		return []*Value{w.literal(node)}
	case *ast.KeyValueExpr:
		return w.values(node.Value)
	}
	return nil
}

func (w *Walk) identifier(node *ast.Ident) *Value {
	switch object := w.pkg.info.Uses[node].(type) {
	case *types.Nil:
		return nilValue
	case *types.Func:
		return functionValue(&Function{object: object})
	case *types.Var:
		if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
			return w.global(object)
		}
		return w.get(object)
	}
	return nil
}

func functionValue(function *Function) *Value {
	return &Value{functions: map[string]*Function{function.key(): function}}
}

func (w *Walk) member(node *ast.SelectorExpr) *Value {
	selection := w.pkg.info.Selections[node]
	if selection == nil { // of another package
		switch object := w.pkg.info.Uses[node.Sel].(type) {
		case *types.Func:
			return functionValue(&Function{object: object})
		case *types.Var:
			return w.global(object)
		}
		return nil
	}
	of := w.value(node.X)
	if of != nil && len(of.cells) > 0 && selection.Kind() == types.FieldVal {
		of = w.pointedAt(of)
	}
	switch object := selection.Obj().(type) {
	case *types.Func:
		return functionValue(&Function{object: object, receiver: of})
	case *types.Var:
		if of == nil || of.members == nil {
			if isPath(object.Type()) {
				return &Value{isVague: true}
			}
			return nil
		}
		return of.members[object.Name()]
	}
	return nil
}

func (w *Walk) pointedAt(pointer *Value) *Value {
	var found *Value
	first := true
	for cell := range pointer.cells {
		if first {
			found, first = cell.value, false
		} else {
			found = join(found, cell.value)
		}
	}
	return found
}

func (w *Walk) unary(node *ast.UnaryExpr) *Value {
	if node.Op == token.AND {
		if name, ok := unparen(node.X).(*ast.Ident); ok {
			if object, ok := w.pkg.info.Uses[name].(*types.Var); ok && w.shared[object] {
				return &Value{cells: map[*Cell]bool{w.cellOf(object): true}}
			}
		}
		return w.value(node.X)
	}
	value := w.value(node.X)
	if node.Op == token.NOT && value != nil {
		switch value.truth {
		case yes:
			return truthValue(false)
		case no:
			return truthValue(true)
		}
	}
	return nil
}

func (w *Walk) truthOf(node ast.Expr) truth {
	if value := w.value(node); value != nil {
		return value.truth
	}
	return unknown
}

func (w *Walk) binary(node *ast.BinaryExpr) *Value {
	switch node.Op {
	case token.LAND, token.LOR:
		decides := no
		if node.Op == token.LOR {
			decides = yes
		}
		one := w.truthOf(node.X)
		if one == decides {
			return truthValue(one == yes)
		}
		other := w.truthOf(node.Y)
		if other == decides || one != unknown && other != unknown {
			return truthValue(other == yes)
		}
		return nil
	}
	one, other := w.value(node.X), w.value(node.Y)
	switch node.Op {
	case token.ADD:
		return concatenated(one, other)
	case token.EQL:
		return truthFor(same(one, other))
	case token.NEQ:
		switch same(one, other) {
		case yes:
			return truthValue(false)
		case no:
			return truthValue(true)
		}
	}
	return nil
}

func truthFor(is truth) *Value {
	if is == unknown {
		return nil
	}
	return truthValue(is == yes)
}

// same tells whether two values are equal, as far as constants show it.
func same(one, other *Value) truth {
	if one == nil || other == nil {
		return unknown
	}
	if one.isNil && other.isNil {
		return yes
	}
	if one.truth != unknown && other.truth != unknown {
		if one.truth == other.truth {
			return yes
		}
		return no
	}
	if len(one.texts) == 0 || len(other.texts) == 0 || one.isNil || other.isNil {
		return unknown
	}
	common := 0
	for text := range one.texts {
		if other.texts[text] {
			common++
		}
	}
	if common == 0 {
		return no
	}
	if len(one.texts) == 1 && len(other.texts) == 1 {
		return yes
	}
	return unknown
}

func concatenated(one, other *Value) *Value {
	if one == nil || other == nil || len(one.texts) == 0 || len(other.texts) == 0 || len(one.texts)*len(other.texts) > mostTexts {
		return nil
	}
	found := &Value{texts: map[string]bool{}}
	for text := range one.texts {
		for more := range other.texts {
			found.texts[text+more] = true
		}
	}
	return found
}

func (w *Walk) composite(node *ast.CompositeLit) *Value {
	kind := w.pkg.info.TypeOf(node)
	found := &Value{dynamic: kind}
	under := kind.Underlying()
	if pointer, ok := under.(*types.Pointer); ok {
		under = pointer.Elem().Underlying()
	}
	fields, isStruct := under.(*types.Struct)
	if isStruct {
		found.members = map[string]*Value{}
		for number := 0; number < fields.NumFields(); number++ {
			if value := zero(fields.Field(number).Type()); value != nil && value != nilValue || isPath(fields.Field(number).Type()) {
				found.members[fields.Field(number).Name()] = value
			}
		}
	}
	first := true
	for number, element := range node.Elts {
		pair, isPair := element.(*ast.KeyValueExpr)
		switch {
		case isStruct && isPair:
			found.members[pair.Key.(*ast.Ident).Name] = w.value(pair.Value)
		case isStruct:
			found.members[fields.Field(number).Name()] = w.value(element)
		default:
			var key *Value
			if isPair {
				if _, isMap := under.(*types.Map); isMap {
					key = w.value(pair.Key)
				}
				element = pair.Value
			}
			value := w.value(element)
			if value != nil { // errors are told of a list as of what it holds
				found.errors = joined(found.errors, value.errors)
			}
			if first {
				found.items, found.keys, first = value, key, false
			} else {
				found.items, found.keys = join(found.items, value), join(found.keys, key)
			}
		}
	}
	return found
}

func (w *Walk) literal(node *ast.FuncLit) *Value {
	captured := map[types.Object]*Value{}
	ast.Inspect(node.Body, func(inner ast.Node) bool {
		if name, ok := inner.(*ast.Ident); ok {
			if object, ok := w.pkg.info.Uses[name].(*types.Var); ok && !w.shared[object] {
				if value, known := w.now.values[object]; known {
					captured[object] = value
				}
			}
		}
		return true
	})
	return functionValue(&Function{literal: node, pkg: w.pkg, captured: captured, home: w.node.home})
}

func isPath(kind types.Type) bool {
	pointer, ok := kind.(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == fieldPackage && named.Obj().Name() == "Path"
}

func functionOf(pkg *Package, node ast.Expr) *types.Func {
	switch node := unparen(node).(type) {
	case *ast.Ident:
		function, _ := pkg.info.Uses[node].(*types.Func)
		return function
	case *ast.SelectorExpr:
		function, _ := pkg.info.Uses[node.Sel].(*types.Func)
		return function
	case *ast.IndexExpr:
		return functionOf(pkg, node.X)
	case *ast.IndexListExpr:
		return functionOf(pkg, node.X)
	}
	return nil
}
