package main

import (
	"go/ast"
	"go/token"
	"strings"
)

// editing takes statements out of the text of a file.
type editing struct {
	fset *token.FileSet
	file *ast.File
	text string
}

func (e *editing) offset(at token.Pos) int { return e.fset.Position(at).Offset }

func (e *editing) source(node ast.Node) string {
	return e.text[e.offset(node.Pos()):e.offset(node.End())]
}

// without returns the text without the last of some nodes, each of which holds the next.
func (e *editing) without(around []ast.Node) (string, string) {
	node, parent := around[len(around)-1], around[len(around)-2]
	var siblings []ast.Stmt
	switch parent := parent.(type) {
	case *ast.BlockStmt:
		siblings = parent.List
	case *ast.CaseClause:
		siblings = parent.Body
	default:
		return "", "its statement is part of another one"
	}
	if len(siblings) > 1 {
		if assign, ok := node.(*ast.AssignStmt); ok && e.isOwn(assign) {
			return "", "its check has several statements"
		}
		return e.removed(node), ""
	}
	switch outer := around[len(around)-3].(type) {
	case *ast.FuncDecl:
		return e.removed(node), ""
	case *ast.FuncLit:
		return "", "it is all that a function literal does"
	case *ast.ForStmt, *ast.RangeStmt:
		return "", "it is made in a loop"
	case *ast.IfStmt:
		return e.withoutBranch(outer, parent.(*ast.BlockStmt), around[:len(around)-2])
	case *ast.BlockStmt: // of a switch
		if clause, ok := parent.(*ast.CaseClause); ok {
			return e.withoutClause(clause, around[:len(around)-2])
		}
	}
	return "", "its statement stands alone in a block that is not read"
}

// isOwn tells whether a statement makes its error by itself, so that what stands around it decides when.
func (e *editing) isOwn(assign *ast.AssignStmt) bool {
	call, _ := unmarked(appended(assign))
	chosen, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || constructors[chosen.Sel.Name] == "" {
		return false
	}
	name, ok := chosen.X.(*ast.Ident)
	return ok && name.Name == "field"
}

// withoutBranch removes a branch that would be empty, and the whole statement if it has no other.
func (e *editing) withoutBranch(outer *ast.IfStmt, branch *ast.BlockStmt, around []ast.Node) (string, string) {
	if branch == outer.Else {
		return e.text[:e.offset(outer.Body.End())] + e.text[e.offset(outer.End()):], ""
	}
	if outer.Init != nil {
		return "", "its condition begins with a statement"
	}
	if what := impure(outer.Cond); what != "" {
		return "", "its condition calls " + what + ", which may do more"
	}
	switch other := outer.Else.(type) {
	case nil:
		if previous, ok := around[len(around)-2].(*ast.IfStmt); ok && previous.Else == outer {
			return e.text[:e.offset(previous.Body.End())] + e.text[e.offset(outer.End()):], ""
		}
		return e.without(around)
	case *ast.BlockStmt:
		return e.text[:e.offset(outer.Cond.Pos())] + e.negated(outer.Cond) + " " + e.text[e.offset(other.Pos()):], ""
	case *ast.IfStmt:
		// `if a {} else if b {...}`: what follows is tried where the condition does not hold.
		if other.Init == nil && other.Else == nil {
			both := e.negated(outer.Cond) + " && " + e.inParens(other.Cond)
			return e.text[:e.offset(outer.Cond.Pos())] + both + " " + e.text[e.offset(other.Body.Pos()):], ""
		}
	}
	return "", "other branches follow its own"
}

func (e *editing) inParens(condition ast.Expr) string {
	if binary, ok := condition.(*ast.BinaryExpr); ok && binary.Op == token.LOR {
		return "(" + e.source(condition) + ")"
	}
	return e.source(condition)
}

var opposites = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.GEQ: "<", token.GTR: "<=", token.LEQ: ">",
}

