package main

import (
	"go/ast"
	"go/types"
	"strings"
)

const schemePackage = "k8s.io/apimachinery/pkg/runtime"

// field reads a call of the package of paths and errors.
func (w *Walk) field(node *ast.CallExpr, function *Function, arguments []*Value) []*Value {
	object := function.object.Origin()
	receiver := function.receiver
	name := object.Name()
	if signature := object.Type().(*types.Signature); signature.Recv() != nil {
		switch name {
		case "Child":
			return []*Value{w.below(receiver, arguments, node)}
		case "Index", "Key":
			return []*Value{receiver.child([]string{"[*]"})}
		case "Root":
			return []*Value{{isVague: true}}
		case "String":
			if receiver != nil && len(receiver.paths) > 0 && !receiver.isVague {
				return []*Value{{texts: receiver.paths}}
			}
			return []*Value{nil}
		case "WithOrigin", "MarkCoveredByDeclarative":
			return []*Value{marked(receiver, name, arguments)}
		case "ExtractCoveredByDeclarative", "RemoveCoveredByDeclarative", "Filter", "PrefixDetail", "MarkAlpha", "MarkBeta",
			"MarkFromImperative", "MarkShortCircuit", "MarkShortCircuitedInDV", "ToAggregate":
			return []*Value{receiver}
		}
		return []*Value{nil}
	}
	switch name {
	case "NewPath":
		return []*Value{w.below(pathValue(""), arguments, node)}
	case "WithPath":
		return []*Value{arguments[0]}
	case "ToPath":
		found := pathValue("")
		for number, one := range arguments {
			if number == 0 {
				found = one
			} else {
				found = join(found, one)
			}
		}
		return []*Value{found}
	}
	kind := constructors[name]
	if kind == "" || len(arguments) == 0 {
		return []*Value{nil}
	}
	site := w.sites.at(w.pkg, node.Pos())
	found := &Value{errors: map[Reported]bool{}}
	path := arguments[0]
	if path != nil && path.isNil {
		path = pathValue("")
	}
	if path != nil {
		for one := range path.paths {
			found.errors[Reported{node: w.node, site: site, kind: kind, path: one}] = true
		}
	}
	if path == nil || path.isVague || len(path.paths) == 0 {
		found.errors[Reported{node: w.node, site: site, kind: kind, isVague: true}] = true
	}
	return []*Value{found}
}

// below returns a path with names below it. A name that is not known is `?`.
func (w *Walk) below(path *Value, arguments []*Value, node *ast.CallExpr) *Value {
	for number, one := range arguments {
		if node.Ellipsis.IsValid() && number == len(arguments)-1 {
			path = path.child([]string{"?"})
			continue
		}
		names := []string{"?"}
		if one != nil && len(one.texts) > 0 {
			names = ordered(one.texts)
		}
		path = path.child(names)
	}
	return path
}

func marked(list *Value, name string, arguments []*Value) *Value {
	if list == nil || len(list.errors) == 0 {
		return list
	}
	found := *list
	found.errors = map[Reported]bool{}
	for one := range list.errors {
		if name == "WithOrigin" {
			one.origin = "?"
			if len(arguments) == 1 && arguments[0] != nil && len(arguments[0].texts) == 1 {
				one.origin = ordered(arguments[0].texts)[0]
			}
		} else {
			one.covered = true
		}
		found.errors[one] = true
	}
	return &found
}

// library reads calls of functions whose packages are not read, and that hand on what they are given.
func (w *Walk) library(object *types.Func, function *Function, arguments []*Value) ([]*Value, bool) {
	if object.Pkg() == nil || len(arguments) == 0 {
		return nil, false
	}
	if object.Pkg().Path() == schemePackage { // of declarative validation
		return nil, true
	}
	name := object.Pkg().Path() + "." + object.Name()
	switch name {
	case "k8s.io/utils/ptr.To", "slices.Clone", "maps.Clone", "slices.Values", "slices.Sorted":
		return []*Value{arguments[0]}, true
	case "maps.Keys":
		if arguments[0] != nil {
			return []*Value{{items: arguments[0].keys, keys: arguments[0].keys}}, true
		}
	case "strings.ToLower":
		if one := arguments[0]; one != nil && len(one.texts) > 0 {
			found := &Value{texts: map[string]bool{}}
			for text := range one.texts {
				found.texts[strings.ToLower(text)] = true
			}
			return []*Value{found}, true
		}
	}
	return nil, false
}
