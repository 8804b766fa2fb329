package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// generatedFor finds the package with the generated validation of a type, such as k8s.io/api/resource/v1.
func generatedFor(sources *Sources, kind string) (*Declared, types.Type) {
	at := strings.LastIndex(kind, ".")
	suffix := "." + "Validate_" + kind[at+1:]
	for path := range sources.packages {
		if !strings.HasPrefix(path, "k8s.io/kubernetes/pkg/apis/") || !strings.HasSuffix(path, versionOf(kind[:at])) {
			continue
		}
		if _, err := sources.Import(path); err != nil {
			continue
		}
		declared := sources.functions[path+suffix]
		if declared == nil {
			continue
		}
		signature := declared.pkg.info.Defs[declared.function.Name].Type().(*types.Signature)
		if signature.Params().Len() != 5 {
			continue
		}
		pointer, ok := signature.Params().At(3).Type().(*types.Pointer)
		if ok && pointer.Elem().String() == kind {
			return declared, pointer.Elem()
		}
	}
	return nil, nil
}

func versionOf(path string) string { return path[strings.LastIndex(path, "/"):] }

func declarative(sources *Sources, kind string) Lowered {
	declared, root := generatedFor(sources, kind)
	if declared == nil {
		return Lowered{Problem: "no generated validation was found"}
	}
	return read(sources, declared, func(r *Reader) []Value {
		return []Value{
			Opaque{"a context"}, Fields{map[string]Value{"Type": Number{r.number("0")}, "Options": Opaque{"options"}, "Request": Opaque{"a request"}}},
			FieldPath{}, PointerTo{Place{"$", root}}, Nil{},
		}
	})
}

// handwritten reads the method of the strategy that validates objects of a kind that are created.
func handwritten(sources *Sources, kind string) Lowered {
	generated, _ := generatedFor(sources, kind)
	if generated == nil {
		return Lowered{Problem: "no generated validation was found"}
	}
	path := generated.pkg.ImportPath
	internal := path[:strings.LastIndex(path, "/")] + kind[strings.LastIndex(kind, "."):]
	group := strings.TrimPrefix(path[:strings.LastIndex(path, "/")], "k8s.io/kubernetes/pkg/apis/")
	var found []*Declared
	var root types.Type
	for _, path := range sorted(sources.packages) {
		if !strings.HasPrefix(path, "k8s.io/kubernetes/pkg/registry/"+group+"/") {
			continue
		}
		if _, err := sources.Import(path); err != nil {
			continue
		}
		for _, file := range sources.packages[path].files {
			for _, one := range file.Decls {
				method, ok := one.(*ast.FuncDecl)
				if !ok || method.Recv == nil || method.Name.Name != "Validate" || method.Body == nil || len(method.Type.Params.List) != 2 {
					continue
				}
				if asserted := assertedType(sources.packages[path], method.Body, internal); asserted != nil {
					root = asserted
					found = append(found, &Declared{pkg: sources.packages[path], function: method})
				}
			}
		}
	}
	if len(found) != 1 {
		return Lowered{Problem: fmt.Sprintf("%d strategies validate creates of %s", len(found), internal)}
	}
	converted := convertedByHand(sources, generated.pkg, root)
	if converted[root.String()] {
		return Lowered{Problem: "the conversion of the kind is written by hand"}
	}
	return read(sources, found[0], func(r *Reader) []Value {
		r.converted = converted
		return []Value{Opaque{"a context"}, PointerTo{Place{"$", root}}}
	})
}

func assertedType(pkg *Package, body *ast.BlockStmt, name string) types.Type {
	var found types.Type
	ast.Inspect(body, func(node ast.Node) bool {
		if one, ok := node.(*ast.TypeAssertExpr); ok && one.Type != nil {
			if pointer, ok := pkg.info.TypeOf(one.Type).(*types.Pointer); ok && pointer.Elem().String() == name {
				found = pointer.Elem()
			}
		}
		return true
	})
	return found
}

// convertedByHand names the types that a kind holds, and that functions written by hand convert into the version or
// out of it: what stands there is not known to be the same on both sides.
func convertedByHand(sources *Sources, version *Package, root types.Type) map[string]bool {
	held := map[string]map[string]bool{}
	collect(root, held)
	own := root.(*types.Named).Obj().Pkg().Path()
	found := map[string]bool{}
	for path, names := range held {
		pkg := version
		if path != own {
			pkg = sources.packages[path+"/v1"]
			if pkg != nil {
				if _, err := sources.Import(path + "/v1"); err != nil {
					pkg = nil
				}
			}
		}
		if pkg == nil {
			for name := range names {
				found[path+"."+name] = true
			}
			continue
		}
		for _, file := range pkg.files {
			for _, name := range conversionsIn(file, path[strings.LastIndex(path, "/")+1:]) {
				if names[name] {
					found[path+"."+name] = true
				}
			}
		}
	}
	return found
}

// conversionsIn names the internal types of a package that functions written by hand convert, such as
// Convert_v1_Pod_To_core_Pod.
func conversionsIn(file *ast.File, pkg string) []string {
	var found []string
	if ast.IsGenerated(file) {
		return found
	}
	for _, one := range file.Decls {
		function, ok := one.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(function.Name.Name, "Convert_") {
			continue
		}
		parts := strings.Split(function.Name.Name, "_")
		for number := 1; number+1 < len(parts); number++ {
			if parts[number] == pkg {
				found = append(found, parts[number+1])
			}
		}
	}
	return found
}

// collect names the internal types that a type holds, by package.
func collect(kind types.Type, found map[string]map[string]bool) {
	switch kind := types.Unalias(kind).(type) {
	case *types.Named:
		name, pkg := kind.Obj().Name(), kind.Obj().Pkg()
		if pkg == nil || !strings.HasPrefix(pkg.Path(), "k8s.io/kubernetes/pkg/apis/") || found[pkg.Path()][name] {
			return
		}
		if found[pkg.Path()] == nil {
			found[pkg.Path()] = map[string]bool{}
		}
		found[pkg.Path()][name] = true
		collect(kind.Underlying(), found)
	case *types.Pointer:
		collect(kind.Elem(), found)
	case *types.Slice:
		collect(kind.Elem(), found)
	case *types.Map:
		collect(kind.Key(), found)
		collect(kind.Elem(), found)
	case *types.Struct:
		for number := 0; number < kind.NumFields(); number++ {
			collect(kind.Field(number).Type(), found)
		}
	}
}