// negated returns the text of the opposite of a condition.
func (e *editing) negated(condition ast.Expr) string {
	switch one := condition.(type) {
	case *ast.BinaryExpr:
		if opposite := opposites[one.Op]; opposite != "" {
			return e.source(one.X) + " " + opposite + " " + e.source(one.Y)
		}
	case *ast.UnaryExpr:
		if one.Op == token.NOT {
			return e.source(one.X)
		}
	case *ast.Ident, *ast.CallExpr, *ast.ParenExpr, *ast.SelectorExpr:
		return "!" + e.source(condition)
	}
	return "!(" + e.source(condition) + ")"
}

// withoutClause removes a default without statements, and a switch of which no clause has any.
func (e *editing) withoutClause(clause *ast.CaseClause, around []ast.Node) (string, string) {
	outer, ok := around[len(around)-2].(*ast.SwitchStmt)
	if !ok {
		return "", "its statement stands alone in a block that is not read"
	}
	for _, other := range outer.Body.List {
		if other := other.(*ast.CaseClause); other != clause && len(other.Body) > 0 {
			if clause.List == nil {
				return e.removed(clause), ""
			}
			return e.removed(clause.Body[0]), ""
		}
	}
	whats := []string{}
	if outer.Tag != nil {
		whats = append(whats, impure(outer.Tag))
	}
	for _, other := range outer.Body.List {
		for _, value := range other.(*ast.CaseClause).List {
			whats = append(whats, impure(value))
		}
	}
	if outer.Init != nil {
		return "", "its condition begins with a statement"
	}
	for _, what := range whats {
		if what != "" {
			return "", "its condition calls " + what + ", which may do more"
		}
	}
	return e.without(around[:len(around)-1])
}

// removed removes the lines of a node with the comments that stand directly above it and behind it.
func (e *editing) removed(node ast.Node) string {
	from, to := e.offset(node.Pos()), e.offset(node.End())
	from = strings.LastIndexByte(e.text[:from], '\n') + 1
	for _, comment := range e.file.Comments {
		if e.fset.Position(comment.End()).Line == e.fset.Position(node.Pos()).Line-1 &&
			strings.TrimSpace(e.text[strings.LastIndexByte(e.text[:e.offset(comment.Pos())], '\n')+1:e.offset(comment.Pos())]) == "" {
			from = strings.LastIndexByte(e.text[:e.offset(comment.Pos())], '\n') + 1
		}
	}
	if end := strings.IndexByte(e.text[to:], '\n'); end >= 0 {
		to += end + 1
	}
	rest := e.text[to:]
	if strings.HasSuffix(e.text[:from], "{\n") {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return e.text[:from] + rest
}

// plain are functions and methods that change nothing, by their last name.
var plain = map[string]bool{
	"len": true, "cap": true, "string": true, "int": true, "int32": true, "int64": true, "Has": true, "DeepEqual": true,
	"Child": true, "Index": true, "Key": true, "NewPath": true, "RuneCountInString": true, "List": true, "Contains": true,
	"HasPrefix": true, "HasSuffix": true, "Cmp": true, "IsZero": true, "Sprintf": true, "SortedList": true,
}

// impure names a call in an expression that may change something; what is received or made in a literal counts too.
func impure(node ast.Expr) string {
	found := ""
	ast.Inspect(node, func(one ast.Node) bool {
		switch one := one.(type) {
		case *ast.CallExpr:
			name := ""
			switch function := unparen(one.Fun).(type) {
			case *ast.Ident:
				name = function.Name
			case *ast.SelectorExpr:
				name = function.Sel.Name
			}
			if !plain[name] && found == "" {
				found = name + "()"
			}
		case *ast.FuncLit:
			found = "a function literal"
		case *ast.UnaryExpr:
			if one.Op == token.ARROW {
				found = "a channel"
			}
		}
		return true
	})
	return found
}
