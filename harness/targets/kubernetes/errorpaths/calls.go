package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

const (
	mostDepth     = 60
	mostRecursion = 3
	mostImplement = 40
)

// Node is a function with what it is given. A function that is given something else is another node.
type Node struct {
	number   int
	name     string
	home     *Node // of a literal: the node of the function around it, which holds what they share
	cells    map[types.Object]*Cell
	version  int // of the shared variables
	results  []*Value
	given    bool
	round    int
	read     int // the version of home that it was last read with
	isActive bool
	callers  map[Caller]bool
}

// Caller is a call of a node: the node that calls, and the site of the call.
type Caller struct {
	node *Node
	site int
}

// give adds what a return statement returns.
func (n *Node) give(values []*Value) {
	if !n.given {
		n.results, n.given = append([]*Value{}, values...), true
		return
	}
	for number, value := range values {
		if number < len(n.results) {
			n.results[number] = join(n.results[number], value)
		}
	}
}

// Reader reads the functions of one kind.
type Reader struct {
	sources   *Sources
	sites     *Sites
	nodes     map[string]*Node
	globals   map[types.Object]*Value
	sharedOf  map[ast.Node]map[types.Object]bool
	active    map[string]int
	depth     int
	round     int
	recursive bool
	isCommon  bool // what the strategies of all kinds have in common is read
	open      map[Open]bool
}

// Open is a call that may report errors at a path or below it, and is not followed.
type Open struct {
	node *Node
	site int
	path string
	why  string
}

func newReader(sources *Sources, sites *Sites) *Reader {
	return &Reader{
		sources: sources, sites: sites, nodes: map[string]*Node{}, globals: map[types.Object]*Value{},
		sharedOf: map[ast.Node]map[types.Object]bool{}, active: map[string]int{},
		open: map[Open]bool{},
	}
}

func (f *Function) key() string {
	if f.literal == nil {
		return f.object.FullName() + f.receiver.key(0)
	}
	parts := make([]string, 0, len(f.captured))
	named := map[string]*Value{}
	for object, value := range f.captured {
		named[fmt.Sprintf("%s:%d", object.Name(), object.Pos())] = value
	}
	for _, name := range ordered(named) {
		parts = append(parts, name+"="+named[name].key(1))
	}
	return fmt.Sprintf("literal:%d:%d:%s", f.literal.Pos(), f.home.number, strings.Join(parts, ","))
}

func (w *Walk) called(node *ast.CallExpr) []*Value {
	info := w.pkg.info
	if kind, ok := info.Types[node.Fun]; ok && kind.IsType() {
		return []*Value{w.value(node.Args[0])}
	}
	if name, ok := unparen(node.Fun).(*ast.Ident); ok {
		if _, isBuiltin := info.Uses[name].(*types.Builtin); isBuiltin {
			return []*Value{w.builtin(name.Name, node)}
		}
	}
	function := w.value(node.Fun)
	var arguments []*Value
	if len(node.Args) == 1 {
		if all, ok := info.TypeOf(node.Args[0]).(*types.Tuple); ok {
			arguments = w.values(node.Args[0])
			for len(arguments) < all.Len() {
				arguments = append(arguments, nil)
			}
		}
	}
	if arguments == nil {
		for _, one := range node.Args {
			arguments = append(arguments, w.value(one))
		}
	}
	if function == nil || len(function.functions) == 0 {
		return w.unread(node, "a call of something that is not known", arguments)
	}
	var results []*Value
	for number, name := range ordered(function.functions) {
		one := function.functions[name]
		own := w.callOne(node, one, arguments)
		if number == 0 {
			results = append([]*Value{}, own...)
			continue
		}
		for index, value := range own {
			if index < len(results) {
				results[index] = join(results[index], value)
			} else {
				results = append(results, value)
			}
		}
	}
	return results
}

