package main

import (
	"go/ast"
	"go/types"
	"sort"
)

const fieldPackage = "k8s.io/apimachinery/pkg/util/validation/field"

// constructors are the functions that make an error, with its type.
var constructors = map[string]string{
	"TypeInvalid": "FieldValueTypeInvalid", "NotFound": "FieldValueNotFound", "Required": "FieldValueRequired",
	"Duplicate": "FieldValueDuplicate", "Invalid": "FieldValueInvalid", "NotSupported": "FieldValueNotSupported",
	"Forbidden": "FieldValueForbidden", "TooLong": "FieldValueTooLong", "TooLongCharacters": "FieldValueTooLong",
	"TooLongMaxLength": "FieldValueTooLong", "TooMany": "FieldValueTooMany", "TooFew": "FieldValueTooFew",
	"TooShort": "FieldValueTooShort", "InternalError": "InternalError",
}

// isErrors tells whether a type is an error of a field, or a list of such.
func isErrors(kind types.Type) bool {
	if pointer, ok := kind.(*types.Pointer); ok {
		kind = pointer.Elem()
	}
	named, ok := types.Unalias(kind).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == fieldPackage &&
		(named.Obj().Name() == "ErrorList" || named.Obj().Name() == "Error")
}

func unparen(node ast.Expr) ast.Expr {
	for {
		inner, ok := node.(*ast.ParenExpr)
		if !ok {
			return node
		}
		node = inner.X
	}
}

func sorted(packages map[string]*Package) []string {
	var names []string
	for name := range packages {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
