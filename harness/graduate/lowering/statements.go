package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

const (
	mostSteps = 100_000
	mostDepth = 80
)

// Unread says what could not be read, and where.
type Unread struct {
	why     string
	isFatal bool // nothing of the kind can be told
}

// Reader reads the functions of one kind as conditions. `live` is the condition under which the current statement runs,
// `branch` the same without what returned before.
type Reader struct {
	*Formulas
	sources   *Sources
	live      *Formula
	branch    *Formula
	frames    []*Frame
	loops     map[string]bool
	facts     [][2]int // an unknown, and what is known of it
	reasons   map[string]string
	steps     int
	active    map[string]int
	reaches   map[string]bool
	addressed map[types.Object]bool
	converted map[string]bool // types that are converted by hand
}

// Frame is a function that runs: what it returned, and under which condition.
type Frame struct {
	pkg      *Package
	results  []*Variable
	ended    []ended
	skipped  *Formula // what `continue` left out of the body of the current loop
	inSwitch bool
}

type ended struct {
	when  *Formula
	value Value
}

func (r *Reader) fail(node ast.Node, why string) {
	panic(Unread{fmt.Sprintf("%s: %s", r.position(node), why), false})
}

func (r *Reader) stop(node ast.Node, why string) {
	panic(Unread{fmt.Sprintf("%s: %s", r.position(node), why), true})
}

func (r *Reader) position(node ast.Node) string {
	at := r.sources.fset.Position(node.Pos())
	return fmt.Sprintf("%s:%d", shortName(at.Filename), at.Line)
}

func (r *Reader) unknown(why string) *Formula {
	name := fmt.Sprintf("?%d", len(r.reasons))
	r.reasons[name] = why
	made := r.variable(name)
	for item := range r.loops { // it may be another one for each item
		made.free[item] = true
	}
	return made
}

func (r *Reader) frame() *Frame { return r.frames[len(r.frames)-1] }

func (r *Reader) block(statements []ast.Stmt, scope *Scope) {
	for _, one := range statements {
		if r.live == r.no() {
			return
		}
		r.statement(one, scope)
	}
}

func (r *Reader) statement(node ast.Stmt, scope *Scope) {
	if r.steps++; r.steps > mostSteps {
		r.fail(node, "too much to read")
	}
	switch node := node.(type) {
	case *ast.BlockStmt:
		r.block(node.List, newScope(scope))
	case *ast.ExprStmt:
		r.effect(node, scope)
	case *ast.DeclStmt:
		r.declaration(node, scope)
	case *ast.AssignStmt:
		r.assignment(node, scope)
	case *ast.IncDecStmt:
		target, ok := unparen(node.X).(*ast.Ident)
		if !ok {
			r.fail(node, "a member is counted up")
		}
		step := int64(1)
		if node.Tok == token.DEC {
			step = -1
		}
		r.assign(node, target, r.plus(r.value(node.X, scope), step), scope)
	case *ast.IfStmt:
		inner := newScope(scope)
		if node.Init != nil {
			r.statement(node.Init, inner)
		}
		r.either(r.condition(node.Cond, inner), func() { r.block(node.Body.List, newScope(inner)) }, func() {
			if node.Else != nil {
				r.statement(node.Else, inner)
			}
		})
	case *ast.SwitchStmt:
		r.choice(node, scope)
	case *ast.RangeStmt:
		r.loop(node, scope)
	case *ast.ForStmt:
		inner := newScope(scope)
		if node.Init != nil {
			r.statement(node.Init, inner)
		}
		body := &ast.BlockStmt{Lbrace: node.Body.Lbrace, List: node.Body.List}
		if node.Post != nil { // it counts, and what counts is not known
			body.List = append(append([]ast.Stmt{}, body.List...), node.Post)
		}
		when := r.unknown(r.position(node) + ": a loop")
		r.repeat(node, body, when, "", inner, inner, nil)
	case *ast.ReturnStmt:
		r.leave(node, scope)
	case *ast.BranchStmt:
		isBreak := node.Tok == token.BREAK && !r.frame().inSwitch // the body of its loop is known to be left early
		if node.Label != nil || r.frame().skipped == nil || !isBreak && node.Tok != token.CONTINUE {
			r.fail(node, node.Tok.String())
		}
		r.frame().skipped = r.or(r.frame().skipped, r.live)
		r.live = r.no()
	case *ast.EmptyStmt:
	default:
		r.fail(node, fmt.Sprintf("%T is not read", node))
	}
}

// either runs two branches, each under its condition.
func (r *Reader) either(when *Formula, one, other func()) {
	before, branch := r.live, r.branch
	r.live, r.branch = r.and(before, when), r.and(branch, when)
	started := r.live
	if r.live != r.no() {
		one()
	}
	first, kept := r.live, r.live == started
	r.live, r.branch = r.and(before, r.not(when)), r.and(branch, r.not(when))
	started = r.live
	if r.live != r.no() {
		other()
	}
	kept = kept && r.live == started
	if kept {
		r.live = before
	} else {
		r.live = r.or(first, r.live)
	}
	r.branch = branch
}

func (r *Reader) choice(node *ast.SwitchStmt, scope *Scope) {
	inner := newScope(scope)
	if node.Init != nil {
		r.statement(node.Init, inner)
	}
	var tag Value
	if node.Tag != nil {
		tag = r.value(node.Tag, inner)
	}
	var cases []*ast.CaseClause
	var otherwise *ast.CaseClause
	for _, one := range node.Body.List {
		clause := one.(*ast.CaseClause)
		if clause.List == nil {
			otherwise = clause
		} else {
			cases = append(cases, clause)
		}
	}
	var run func(number int)
	run = func(number int) {
		if number == len(cases) {
			if otherwise != nil {
				r.block(otherwise.Body, newScope(inner))
			}
			return
		}
		var any []*Formula
		for _, one := range cases[number].List {
			if tag == nil {
				any = append(any, r.condition(one, inner))
			} else {
				any = append(any, r.equal(tag, r.value(one, inner), r.position(one)))
			}
		}
		r.either(r.or(any...), func() { r.block(cases[number].Body, newScope(inner)) }, func() { run(number + 1) })
	}
	inSwitch := r.frame().inSwitch
	r.frame().inSwitch = true
	run(0)
	r.frame().inSwitch = inSwitch
}

