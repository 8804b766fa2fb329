package main

import (
	"go/ast"
	"go/types"
)

// unread returns what a call returns that is not followed: of its errors those that it is given.
func (w *Walk) unread(node *ast.CallExpr, why string, arguments []*Value) []*Value {
	site := w.sites.at(w.pkg, node.Pos())
	for _, one := range arguments { // what it is handed may be called
		if one == nil {
			continue
		}
		for _, name := range ordered(one.functions) {
			function := one.functions[name]
			if function.literal != nil || w.declared(function.object.Origin()) != nil && function.object.Pkg().Path() != fieldPackage {
				w.call(node.Pos(), function, nil)
			}
		}
	}
	kinds := []types.Type{w.pkg.info.TypeOf(node)}
	if all, ok := kinds[0].(*types.Tuple); ok {
		kinds = nil
		for number := 0; number < all.Len(); number++ {
			kinds = append(kinds, all.At(number).Type())
		}
	}
	given := &Value{}
	for _, one := range arguments {
		if one != nil {
			given.errors = joined(given.errors, one.errors)
		}
	}
	var found []*Value
	for _, kind := range kinds {
		switch {
		case kind == nil:
			found = append(found, nil)
		case isErrors(kind):
			w.noteOpen(site, arguments, why)
			found = append(found, given)
		case isPath(kind):
			found = append(found, &Value{isVague: true})
		default:
			found = append(found, nil)
		}
	}
	return found
}

// noteOpen notes the paths that a call is given which is not followed.
func (w *Walk) noteOpen(site int, arguments []*Value, why string) {
	if w.isCommon {
		return
	}
	isGiven := false
	for _, one := range arguments {
		if one != nil {
			for path := range one.paths {
				w.open[Open{w.node, site, path, why}] = true
				isGiven = true
			}
		}
	}
	if !isGiven {
		w.open[Open{w.node, site, "", why}] = true
	}
}

// implementations reads a call of a method of an interface: of the type that is known, else of all types that have it,
// if it is given a path.
func (w *Walk) implementations(node *ast.CallExpr, function *Function, arguments []*Value) []*Value {
	isGiven := false
	for _, one := range arguments {
		isGiven = isGiven || one != nil && (len(one.paths) > 0 || one.isVague)
	}
	var methods []*types.Func
	if function.receiver != nil && function.receiver.dynamic != nil {
		kind := function.receiver.dynamic
		if _, isPointer := kind.(*types.Pointer); !isPointer {
			kind = types.NewPointer(kind)
		}
		if selection := types.NewMethodSet(kind).Lookup(function.object.Pkg(), function.object.Name()); selection != nil {
			methods = append(methods, selection.Obj().(*types.Func))
		}
	} else if isGiven {
		methods = w.sources.methodsNamed(function.object)
	}
	var found []*Value
	isRead := false
	for _, one := range methods {
		if w.declared(one.Origin()) == nil {
			continue
		}
		own := w.call(node.Pos(), &Function{object: one, receiver: function.receiver}, spread(one.Type(), arguments, node.Ellipsis.IsValid()))
		if !isRead {
			found, isRead = append([]*Value{}, own...), true
			continue
		}
		for number, value := range own {
			if number < len(found) {
				found[number] = join(found[number], value)
			}
		}
	}
	if isRead {
		return found
	}
	return w.unread(node, "the method "+function.object.Name()+" of an interface is not followed", arguments)
}