func (w *Walk) builtin(name string, node *ast.CallExpr) *Value {
	var arguments []*Value
	for _, one := range node.Args {
		if known, ok := w.pkg.info.Types[one]; ok && known.IsType() {
			continue
		}
		arguments = append(arguments, w.value(one))
	}
	if name != "append" || len(arguments) == 0 {
		return nil
	}
	found := arguments[0]
	for number, one := range arguments[1:] {
		if node.Ellipsis.IsValid() && number == len(arguments)-2 {
			found = join(found, one)
			continue
		}
		added := &Value{items: one}
		if one != nil {
			added.errors = one.errors
		}
		if added.isEmpty() {
			continue
		}
		found = join(found, added)
	}
	if found != nil && found.isNil { // a list that something was added to is not nil
		found = nil
	}
	return found
}

// callOne reads a call of one function.
func (w *Walk) callOne(node *ast.CallExpr, function *Function, arguments []*Value) []*Value {
	if function.literal != nil {
		return w.call(node.Pos(), function, spread(w.pkg.info.TypeOf(function.literal), arguments, node.Ellipsis.IsValid()))
	}
	object := function.object.Origin()
	if object.Pkg() != nil && object.Pkg().Path() == fieldPackage {
		return w.field(node, function, arguments)
	}
	if known, ok := w.library(object, function, arguments); ok {
		return known
	}
	signature := object.Type().(*types.Signature)
	if receiver := signature.Recv(); receiver != nil && types.IsInterface(receiver.Type()) {
		return w.implementations(node, function, arguments)
	}
	if w.declared(object) == nil {
		return w.unread(node, object.FullName()+" is not read", arguments)
	}
	return w.call(node.Pos(), function, spread(signature, arguments, node.Ellipsis.IsValid()))
}

func (r *Reader) declared(object *types.Func) *Declared {
	if object.Pkg() == nil {
		return nil
	}
	if _, err := r.sources.Import(object.Pkg().Path()); err != nil {
		return nil
	}
	return r.sources.functions[object.FullName()]
}

// spread gathers the arguments of a function that takes any number of them.
func spread(kind types.Type, arguments []*Value, isSpread bool) []*Value {
	signature, ok := kind.(*types.Signature)
	if !ok || !signature.Variadic() || isSpread {
		return arguments
	}
	fixed := signature.Params().Len() - 1
	if len(arguments) < fixed {
		return arguments
	}
	found := append([]*Value{}, arguments[:fixed]...)
	rest := &Value{}
	for number, one := range arguments[fixed:] {
		if number == 0 {
			rest.items = one
		} else {
			rest.items = join(rest.items, one)
		}
		if one != nil {
			rest.errors = joined(rest.errors, one.errors)
		}
	}
	if len(arguments) == fixed {
		rest = nilValue
	}
	return append(found, rest)
}

// call reads a function with what it is given, once for all calls that give it the same.
func (w *Walk) call(at token.Pos, function *Function, arguments []*Value) []*Value {
	site := w.sites.at(w.pkg, at)
	name, pkg := "", function.pkg
	var body *ast.BlockStmt
	var kind *ast.FuncType
	var receivers *ast.FieldList
	var around ast.Node
	if function.literal != nil {
		name = function.key()
		kind, body = function.literal.Type, function.literal.Body
	} else {
		declared := w.declared(function.object.Origin())
		name = function.object.Origin().FullName()
		pkg, kind, body, receivers = declared.pkg, declared.function.Type, declared.function.Body, declared.function.Recv
		around = declared.function
	}
	short := name
	var key strings.Builder
	key.WriteString(name)
	key.WriteString(function.receiver.key(0))
	for _, one := range arguments {
		key.WriteString(one.key(0))
	}
	found := w.nodes[key.String()]
	if found == nil {
		if w.active[short] >= mostRecursion || w.depth > mostDepth {
			w.noteOpen(site, arguments, "a function that calls itself is followed only so far")
			return nil
		}
		found = &Node{number: len(w.nodes) + 1, name: short, cells: map[types.Object]*Cell{}, callers: map[Caller]bool{}}
		found.home = found
		if function.literal != nil {
			found.home = function.home
		}
		w.nodes[key.String()] = found
	}
	found.callers[Caller{w.node, site}] = true
	if found.isActive {
		w.recursive = true
		return found.results
	}
	if found.round == w.round && (function.literal == nil || found.read == found.home.version) {
		return found.results
	}
	found.round, found.isActive = w.round, true
	w.active[short]++
	w.depth++
	for round := 0; round < 2*mostRounds; round++ {
		version := found.home.version
		inner := &Walk{Reader: w.Reader, node: found, pkg: pkg, now: &Environment{values: map[types.Object]*Value{}}}
		if function.literal != nil {
			inner.shared = w.sharedFor(pkg, function.literal)
			for object, value := range function.captured {
				inner.now.values[object] = value
			}
		} else {
			w.noteShared(pkg, around)
			inner.shared = w.sharedOf[around]
		}
		inner.run(kind, body, receivers, function.receiver, arguments)
		found.read = version
		if found.home.version == version || found.home != found {
			break
		}
	}
	w.depth--
	w.active[short]--
	found.isActive = false
	return found.results
}

