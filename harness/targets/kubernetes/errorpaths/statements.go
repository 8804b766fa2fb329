package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Walk reads the body of one node, statement by statement.
type Walk struct {
	*Reader
	node   *Node
	pkg    *Package
	now    *Environment
	shared map[types.Object]bool
	left   []*left
	named  []types.Object
}

// left collects what the statements that leave a loop or a switch early leave behind.
type left struct{ environments []*Environment }

const mostRounds = 6

func (w *Walk) block(statements []ast.Stmt) {
	for _, one := range statements {
		if w.now.isDead {
			return
		}
		w.statement(one)
	}
}

func (w *Walk) statement(node ast.Stmt) {
	switch node := node.(type) {
	case *ast.BlockStmt:
		w.block(node.List)
	case *ast.ExprStmt:
		w.values(node.X)
		if call, ok := node.X.(*ast.CallExpr); ok && w.isPanic(call) {
			w.now.isDead = true
		}
	case *ast.DeclStmt:
		w.declaration(node)
	case *ast.AssignStmt:
		w.assignment(node)
	case *ast.IncDecStmt:
		w.value(node.X)
	case *ast.IfStmt:
		if node.Init != nil {
			w.statement(node.Init)
		}
		when := w.truthOf(node.Cond)
		w.either(when, func() { w.block(node.Body.List) }, func() {
			if node.Else != nil {
				w.statement(node.Else)
			}
		})
	case *ast.SwitchStmt:
		w.choice(node)
	case *ast.TypeSwitchStmt:
		w.typeChoice(node)
	case *ast.RangeStmt:
		w.rangeLoop(node)
	case *ast.ForStmt:
		if node.Init != nil {
			w.statement(node.Init)
		}
		w.loop(func() {
			if node.Cond != nil {
				w.value(node.Cond)
			}
		}, func() {
			w.block(node.Body.List)
			if node.Post != nil {
				w.now.isDead = false
				w.statement(node.Post)
			}
		})
	case *ast.ReturnStmt:
		w.leave(node)
	case *ast.BranchStmt:
		for _, one := range w.left { // with a label it may be any of them
			one.environments = append(one.environments, w.now.copied())
		}
		if node.Tok != token.FALLTHROUGH {
			w.now.isDead = true
		}
	case *ast.LabeledStmt:
		w.statement(node.Stmt)
	case *ast.DeferStmt:
		w.value(node.Call)
	case *ast.GoStmt:
		w.value(node.Call)
	case *ast.SendStmt:
		w.value(node.Value)
	case *ast.SelectStmt:
		w.clauses(node.Body.List, true)
	}
}

func (w *Walk) isPanic(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "panic" {
		return false
	}
	_, isBuiltin := w.pkg.info.Uses[name].(*types.Builtin)
	return isBuiltin
}

// either reads two branches. What is known of the condition leaves one out.
func (w *Walk) either(when truth, one, other func()) {
	before := w.now
	w.now = before.copied()
	if when == no {
		w.now.isDead = true
	} else {
		one()
	}
	first := w.now
	w.now = before.copied()
	if when == yes {
		w.now.isDead = true
	} else {
		other()
	}
	w.now.merge(first)
}

// loop reads a body until nothing new is known.
func (w *Walk) loop(begin, body func()) {
	for round := 0; round < mostRounds; round++ {
		before := w.now.copied()
		begin()
		w.left = append(w.left, &left{})
		skipped := w.now.copied()
		body()
		w.now.merge(skipped)
		w.joinLeft()
		if w.now.equals(before) {
			return
		}
	}
}

func (w *Walk) rangeLoop(node *ast.RangeStmt) {
	over := w.value(node.X)
	var items, keys *Value
	if over != nil {
		items, keys = over.items, over.keys
	}
	if over != nil && len(over.functions) > 0 { // an iterator hands what it has to the body
		for _, one := range over.functions {
			w.call(node.Pos(), one, []*Value{nil})
		}
	}
	w.loop(func() {}, func() {
		for number, one := range []ast.Expr{node.Key, node.Value} {
			if one != nil {
				value := keys
				if number == 1 {
					value = items
				}
				w.assign(one, value)
			}
		}
		w.block(node.Body.List)
	})
}