func (r *Reader) leave(node *ast.ReturnStmt, scope *Scope) {
	frame := r.frame()
	var values []Value
	switch {
	case len(node.Results) == 0:
		for _, one := range frame.results {
			values = append(values, one.value)
		}
	case len(node.Results) == 1:
		value := r.value(node.Results[0], scope)
		if all, ok := value.(Tuple); ok {
			values = all.values
		} else {
			values = []Value{value}
		}
	default:
		for _, one := range node.Results {
			values = append(values, r.value(one, scope))
		}
	}
	frame.ended = append(frame.ended, ended{r.live, Tuple{values}})
	r.live = r.no()
}

func (r *Reader) declaration(node *ast.DeclStmt, scope *Scope) {
	declared, ok := node.Decl.(*ast.GenDecl)
	if !ok || declared.Tok == token.TYPE {
		r.fail(node, "a type is declared")
	}
	if declared.Tok == token.CONST {
		return
	}
	for _, one := range declared.Specs {
		spec := one.(*ast.ValueSpec)
		for number, name := range spec.Names {
			object := r.frame().pkg.info.Defs[name]
			if object == nil {
				continue
			}
			value := r.zero(object.Type())
			if len(spec.Values) == len(spec.Names) {
				value = r.value(spec.Values[number], scope)
			} else if len(spec.Values) > 0 {
				value = Opaque{r.position(node)}
			}
			r.declare(object, kept(value), scope)
		}
	}
}

func (r *Reader) declare(object types.Object, value Value, scope *Scope) {
	made := &Variable{value: value, when: r.branch}
	if _, isPlace := value.(Place); r.addressed[object] && !isPlace {
		made.value, made.opaque = r.forgotten(value, object.Name()+": its address is taken"), true
	}
	scope.names[object] = made
}

func (r *Reader) assignment(node *ast.AssignStmt, scope *Scope) {
	var values []Value
	switch {
	case node.Tok != token.ASSIGN && node.Tok != token.DEFINE:
		values = []Value{r.compound(node, scope)}
	case len(node.Lhs) == len(node.Rhs):
		for _, one := range node.Rhs {
			values = append(values, r.value(one, scope))
		}
	default:
		value := r.value(node.Rhs[0], scope)
		if all, ok := value.(Tuple); ok && len(all.values) == len(node.Lhs) {
			values = all.values
		} else {
			why := r.position(node) + ": of several values"
			for _, target := range node.Lhs {
				if kind := r.frame().pkg.info.TypeOf(target); kind != nil && isErrors(kind) {
					values = append(values, r.anyError(why, nil, nil))
				} else {
					values = append(values, Opaque{why})
				}
			}
		}
	}
	for number, target := range node.Lhs {
		name, ok := unparen(target).(*ast.Ident)
		if !ok {
			r.member(node, target, scope)
			continue
		}
		if object := r.frame().pkg.info.Defs[name]; object != nil {
			if name.Name != "_" {
				r.declare(object, kept(values[number]), scope)
			}
		} else if name.Name != "_" {
			r.assign(node, name, values[number], scope)
		}
	}
}

// member forgets a variable that has a member assigned; what is assigned below the object is not read at all.
func (r *Reader) member(node ast.Node, target ast.Expr, scope *Scope) {
	root, pointer := holder(target)
	if pointer != nil {
		if _, ok := r.value(pointer.X, scope).(LocalPointer); ok {
			return
		}
		r.stop(node, "what a pointer points to is assigned")
	}
	name, ok := root.(*ast.Ident)
	if !ok {
		r.stop(node, "a member of the object may be assigned")
	}
	known := scope.find(r.frame().pkg.info.Uses[name])
	if known == nil {
		r.stop(node, "something outside of the function is changed")
	}
	switch known.value.(type) {
	case Fields, Opaque, Zero, Nil:
		known.value = Opaque{r.position(node) + ": a member of it is assigned"}
		return
	}
	r.stop(node, "a member of the object may be assigned")
}

// holder returns what an expression is a member or an item of, and the outermost pointer on the way that is followed.
func holder(target ast.Expr) (ast.Expr, *ast.StarExpr) {
	var pointer *ast.StarExpr
	for {
		switch one := target.(type) {
		case *ast.SelectorExpr:
			target = one.X
		case *ast.IndexExpr:
			target = one.X
		case *ast.ParenExpr:
			target = one.X
		case *ast.StarExpr:
			if pointer == nil {
				pointer = one
			}
			target = one.X
		default:
			return target, pointer
		}
	}
}

func (r *Reader) assign(node ast.Node, name *ast.Ident, value Value, scope *Scope) {
	known := scope.find(r.frame().pkg.info.Uses[name])
	if known == nil {
		r.fail(node, "a variable outside of the function is assigned")
	}
	if known.opaque {
		return
	}
	value = kept(value)
	if r.branch == known.when {
		known.value = value
		return
	}
	if old, ok := known.value.(Errors); ok && len(r.loops) > 0 {
		if list, ok := value.(Errors); ok && !startsWith(list, old) {
			r.fail(node, "errors are replaced in a loop")
		}
	}
	known.value = r.merge(r.branch, value, known.value, r.position(node))
}
