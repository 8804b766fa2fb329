package main

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemaobjectmeta "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// coerce checks the types of embedded objects as the server does, and returns the fields that it does not know. Where
// several are wrong the server reports the one that it comes across first on its way through maps, another one each
// time. Here it is the first by name, so that an object always has the same answer.
func coerce(object map[string]any, schema *structuralschema.Structural) ([]string, *field.Error) {
	err, unknown := coerceAny(object, schema)
	if err != nil {
		err = firstError(object, func(part any) *field.Error {
			found, _ := coerceAny(part, schema)
			return found
		})
	}
	return unknown, err
}

func coerceAny(object any, schema *structuralschema.Structural) (*field.Error, []string) {
	options := schemaobjectmeta.CoerceOptions{ReturnUnknownFieldPaths: true}
	return schemaobjectmeta.CoerceWithOptions(nil, object, schema, false, options)
}

// firstError takes a value with an error apart until one is left. check coerces the whole object with another value in
// this place.
func firstError(value any, check func(any) *field.Error) *field.Error {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			one := func(part any) *field.Error { return check(map[string]any{name: part}) }
			if one(value[name]) != nil {
				return firstError(value[name], one)
			}
		}
	case []any:
		for i := range value {
			// The items before this one have no error; without them it would have another index.
			one := func(part any) *field.Error { return check(append(slices.Clone(value[:i]), part)) }
			if one(value[i]) != nil {
				return firstError(value[i], one)
			}
		}
	}
	return check(value)
}
