package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Check names a handwritten check: the lines that lead to its error, the innermost first, as file:line.
type Check struct {
	Calls []string `json:"calls"`
}

// CutCheck is a check that can be cut out: the line of its statement, and where it reports. Problem says why it cannot.
type CutCheck struct {
	Line    string   `json:"line"`
	Reports []Report `json:"reports"`
	Problem string   `json:"problem,omitempty"`
}

// Report is a path of an internal type at which a statement reports.
type Report struct {
	Kind string `json:"kind"`
	Path string `json:"path"`
}

// Statement is the one that appends the marked errors of a check.
type Statement struct {
	declared *Declared
	node     *ast.AssignStmt
	call     *ast.CallExpr // makes the errors, without methods that mark them
	file     string
	line     int
}

const mark = "MarkCoveredByDeclarative"

// cut finds the statements of checks, cuts out those that can be, and returns the files without them.
func cut(sources *Sources, checks []Check) ([]CutCheck, map[string]string) {
	found := make([]CutCheck, len(checks))
	files := map[string]map[int]bool{}
	for number, check := range checks {
		statement, problem := statementOf(sources, check)
		if problem == "" {
			found[number].Line = fmt.Sprintf("%s:%d", shortName(statement.file), statement.line)
			found[number].Reports, problem = reportsOf(sources, statement)
		}
		if found[number].Problem = problem; problem == "" {
			if files[statement.file] == nil {
				files[statement.file] = map[int]bool{}
			}
			files[statement.file][statement.line] = true
		}
	}
	texts := map[string]string{}
	for file, lines := range files {
		text, problems := cutLines(sources, file, lines)
		texts[file] = text
		for number := range found {
			for line, problem := range problems {
				if found[number].Problem == "" && found[number].Line == fmt.Sprintf("%s:%d", shortName(file), line) {
					found[number].Problem = problem
				}
			}
		}
	}
	return found, texts
}

// statementOf returns the innermost statement on the way to an error that appends and marks it.
func statementOf(sources *Sources, check Check) (*Statement, string) {
	for _, place := range check.Calls {
		name, number, _ := strings.Cut(place, ":")
		line, err := strconv.Atoi(number)
		pkg := sources.packages["k8s.io/kubernetes/"+path.Dir(name)]
		if err != nil || pkg == nil {
			continue // of a library
		}
		if _, err := sources.Import(pkg.ImportPath); err != nil {
			return nil, err.Error()
		}
		statement := statementAt(sources, pkg, filepath.Join(pkg.Dir, path.Base(name)), line)
		if statement != nil {
			return statement, oneError(sources, statement.declared.pkg, statement.call)
		}
	}
	return nil, "no single statement appends its error and marks it as covered"
}

// statementAt finds `list = append(list, ...)` with a mark on a line. One with a part of it on the line counts.
func statementAt(sources *Sources, pkg *Package, file string, line int) *Statement {
	var found *Statement
	for _, one := range pkg.files {
		if sources.fset.Position(one.Pos()).Filename != file {
			continue
		}
		for _, declaration := range one.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			ast.Inspect(function.Body, func(node ast.Node) bool {
				assign, ok := node.(*ast.AssignStmt)
				if !ok || sources.fset.Position(assign.Pos()).Line > line || sources.fset.Position(assign.End()).Line < line {
					return true
				}
				if call := appended(assign); call != nil {
					if made, isMarked := unmarked(call); isMarked {
						at := sources.fset.Position(assign.Pos())
						found = &Statement{&Declared{pkg: pkg, function: function}, assign, made, at.Filename, at.Line}
					}
				}
				return true
			})
		}
	}
	return found
}

// appended returns the call whose errors `list = append(list, call)` adds to its own list.
func appended(assign *ast.AssignStmt) *ast.CallExpr {
	if assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
		return nil
	}
	outer, ok := assign.Rhs[0].(*ast.CallExpr)
	if !ok || len(outer.Args) != 2 {
		return nil
	}
	list, isName := assign.Lhs[0].(*ast.Ident)
	function, isBuiltin := outer.Fun.(*ast.Ident)
	first, isSame := outer.Args[0].(*ast.Ident)
	if !isName || !isBuiltin || function.Name != "append" || !isSame || first.Name != list.Name {
		return nil
	}
	call, _ := unparen(outer.Args[1]).(*ast.CallExpr)
	return call
}

// unmarked returns a call without the methods that mark its errors, and whether one marks them as covered.
func unmarked(call *ast.CallExpr) (*ast.CallExpr, bool) {
	isMarked := false
	for {
		chosen, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || chosen.Sel.Name != mark && chosen.Sel.Name != "WithOrigin" {
			return call, isMarked
		}
		inner, ok := unparen(chosen.X).(*ast.CallExpr)
		if !ok {
			return call, isMarked
		}
		isMarked = isMarked || chosen.Sel.Name == mark
		call = inner
	}
}

// oneError requires that a call makes one error, by itself or in a function that makes no other.
func oneError(sources *Sources, pkg *Package, call *ast.CallExpr) string {
	function := calledFunction(pkg, call)
	if function == nil || function.Pkg() == nil {
		return "what makes the error is not read"
	}
	if function.Pkg().Path() == fieldPackage {
		return ""
	}
	declared := sources.functions[function.Origin().FullName()]
	if declared == nil {
		return function.Name() + " is not read"
	}
	made := errorsMade(declared)
	if len(made) != 1 {
		return function.Name() + " reports several errors"
	}
	return oneError(sources, declared.pkg, made[0])
}