func (w *Walk) choice(node *ast.SwitchStmt) {
	if node.Init != nil {
		w.statement(node.Init)
	}
	var tag *Value
	if node.Tag != nil {
		tag = w.value(node.Tag)
	}
	before := w.now
	out := &Environment{before.copied().values, true}
	w.left = append(w.left, &left{})
	var otherwise *ast.CaseClause
	isDecided := false
	for number, one := range node.Body.List {
		clause := one.(*ast.CaseClause)
		if clause.List == nil {
			otherwise = clause
			continue
		}
		if isDecided {
			break
		}
		when := no
		w.now = before.copied()
		for _, value := range clause.List {
			is := unknown
			if node.Tag == nil {
				is = w.truthOf(value)
			} else {
				is = same(tag, w.value(value))
			}
			if is == yes || is == unknown && when == no {
				when = is
			}
		}
		if when != no {
			w.fallThrough(node.Body.List, number)
			out.merge(w.now)
		}
		isDecided = when == yes
	}
	w.now = before.copied()
	if !isDecided {
		if otherwise != nil {
			w.block(otherwise.Body)
		}
		out.merge(w.now)
	}
	w.now = out
	w.joinLeft()
}

// joinLeft goes on behind a statement also with what was known wherever the statement was left early.
func (w *Walk) joinLeft() {
	own := w.left[len(w.left)-1]
	w.left = w.left[:len(w.left)-1]
	for _, one := range own.environments {
		w.now.merge(one)
	}
}

func (w *Walk) fallThrough(clauses []ast.Stmt, number int) {
	for ; number < len(clauses); number++ {
		body := clauses[number].(*ast.CaseClause).Body
		w.block(body)
		if len(body) == 0 {
			return
		}
		last, ok := body[len(body)-1].(*ast.BranchStmt)
		if !ok || last.Tok != token.FALLTHROUGH {
			return
		}
	}
}

func (w *Walk) typeChoice(node *ast.TypeSwitchStmt) {
	if node.Init != nil {
		w.statement(node.Init)
	}
	var value *Value
	switch one := node.Assign.(type) {
	case *ast.AssignStmt:
		value = w.value(one.Rhs[0])
	case *ast.ExprStmt:
		value = w.value(one.X)
	}
	for _, clause := range node.Body.List {
		if object := w.pkg.info.Implicits[clause]; object != nil {
			w.set(object, value)
		}
	}
	w.clauses(node.Body.List, false)
}

// clauses reads branches of which any one may be taken, or none.
func (w *Walk) clauses(clauses []ast.Stmt, isSelect bool) {
	before := w.now
	out := before.copied()
	w.left = append(w.left, &left{})
	for _, one := range clauses {
		w.now = before.copied()
		switch one := one.(type) {
		case *ast.CaseClause:
			w.block(one.Body)
		case *ast.CommClause:
			w.block(one.Body)
		}
		out.merge(w.now)
	}
	w.now = out
	w.joinLeft()
}

func (w *Walk) leave(node *ast.ReturnStmt) {
	var values []*Value
	switch {
	case len(node.Results) == 0:
		for _, object := range w.named {
			values = append(values, w.get(object))
		}
	case len(node.Results) == 1:
		values = w.values(node.Results[0])
	default:
		for _, one := range node.Results {
			values = append(values, w.value(one))
		}
	}
	w.node.give(values)
	w.now.isDead = true
}

