package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
)

// Package is a package of the release, with its sources where functions of it are read.
type Package struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string
	Imports    []string
	Standard   bool
	files      []*ast.File
	types      *types.Package
	info       *types.Info
	isLoading  bool
	read       bool // its functions are
}

func (p *Package) isRead() bool { return p.read }

// Sources holds the packages by import path, and the declarations of functions and variables by their name.
type Sources struct {
	fset      *token.FileSet
	packages  map[string]*Package
	functions map[string]*Declared
	variables map[string]*Declared
	assigned  map[string]bool
	replaced  map[string]string
}

// Declared is the declaration of a function or a variable.
type Declared struct {
	pkg      *Package
	function *ast.FuncDecl
	value    ast.Expr
}

// list asks the Go command for packages and all that they import. `isRead` chooses those whose functions are read; of
// the standard library none are.
func list(command, folder string, patterns []string, isRead func(*Package) bool) (*Sources, error) {
	arguments := append([]string{"list", "-e", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Imports,Standard"}, patterns...)
	run := exec.Command(command, arguments...)
	run.Dir, run.Stderr = folder, os.Stderr
	out, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	sources := &Sources{
		token.NewFileSet(), map[string]*Package{}, map[string]*Declared{}, map[string]*Declared{}, map[string]bool{}, nil,
	}
	for decoder := json.NewDecoder(out); decoder.More(); {
		var one Package
		if err := decoder.Decode(&one); err != nil {
			return nil, err
		}
		one.read = !one.Standard && isRead(&one)
		sources.packages[one.ImportPath] = &one
	}
	return sources, run.Wait()
}

// Import type-checks a package; packages that are not read are checked without their functions.
func (s *Sources) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	pkg := s.packages[path]
	if pkg == nil {
		return nil, fmt.Errorf("no package %s", path)
	}
	if pkg.types != nil {
		return pkg.types, nil
	}
	if pkg.isLoading {
		return nil, fmt.Errorf("%s imports itself", path)
	}
	pkg.isLoading = true
	for _, name := range pkg.GoFiles {
		path := filepath.Join(pkg.Dir, name)
		var content any
		if other := s.replaced[path]; other != "" {
			data, err := os.ReadFile(other)
			if err != nil {
				return nil, err
			}
			content = data
		}
		file, err := parser.ParseFile(s.fset, path, content, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		pkg.files = append(pkg.files, file)
	}
	config := types.Config{
		Importer: importer{s, pkg}, IgnoreFuncBodies: !pkg.isRead(), FakeImportC: true,
		Error: func(error) {}, // of packages with code of other languages; what has no type is opaque
	}
	if pkg.isRead() {
		pkg.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Implicits: map[ast.Node]types.Object{},
		}
	}
	pkg.types, _ = config.Check(path, s.fset, pkg.files, pkg.info)
	if pkg.isRead() {
		s.declare(pkg)
	}
	return pkg.types, nil
}

type importer struct {
	sources *Sources
	pkg     *Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if mapped := i.pkg.ImportMap[path]; mapped != "" {
		path = mapped
	}
	return i.sources.Import(path)
}

// declare notes functions, variables of packages, and which variables are assigned or have their address taken.
func (s *Sources) declare(pkg *Package) {
	for _, file := range pkg.files {
		for _, one := range file.Decls {
			switch one := one.(type) {
			case *ast.FuncDecl:
				if object, ok := pkg.info.Defs[one.Name].(*types.Func); ok && one.Body != nil {
					s.functions[object.FullName()] = &Declared{pkg: pkg, function: one}
				}
			case *ast.GenDecl:
				s.declareVariables(pkg, one)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.AssignStmt:
				for _, target := range node.Lhs {
					s.noteAssigned(pkg, target)
				}
			case *ast.IncDecStmt:
				s.noteAssigned(pkg, node.X)
			case *ast.UnaryExpr:
				if node.Op == token.AND {
					s.noteAssigned(pkg, node.X)
				}
			case *ast.CallExpr: // such as a set's Insert, or delete
				if chosen, ok := node.Fun.(*ast.SelectorExpr); ok && (chosen.Sel.Name == "Insert" || chosen.Sel.Name == "Delete") {
					s.noteAssigned(pkg, chosen.X)
				}
			}
			return true
		})
	}
}

func (s *Sources) declareVariables(pkg *Package, declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok || declaration.Tok != token.VAR || len(values.Names) != len(values.Values) {
			continue
		}
		for number, name := range values.Names {
			s.variables[pkg.ImportPath+"."+name.Name] = &Declared{pkg: pkg, value: values.Values[number]}
		}
	}
}

func (s *Sources) noteAssigned(pkg *Package, target ast.Expr) {
	switch target := target.(type) {
	case *ast.Ident:
		if object, ok := pkg.info.Uses[target].(*types.Var); ok {
			s.noteVariable(object)
		}
	case *ast.SelectorExpr:
		if object, ok := pkg.info.Uses[target.Sel].(*types.Var); ok && !object.IsField() {
			s.noteVariable(object)
		} else {
			s.noteAssigned(pkg, target.X)
		}
	case *ast.IndexExpr:
		s.noteAssigned(pkg, target.X)
	case *ast.ParenExpr:
		s.noteAssigned(pkg, target.X)
	case *ast.StarExpr:
		s.noteAssigned(pkg, target.X)
	}
}

func (s *Sources) noteVariable(object *types.Var) {
	if object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
		s.assigned[object.Pkg().Path()+"."+object.Name()] = true
	}
}
