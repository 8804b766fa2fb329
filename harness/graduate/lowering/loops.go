package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// loop runs the body once, for any item. What the body assigns is unknown, but for errors that it appends.
func (r *Reader) loop(node *ast.RangeStmt, scope *Scope) {
	over := r.value(node.X, scope)
	info := r.frame().pkg.info
	inner := newScope(scope)
	why := r.position(node)
	var key, item Value = Opaque{why}, Opaque{why}
	when := r.unknown(why + ": a loop")
	active := ""
	switch over := r.scalar(over).(type) {
	case Nil, Zero:
		return
	case Errors:
		r.fail(node, "a loop over errors")
	case Messages:
		when = over.some
	case Applied:
		when = r.variable("some:" + over.name)
	case Choices:
		if len(over.values) == 0 {
			return
		}
	case Place:
		when, key, item, active = r.iterate(over, when, why)
	case PointerTo:
		r.fail(node, "a loop over a pointer")
	}
	r.repeat(node, node.Body, when, active, scope, inner, func() {
		for _, one := range []struct {
			name  ast.Expr
			value Value
		}{{node.Key, key}, {node.Value, item}} {
			name, ok := one.name.(*ast.Ident)
			if one.name == nil || ok && name.Name == "_" {
				continue
			}
			object := types.Object(nil)
			if ok {
				object = info.Defs[name]
			}
			if object == nil {
				r.fail(node, "a loop assigns its items")
			}
			r.declare(object, one.value, inner)
		}
	})
}

// repeat runs a body once, for any item. `start` declares the item.
func (r *Reader) repeat(
	node ast.Stmt, body *ast.BlockStmt, when *Formula, active string, scope, inner *Scope, start func(),
) {
	why := r.position(node)
	if active == "" {
		active = "a loop at " + why
	}
	if !r.loops[active] {
		r.loops[active] = true
		defer delete(r.loops, active)
	}
	leaves, changed := r.scan(body, r.frame().pkg.info)
	for _, object := range changed {
		known := scope.find(object)
		if known == nil || known.opaque {
			continue
		}
		if list, ok := known.value.(Errors); ok {
			ghost := Reported{when: r.unknown(why + ": errors of other items"), ghost: true}
			known.value = Errors{append(append([]Reported{}, list.items...), ghost)}
		} else if messages, ok := known.value.(Messages); ok && messages.some == r.no() {
			known.value = Messages{r.unknown(why + ": messages of other items")}
		} else {
			known.value = Opaque{why + ": it changes from item to item"}
		}
	}
	before, branch, skipped, inSwitch := r.live, r.branch, r.frame().skipped, r.frame().inSwitch
	r.live, r.branch, r.frame().skipped, r.frame().inSwitch = r.and(before, when), r.and(branch, when), r.no(), false
	if leaves {
		r.live = r.and(r.live, r.unknown(why+": a loop that is left early"))
	}
	if start != nil {
		start()
	}
	ended := len(r.frame().ended)
	r.block(body.List, newScope(inner))
	hasReturned := len(r.frame().ended) > ended
	r.live, r.branch, r.frame().skipped, r.frame().inSwitch = before, branch, skipped, inSwitch
	if hasReturned {
		r.live = r.and(before, r.unknown(why+": a loop that returns"))
		for number := ended; number < len(r.frame().ended); number++ {
			r.frame().ended[number].when = r.and(before, r.unknown(why+": a loop that returns"))
		}
	}
	for _, object := range changed {
		known := scope.find(object)
		if known == nil || known.opaque {
			continue
		}
		if _, ok := known.value.(Errors); !ok {
			known.value = Opaque{why + ": it is changed in a loop"}
		}
	}
}

func (r *Reader) iterate(over Place, when *Formula, why string) (*Formula, Value, Value, string) {
	switch under := over.kind.Underlying().(type) {
	case *types.Slice:
		path := over.path + "[*]"
		some := r.node("less", "", r.number("0"), r.node("number?", "len:"+over.path))
		if r.loops[path] {
			return some, Opaque{why}, Opaque{why + ": a second item of the same list"}, ""
		}
		return some, Index{over.path}, r.standing(path, under.Elem()), path
	case *types.Map:
		path := over.path + "{*}"
		some := r.node("less", "", r.number("0"), r.node("number?", "len:"+over.path))
		if r.loops[path] {
			return some, Opaque{why}, Opaque{why + ": a second item of the same map"}, ""
		}
		return some, r.standing(path+"#key", under.Key()), r.standing(path, under.Elem()), path
	}
	return when, Opaque{why}, Opaque{why}, ""
}

// scan tells whether a body leaves its loop, and the variables that it assigns.
func (r *Reader) scan(body ast.Node, info *types.Info) (bool, []types.Object) {
	leaves := false
	var changed []types.Object
	note := func(target ast.Expr) {
		root, _ := holder(target)
		if name, ok := root.(*ast.Ident); ok && info.Uses[name] != nil {
			changed = append(changed, info.Uses[name])
		}
	}
	depth := 0
	var walk func(node ast.Node) bool
	walk = func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for _, target := range node.Lhs {
				note(target)
			}
		case *ast.IncDecStmt:
			note(node.X)
		case *ast.ExprStmt: // such as a set's Insert, or what is handed to a function that changes it
			if call, ok := node.X.(*ast.CallExpr); ok {
				for _, one := range append([]ast.Expr{call.Fun}, call.Args...) {
					note(one)
				}
			}
		case *ast.ReturnStmt:
			leaves = leaves || depth == 0
		case *ast.BranchStmt:
			leaves = leaves || node.Tok != token.CONTINUE || node.Label != nil
		case *ast.FuncLit:
			depth++
			ast.Inspect(node.Body, walk)
			depth--
			return false
		}
		return true
	}
	ast.Inspect(body, walk)
	return leaves, changed
}