// errorsMade returns the calls in a function that return errors, but for methods of errors.
func errorsMade(declared *Declared) []*ast.CallExpr {
	var found []*ast.CallExpr
	ast.Inspect(declared.function.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || !isErrorList(declared.pkg.info.TypeOf(call)) {
			return true
		}
		if name, ok := call.Fun.(*ast.Ident); ok {
			if _, isBuiltin := declared.pkg.info.Uses[name].(*types.Builtin); isBuiltin {
				return true
			}
		}
		if chosen, ok := call.Fun.(*ast.SelectorExpr); ok {
			if _, isMethod := declared.pkg.info.Selections[chosen]; isMethod {
				return true
			}
		}
		found = append(found, call)
		return true
	})
	return found
}

func isErrorList(kind types.Type) bool { return kind != nil && isErrors(kind) }

func calledFunction(pkg *Package, call *ast.CallExpr) *types.Func {
	name, ok := call.Fun.(*ast.Ident)
	if chosen, isChosen := call.Fun.(*ast.SelectorExpr); isChosen {
		name, ok = chosen.Sel, true
	}
	if !ok {
		return nil
	}
	function, _ := pkg.info.Uses[name].(*types.Func)
	return function
}

// cutLines cuts the statements of some lines out of a file, the last first, so that the lines before stay where they are.
func cutLines(sources *Sources, file string, lines map[int]bool) (string, map[int]string) {
	problems := map[int]string{}
	data, err := sources.contents(file)
	text := string(data)
	var ordered []int
	for line := range lines {
		ordered = append(ordered, line)
		if err != nil {
			problems[line] = err.Error()
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(ordered)))
	for _, line := range ordered {
		cutOne, problem := cutLine(file, text, line)
		if problem == "" {
			cutOne, problem = sources.tidied(file, cutOne)
		}
		if problem != "" {
			problems[line] = problem
			continue
		}
		text = cutOne
	}
	return text, problems
}

// cutLine cuts the statement of one line out of a file, with the branches that it leaves empty.
func cutLine(file, text string, line int) (string, string) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", err.Error()
	}
	var around []ast.Node
	var stack []ast.Node
	ast.Inspect(parsed, func(node ast.Node) bool {
		if node == nil {
			stack = stack[:len(stack)-1]
			return false
		}
		stack = append(stack, node)
		if assign, ok := node.(*ast.AssignStmt); ok && fset.Position(assign.Pos()).Line == line && appended(assign) != nil {
			around = append([]ast.Node{}, stack...)
		}
		return true
	})
	if around == nil {
		return "", "its statement was not found"
	}
	one := &editing{fset, parsed, text}
	for _, argument := range around[len(around)-1].(*ast.AssignStmt).Rhs[0].(*ast.CallExpr).Args[1:] {
		made, _ := unmarked(unparen(argument).(*ast.CallExpr))
		for _, given := range made.Args {
			if what := impure(given); what != "" {
				return "", "it calls " + what + ", which may do more"
			}
		}
	}
	return one.without(around)
}

// contents returns a file, or what is read in its place.
func (s *Sources) contents(file string) ([]byte, error) {
	if other := s.replaced[file]; other != "" {
		file = other
	}
	return os.ReadFile(file)
}

// tidied returns a file without the imports and variables that it no longer uses, or what does not compile.
func (s *Sources) tidied(file, text string) (string, string) {
	var pkg *Package
	for _, one := range s.packages {
		if one.Dir == filepath.Dir(file) {
			pkg = one
		}
	}
	for round := 0; round < 20; round++ {
		fset := token.NewFileSet()
		var files []*ast.File
		var own *ast.File
		for _, name := range pkg.GoFiles {
			var content any = text
			if filepath.Join(pkg.Dir, name) != file {
				data, err := s.contents(filepath.Join(pkg.Dir, name))
				if err != nil {
					return "", err.Error()
				}
				content = data
			}
			parsed, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), content, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return "", err.Error()
			}
			if files = append(files, parsed); filepath.Join(pkg.Dir, name) == file {
				own = parsed
			}
		}
		var first *types.Error
		config := types.Config{Importer: importer{s, pkg}, FakeImportC: true, Error: func(err error) {
			if one, ok := err.(types.Error); ok && first == nil {
				first = &one
			}
		}}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
		config.Check(pkg.ImportPath, fset, files, info) //nolint:errcheck // told by Error
		if first == nil {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return "", err.Error()
			}
			return string(formatted), ""
		}
		next, ok := unused(&editing{fset, own, text}, first)
		if !ok || next == text {
			return "", fmt.Sprintf("without it the package does not compile (%s: %s)", shortName(fset.Position(first.Pos).Filename), first.Msg)
		}
		text = next
	}
	return "", "without it too many variables are unused"
}

// unused removes the import or the variable that an error of the compiler calls unused.
func unused(e *editing, problem *types.Error) (string, bool) {
	at := e.fset.Position(problem.Pos)
	var found ast.Node
	switch {
	case strings.Contains(problem.Msg, "imported and not used"), strings.Contains(problem.Msg, "imported as"):
		for _, one := range e.file.Imports {
			if e.fset.Position(one.Pos()).Line == at.Line {
				found = one
			}
		}
	case strings.Contains(problem.Msg, "declared and not used"):
		ast.Inspect(e.file, func(node ast.Node) bool {
			if one, ok := node.(*ast.AssignStmt); ok && one.Tok == token.DEFINE && len(one.Lhs) == 1 && len(one.Rhs) == 1 &&
				one.Lhs[0].Pos() == problem.Pos && impure(one.Rhs[0]) == "" {
				found = one
			}
			return true
		})
	}
	if found == nil || bytes.Count([]byte(e.source(found)), []byte("\n")) > 20 {
		return "", false
	}
	return e.removed(found), true
}
