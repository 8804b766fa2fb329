package main

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	registry   = "k8s.io/kubernetes/pkg/registry/"
	groups     = "k8s.io/kubernetes/pkg/apis/"
	common     = "k8s.io/apiserver/pkg/registry/rest"
	validation = "/validation"
)

var externalTypes = regexp.MustCompile(`(?m)^// \+k8s:conversion-gen-external-types=(\S+)`)

// Entry is a function that validates objects of a kind, from which its errors are followed.
type Entry struct {
	object *types.Func
	// isStrategy: it is a method of a strategy, and no function that a storage calls.
	isStrategy bool
}

// Kinds finds the functions that validate each kind, by the name of its internal type, such as resource.ResourceClaim.
type Kinds struct {
	sources *Sources
	entries map[string][]Entry
	// folders are the packages of internal types by that of their version, such as k8s.io/api/resource/v1.
	folders map[string]string
	common  []*types.Func
}

func findKinds(sources *Sources) *Kinds {
	found := &Kinds{sources: sources, entries: map[string][]Entry{}, folders: map[string]string{}}
	for _, path := range sorted(sources.packages) {
		pkg := sources.packages[path]
		switch {
		case strings.HasPrefix(path, groups):
			if data, err := os.ReadFile(filepath.Join(pkg.Dir, "doc.go")); err == nil {
				for _, one := range externalTypes.FindAllStringSubmatch(string(data), -1) {
					found.folders[one[1]] = path[:strings.LastIndex(path, "/")]
				}
			}
		case strings.HasPrefix(path, registry) && pkg.isRead():
			found.read(pkg)
		}
	}
	if _, err := sources.Import(common); err == nil {
		names := []string{"ValidateCreate", "ValidateUpdate"}
		if sources.functions[common+"."+names[0]] == nil {
			names = []string{"validateCommonFields"} // before 1.37 the rest of them returns no list
		}
		for _, name := range names {
			if declared := sources.functions[common+"."+name]; declared != nil {
				found.common = append(found.common, declared.pkg.info.Defs[declared.function.Name].(*types.Func))
			}
		}
	}
	return found
}

func (k *Kinds) read(pkg *Package) {
	if _, err := k.sources.Import(pkg.ImportPath); err != nil {
		return
	}
	for _, file := range pkg.files {
		for _, one := range file.Decls {
			function, ok := one.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			object := pkg.info.Defs[function.Name].(*types.Func)
			name := function.Name.Name
			if function.Recv != nil && (name == "Validate" || name == "ValidateUpdate") && isErrorsOf(object) {
				for kind := range asserted(pkg, function.Body) {
					k.entries[kind] = append(k.entries[kind], Entry{object, true})
				}
				continue
			}
			k.readCalls(pkg, function)
		}
	}
}

// readCalls notes the functions that a storage calls by itself to validate an object.
func (k *Kinds) readCalls(pkg *Package, function *ast.FuncDecl) {
	ast.Inspect(function.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		object := functionOf(pkg, call.Fun)
		if object == nil || object.Pkg() == nil || !strings.HasSuffix(object.Pkg().Path(), validation) || !isErrorsOf(object) {
			return true
		}
		parameters := object.Type().(*types.Signature).Params()
		for number := 0; number < parameters.Len(); number++ {
			if kind := kindOf(parameters.At(number).Type()); kind != "" {
				k.entries[kind] = append(k.entries[kind], Entry{object, false})
				return true
			}
		}
		return true
	})
}

// of returns the internal type of a type of a version, and the functions that validate its objects; those that a storage
// calls by itself only where no strategy does.
func (k *Kinds) of(kind string) (string, []Entry) {
	at := strings.LastIndex(kind, ".")
	internal := strings.TrimPrefix(k.folders[kind[:at]], groups) + kind[at:]
	entries := k.entries[internal]
	if len(entries) == 0 { // the internal type may be of another group
		var names []string
		for name := range k.entries {
			if strings.HasSuffix(name, kind[at:]) {
				names = append(names, name)
			}
		}
		if len(names) == 1 {
			internal, entries = names[0], k.entries[names[0]]
		}
	}
	var strategies, others []Entry
	seen := map[*types.Func]bool{}
	for _, one := range entries {
		if seen[one.object] {
			continue
		}
		seen[one.object] = true
		if one.isStrategy {
			strategies = append(strategies, one)
		} else {
			others = append(others, one)
		}
	}
	if len(strategies) > 0 {
		return internal, strategies
	}
	return internal, others
}

func isErrorsOf(object *types.Func) bool {
	results := object.Type().(*types.Signature).Results()
	return results.Len() == 1 && isErrors(results.At(0).Type())
}

// asserted names the kinds that a function takes its objects for.
func asserted(pkg *Package, body *ast.BlockStmt) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(body, func(node ast.Node) bool {
		if one, ok := node.(*ast.TypeAssertExpr); ok && one.Type != nil {
			if kind := kindOf(pkg.info.TypeOf(one.Type)); kind != "" {
				found[kind] = true
			}
		}
		return true
	})
	return found
}

// kindOf names an internal type of objects that a pointer points to, such as resource.ResourceClaim.
func kindOf(kind types.Type) string {
	pointer, ok := kind.(*types.Pointer)
	if !ok {
		return ""
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), groups) {
		return ""
	}
	if fields, ok := named.Underlying().(*types.Struct); ok && fields.NumFields() > 0 && fields.Field(0).Name() == "TypeMeta" {
		return strings.TrimPrefix(named.String(), groups)
	}
	return ""
}

// methodsNamed returns the methods of all types that are read and implement the interface of a method.
func (s *Sources) methodsNamed(object *types.Func) []*types.Func {
	kind, ok := object.Type().(*types.Signature).Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var found []*types.Func
	seen := map[*types.Func]bool{}
	for _, path := range sorted(s.packages) {
		pkg := s.packages[path]
		if !pkg.isRead() || pkg.types == nil {
			continue
		}
		scope := pkg.types.Scope()
		for _, name := range scope.Names() {
			declared, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || types.IsInterface(declared.Type()) {
				continue
			}
			pointer := types.NewPointer(declared.Type())
			if named, ok := declared.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 || !types.Implements(pointer, kind) {
				continue
			}
			selection := types.NewMethodSet(pointer).Lookup(object.Pkg(), object.Name())
			if method, ok := selection.Obj().(*types.Func); ok && !seen[method] && len(found) < mostImplement {
				seen[method] = true
				found = append(found, method)
			}
		}
	}
	return found
}