func (r *Reader) noteShared(pkg *Package, around ast.Node) {
	if r.sharedOf[around] != nil {
		return
	}
	r.sharedOf[around] = sharedIn(pkg, around)
	ast.Inspect(around, func(node ast.Node) bool {
		if literal, ok := node.(*ast.FuncLit); ok {
			r.sharedOf[literal] = r.sharedOf[around]
		}
		return true
	})
}

func (r *Reader) sharedFor(pkg *Package, literal *ast.FuncLit) map[types.Object]bool {
	if r.sharedOf[literal] == nil { // the value of a variable of a package
		r.noteShared(pkg, literal)
	}
	return r.sharedOf[literal]
}

func (w *Walk) run(kind *ast.FuncType, body *ast.BlockStmt, receivers *ast.FieldList, receiver *Value, arguments []*Value) {
	if receivers != nil && len(receivers.List) == 1 && len(receivers.List[0].Names) == 1 {
		if object := w.pkg.info.Defs[receivers.List[0].Names[0]]; object != nil {
			w.set(object, receiver)
		}
	}
	number := 0
	for _, one := range kind.Params.List {
		for _, name := range one.Names {
			if object := w.pkg.info.Defs[name]; object != nil {
				var value *Value
				if number < len(arguments) {
					value = arguments[number]
				}
				if value == nil && isPath(object.Type()) {
					value = &Value{isVague: true}
				}
				w.set(object, value)
			}
			number++
		}
		number += max(1-len(one.Names), 0)
	}
	if kind.Results != nil {
		for _, one := range kind.Results.List {
			for _, name := range one.Names {
				if object := w.pkg.info.Defs[name]; object != nil {
					w.set(object, zero(object.Type()))
					w.named = append(w.named, object)
				}
			}
		}
	}
	w.block(body.List)
}

// global returns the value of a variable of a package, if nothing assigns it.
func (w *Walk) global(object *types.Var) *Value {
	if value, known := w.globals[object]; known {
		return value
	}
	w.globals[object] = nil
	if object.Pkg() == nil {
		return nil
	}
	if _, err := w.sources.Import(object.Pkg().Path()); err != nil {
		return nil
	}
	name := object.Pkg().Path() + "." + object.Name()
	declared := w.sources.variables[name]
	if declared == nil || w.sources.assigned[name] {
		return nil
	}
	inner := &Walk{
		Reader: w.Reader, pkg: declared.pkg, now: &Environment{values: map[types.Object]*Value{}},
		node: &Node{name: name, cells: map[types.Object]*Cell{}, callers: map[Caller]bool{}},
	}
	inner.node.home = inner.node
	w.globals[object] = inner.value(declared.value)
	return w.globals[object]
}

// begin reads a function that a kind begins with.
func (r *Reader) begin(root *Node, object *types.Func, returned map[Reported]bool) {
	declared := r.declared(object)
	if declared == nil {
		return
	}
	walk := &Walk{Reader: r, node: root, pkg: declared.pkg, now: &Environment{values: map[types.Object]*Value{}}}
	for _, value := range walk.call(declared.function.Pos(), &Function{object: object}, nil) {
		if value == nil || returned == nil {
			continue
		}
		for one := range value.errors {
			returned[one] = true
		}
	}
}
