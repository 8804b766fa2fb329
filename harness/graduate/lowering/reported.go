package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

const mostCallers = 12

// reportsOf returns the paths of internal types at which a statement reports, through all functions that call its own.
func reportsOf(sources *Sources, statement *Statement) ([]Report, string) {
	steps, parameter, problem := sources.errorPath(statement.declared, statement.call)
	if problem != "" {
		return nil, problem
	}
	found := map[Report]bool{}
	if problem := sources.climb(statement.declared, parameter, steps, found, 0); problem != "" {
		return nil, problem
	}
	if len(found) == 0 {
		return nil, "nothing that validates a kind calls its function"
	}
	var reports []Report
	for one := range found {
		reports = append(reports, one)
	}
	slices.SortFunc(reports, func(one, other Report) int {
		return strings.Compare(one.Kind+" "+one.Path, other.Kind+" "+other.Path)
	})
	return reports, ""
}

// errorPath returns the path that a call reports at: below a parameter of the function around it, or below an object.
func (s *Sources) errorPath(declared *Declared, call *ast.CallExpr) (string, *types.Var, string) {
	function := calledFunction(declared.pkg, call)
	if function.Pkg().Path() == fieldPackage {
		return s.pathOf(declared, call.Args[0], 0)
	}
	helper := s.functions[function.Origin().FullName()]
	inner, parameter, problem := s.errorPath(helper, errorsMade(helper)[0])
	if problem != "" || parameter == nil {
		return inner, nil, problem
	}
	number := parameterNumber(helper, parameter)
	if number < 0 || number >= len(call.Args) {
		return "", nil, "the path of its error is not read"
	}
	outer, parameter, problem := s.pathOf(declared, call.Args[number], 0)
	return outer + inner, parameter, problem
}

// pathOf reads a path: steps below a parameter, or below an object if the parameter is nil.
func (s *Sources) pathOf(declared *Declared, node ast.Expr, depth int) (string, *types.Var, string) {
	const unread = "the path of its error is not read"
	if depth > mostCallers {
		return "", nil, unread
	}
	switch node := unparen(node).(type) {
	case *ast.Ident:
		variable, ok := declared.pkg.info.Uses[node].(*types.Var)
		if !ok {
			return "", nil, unread
		}
		if parameterNumber(declared, variable) >= 0 && assignments(declared, variable) == nil {
			return "", variable, ""
		}
		if values := assignments(declared, variable); len(values) == 1 && values[0] != nil {
			return s.pathOf(declared, values[0], depth+1)
		}
	case *ast.CallExpr:
		function := calledFunction(declared.pkg, node)
		if function == nil || function.Pkg() == nil || function.Pkg().Path() != fieldPackage {
			return "", nil, unread
		}
		names := ""
		for _, one := range node.Args {
			if value := declared.pkg.info.Types[one].Value; value != nil && value.Kind() == constant.String {
				names += "." + constant.StringVal(value)
			}
		}
		chosen, isChosen := node.Fun.(*ast.SelectorExpr)
		switch {
		case function.Name() == "NewPath" && strings.Count(names, ".") >= len(node.Args):
			return names, nil, ""
		case function.Name() == "Child" && isChosen && strings.Count(names, ".") >= len(node.Args):
			steps, parameter, problem := s.pathOf(declared, chosen.X, depth+1)
			return steps + names, parameter, problem
		case (function.Name() == "Index" || function.Name() == "Key") && isChosen:
			steps, parameter, problem := s.pathOf(declared, chosen.X, depth+1)
			return steps + "[*]", parameter, problem
		}
	}
	return "", nil, unread
}

// assignments returns what a function assigns to a variable; nil among them stands for what is not one expression.
func assignments(declared *Declared, variable *types.Var) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(declared.function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for number, target := range node.Lhs {
				name, ok := target.(*ast.Ident)
				if !ok || declared.pkg.info.Defs[name] != variable && declared.pkg.info.Uses[name] != variable {
					continue
				}
				if len(node.Lhs) == len(node.Rhs) && (node.Tok == token.DEFINE || node.Tok == token.ASSIGN) {
					found = append(found, node.Rhs[number])
				} else {
					found = append(found, nil)
				}
			}
		case *ast.ValueSpec:
			for number, name := range node.Names {
				if declared.pkg.info.Defs[name] == variable {
					if len(node.Names) == len(node.Values) {
						found = append(found, node.Values[number])
					} else {
						found = append(found, nil)
					}
				}
			}
		case *ast.UnaryExpr:
			if name, ok := node.X.(*ast.Ident); ok && node.Op == token.AND && declared.pkg.info.Uses[name] == variable {
				found = append(found, nil)
			}
		}
		return true
	})
	return found
}