func (w *Walk) declaration(node *ast.DeclStmt) {
	declared, ok := node.Decl.(*ast.GenDecl)
	if !ok || declared.Tok != token.VAR {
		return
	}
	for _, one := range declared.Specs {
		spec := one.(*ast.ValueSpec)
		var values []*Value
		if len(spec.Values) == 1 && len(spec.Names) > 1 {
			values = w.values(spec.Values[0])
		} else {
			for _, value := range spec.Values {
				values = append(values, w.value(value))
			}
		}
		for number, name := range spec.Names {
			object := w.pkg.info.Defs[name]
			if object == nil {
				continue
			}
			if number < len(values) {
				w.set(object, values[number])
			} else {
				w.set(object, zero(object.Type()))
			}
		}
	}
}

// zero returns what a variable is that nothing was assigned to.
func zero(kind types.Type) *Value {
	switch under := kind.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Signature, *types.Interface:
		return nilValue
	case *types.Basic:
		if under.Info()&types.IsBoolean != 0 {
			return truthValue(false)
		}
		if under.Info()&types.IsString != 0 {
			return textValue("")
		}
	}
	return nil
}

func (w *Walk) assignment(node *ast.AssignStmt) {
	if node.Tok != token.ASSIGN && node.Tok != token.DEFINE {
		old, value := w.value(node.Lhs[0]), w.value(node.Rhs[0])
		if node.Tok == token.ADD_ASSIGN {
			w.assign(node.Lhs[0], concatenated(old, value))
		} else {
			w.assign(node.Lhs[0], nil)
		}
		return
	}
	var values []*Value
	if len(node.Lhs) == len(node.Rhs) {
		for _, one := range node.Rhs {
			values = append(values, w.value(one))
		}
	} else {
		values = w.values(node.Rhs[0])
	}
	for number, target := range node.Lhs {
		var value *Value
		if number < len(values) {
			value = values[number]
		}
		w.assign(target, value)
	}
}

// assign sets a variable. What has a member or an item assigned has it besides what it had.
func (w *Walk) assign(target ast.Expr, value *Value) {
	switch target := unparen(target).(type) {
	case *ast.Ident:
		object := w.pkg.info.Defs[target]
		if object == nil {
			object = w.pkg.info.Uses[target]
		}
		if object != nil && target.Name != "_" {
			w.set(object, value)
		}
	case *ast.StarExpr:
		if pointer := w.value(target.X); pointer != nil {
			for cell := range pointer.cells {
				w.grow(cell, value)
			}
		}
	case *ast.SelectorExpr:
		if w.pkg.info.Selections[target] == nil {
			return // of another package
		}
		w.part(target.X, &Value{members: map[string]*Value{target.Sel.Name: value}})
	case *ast.IndexExpr:
		w.part(target.X, &Value{items: value, keys: w.value(target.Index)})
	}
}

func (w *Walk) part(whole ast.Expr, value *Value) {
	if value.isEmpty() {
		return
	}
	old := w.value(whole)
	if old != nil && old.isNil { // something is made of it
		old = nil
	}
	if old != nil && len(old.cells) > 0 {
		for cell := range old.cells {
			w.grow(cell, value)
		}
		return
	}
	if old == nil {
		w.assign(whole, value)
	} else {
		w.assign(whole, join(old, value))
	}
}

func (w *Walk) set(object types.Object, value *Value) {
	if w.shared[object] {
		w.grow(w.cellOf(object), value)
		return
	}
	w.now.values[object] = value
}

func (w *Walk) get(object types.Object) *Value {
	if w.shared[object] {
		return w.cellOf(object).value
	}
	return w.now.values[object]
}

func (w *Walk) cellOf(object types.Object) *Cell {
	home := w.node.home
	if home.cells[object] == nil {
		home.cells[object] = &Cell{home: home, name: object.Name()}
	}
	return home.cells[object]
}

// grow adds to what a shared variable may be. Whoever has read it reads it again.
func (w *Walk) grow(cell *Cell, value *Value) {
	found := value
	if cell.isSet {
		found = join(cell.value, value)
	}
	if !cell.isSet || found.key(0) != cell.value.key(0) {
		cell.value, cell.isSet = found, true
		cell.home.version++
	}
}