func parameterNumber(declared *Declared, variable *types.Var) int {
	signature := declared.pkg.info.Defs[declared.function.Name].Type().(*types.Signature)
	for number := 0; number < signature.Params().Len(); number++ {
		if signature.Params().At(number) == variable {
			return number
		}
	}
	return -1
}

// climb follows a path through the callers of a function up to those that validate a kind.
func (s *Sources) climb(declared *Declared, parameter *types.Var, steps string, found map[Report]bool, depth int) string {
	if depth > mostCallers {
		return "its function calls itself"
	}
	if parameter == nil {
		kind := validatedKind(declared)
		if kind == "" {
			return declared.function.Name.Name + " is given no object of a kind"
		}
		found[Report{kind, strings.TrimPrefix(steps, ".")}] = true
		return ""
	}
	number := parameterNumber(declared, parameter)
	object := declared.pkg.info.Defs[declared.function.Name].(*types.Func)
	problem := ""
	for _, caller := range s.callers(object) {
		if caller.call == nil {
			return object.Name() + " is handed on as a value in " + caller.declared.function.Name.Name
		}
		if number >= len(caller.call.Args) {
			return "the path of its error is not read"
		}
		outer, above, unread := s.pathOf(caller.declared, caller.call.Args[number], 0)
		if problem = unread; problem == "" {
			problem = s.climb(caller.declared, above, outer+steps, found, depth+1)
		}
		if problem != "" {
			return problem
		}
	}
	return problem
}

// validatedKind names the kind of the object that a function is given.
func validatedKind(declared *Declared) string {
	signature := declared.pkg.info.Defs[declared.function.Name].Type().(*types.Signature)
	for number := 0; number < signature.Params().Len(); number++ {
		pointer, ok := signature.Params().At(number).Type().(*types.Pointer)
		if !ok {
			continue
		}
		named, ok := types.Unalias(pointer.Elem()).(*types.Named)
		if !ok || named.Obj().Pkg() == nil || !strings.HasPrefix(named.Obj().Pkg().Path(), "k8s.io/kubernetes/pkg/apis/") {
			continue
		}
		if fields, ok := named.Underlying().(*types.Struct); ok && fields.NumFields() > 0 && fields.Field(0).Name() == "TypeMeta" {
			return strings.TrimPrefix(named.String(), "k8s.io/kubernetes/pkg/apis/")
		}
	}
	return ""
}

type caller struct {
	declared *Declared
	call     *ast.CallExpr // nil where the function is a value
}

// callers returns the uses of a function in all packages that are read.
func (s *Sources) callers(object *types.Func) []caller {
	var found []caller
	for _, path := range sorted(s.packages) {
		pkg := s.packages[path]
		isOwn := path == object.Pkg().Path()
		if !pkg.isRead() || !isOwn && (!object.Exported() || !slices.Contains(pkg.Imports, object.Pkg().Path())) {
			continue
		}
		if _, err := s.Import(path); err != nil {
			continue
		}
		for _, file := range pkg.files {
			for _, declaration := range file.Decls {
				function, ok := declaration.(*ast.FuncDecl)
				if !ok {
					if names(pkg, declaration, object) {
						found = append(found, caller{&Declared{pkg: pkg, function: &ast.FuncDecl{Name: ast.NewIdent("a variable")}}, nil})
					}
					continue
				}
				if function.Body != nil {
					found = append(found, usesIn(&Declared{pkg: pkg, function: function}, object)...)
				}
			}
		}
	}
	return found
}

func names(pkg *Package, node ast.Node, object *types.Func) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		if name, ok := node.(*ast.Ident); ok && pkg.info.Uses[name] == object {
			found = true
		}
		return true
	})
	return found
}

func usesIn(declared *Declared, object *types.Func) []caller {
	var found []caller
	called := map[*ast.Ident]bool{}
	ast.Inspect(declared.function.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if calledFunction(declared.pkg, node) == object {
				found = append(found, caller{declared, node})
				if chosen, ok := node.Fun.(*ast.SelectorExpr); ok {
					called[chosen.Sel] = true
				} else if name, ok := node.Fun.(*ast.Ident); ok {
					called[name] = true
				}
			}
		case *ast.Ident:
			if declared.pkg.info.Uses[node] == object && !called[node] {
				found = append(found, caller{declared, nil})
			}
		}
		return true
	})
	return found
}
