package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

func (r *Reader) value(node ast.Expr, scope *Scope) Value {
	if r.steps++; r.steps > mostSteps {
		r.fail(node, "too much to read")
	}
	pkg := r.frame().pkg
	if known, ok := pkg.info.Types[node]; ok && known.Value != nil {
		return r.constant(known.Value)
	}
	switch node := node.(type) {
	case *ast.ParenExpr:
		return r.value(node.X, scope)
	case *ast.Ident:
		return r.named(node, pkg.info.Uses[node], scope)
	case *ast.SelectorExpr:
		return r.selected(node, scope)
	case *ast.StarExpr:
		return r.pointed(node, r.value(node.X, scope))
	case *ast.UnaryExpr:
		return r.unary(node, scope)
	case *ast.BinaryExpr:
		return r.binary(node, scope)
	case *ast.IndexExpr:
		return r.indexed(node, scope)
	case *ast.IndexListExpr:
		return r.value(node.X, scope)
	case *ast.CallExpr:
		return r.called(node, scope)
	case *ast.FuncLit:
		r.forgetAssigned(node, scope)
		return Closure{node, scope, pkg}
	case *ast.CompositeLit:
		return r.literal(node, scope)
	case *ast.TypeAssertExpr:
		value := r.value(node.X, scope)
		if place, ok := value.(PointerTo); ok && node.Type != nil {
			if kind, ok := pkg.info.TypeOf(node.Type).(*types.Pointer); ok && types.Identical(kind.Elem(), place.place.kind) {
				return value
			}
		}
		return Opaque{r.position(node) + ": a type is asserted"}
	}
	return Opaque{fmt.Sprintf("%s: %T", r.position(node), node)}
}

// forgetAssigned forgets the variables that a function literal assigns: it may run at any time.
func (r *Reader) forgetAssigned(node *ast.FuncLit, scope *Scope) {
	_, changed := r.scan(node.Body, r.frame().pkg.info)
	for _, object := range changed {
		if known := scope.find(object); known != nil && !known.opaque {
			switch known.value.(type) {
			case Place, PointerTo, FieldPath, Function, Closure, Opaque:
				continue // what is called on them is read where it is called, and assigning them is told below
			}
			known.value, known.opaque = r.forgotten(known.value, object.Name()+": a function literal assigns it"), true
		}
	}
	ast.Inspect(node.Body, func(inner ast.Node) bool {
		if one, ok := inner.(*ast.AssignStmt); ok && one.Tok != token.DEFINE {
			for _, target := range one.Lhs {
				if name, ok := target.(*ast.Ident); ok {
					if known := scope.find(r.frame().pkg.info.Uses[name]); known != nil && !known.opaque {
						known.value, known.opaque = r.forgotten(known.value, name.Name+": a function literal assigns it"), true
					}
				}
			}
		}
		return true
	})
}

func (r *Reader) constant(value constant.Value) Value {
	switch value.Kind() {
	case constant.Bool:
		if constant.BoolVal(value) {
			return Bool{r.yes()}
		}
		return Bool{r.no()}
	case constant.String:
		return Text{r.text(constant.StringVal(value))}
	case constant.Int:
		return Number{r.number(value.ExactString())}
	}
	return Const{value}
}

func (r *Reader) named(node *ast.Ident, object types.Object, scope *Scope) Value {
	switch object := object.(type) {
	case *types.Nil:
		return Nil{}
	case *types.Func:
		return Function{object: object}
	case *types.Var:
		if known := scope.find(object); known != nil {
			return known.value
		}
		return r.global(node, object)
	}
	return Opaque{r.position(node) + ": " + node.Name}
}

// global returns a variable of a package that nothing assigns.
func (r *Reader) global(node ast.Node, object *types.Var) Value {
	if object.Pkg() == nil || object.Parent() != object.Pkg().Scope() {
		return Opaque{r.position(node) + ": " + object.Name()}
	}
	name := object.Pkg().Path() + "." + object.Name()
	declared := r.sources.variables[name]
	if declared == nil || r.sources.assigned[name] || r.active[name] > 0 {
		return Opaque{r.position(node) + ": the variable " + object.Name()}
	}
	r.active[name]++
	r.frames = append(r.frames, &Frame{pkg: declared.pkg})
	defer func() {
		r.active[name]--
		r.frames = r.frames[:len(r.frames)-1]
	}()
	return r.value(declared.value, newScope(nil))
}

func (r *Reader) selected(node *ast.SelectorExpr, scope *Scope) Value {
	info := r.frame().pkg.info
	selection := info.Selections[node]
	if selection == nil { // of a package
		return r.named(node.Sel, info.Uses[node.Sel], scope)
	}
	value := r.value(node.X, scope)
	if selection.Kind() == types.MethodVal {
		if method, ok := selection.Obj().(*types.Func); ok {
			return Function{method, value}
		}
		return Opaque{r.position(node)}
	}
	if selection.Kind() != types.FieldVal {
		return Opaque{r.position(node)}
	}
	if fields, ok := value.(Fields); ok && len(selection.Index()) == 1 {
		if known, ok := fields.values[node.Sel.Name]; ok {
			return known
		}
		return r.zero(selection.Type())
	}
	place, ok := r.placed(value)
	if !ok {
		return Opaque{r.position(node) + ": a member of something that is not read"}
	}
	kind := place.kind
	for _, number := range selection.Index() {
		if pointer, ok := kind.Underlying().(*types.Pointer); ok {
			if r.converted[pointer.Elem().String()] {
				return r.standing(place.path, pointer.Elem())
			}
			place, kind = Place{place.path + "^", pointer.Elem()}, pointer.Elem()
		}
		structure, ok := kind.Underlying().(*types.Struct)
		if !ok || number >= structure.NumFields() {
			return Opaque{r.position(node) + ": a member of something that is no struct"}
		}
		member := structure.Field(number)
		place = Place{place.path + "." + member.Name(), member.Type()}
		kind = member.Type()
		if r.converted[kind.String()] {
			return r.standing(place.path, kind)
		}
	}
	return place
}

// standing returns what stands at a place, which is not known where a function written by hand converts it.
func (r *Reader) standing(path string, kind types.Type) Value {
	if r.converted[kind.String()] {
		return Opaque{kind.String() + ": its conversion is written by hand"}
	}
	return Place{path, kind}
}

// placed returns the place of a value, or that which it points to.
func (r *Reader) placed(value Value) (Place, bool) {
	switch value := value.(type) {
	case Place:
		return value, true
	case PointerTo:
		return value.place, true
	}
	return Place{}, false
}

func (r *Reader) pointed(node ast.Node, value Value) Value {
	switch value := value.(type) {
	case PointerTo:
		return value.place
	case Place:
		if pointer, ok := value.kind.Underlying().(*types.Pointer); ok {
			return r.standing(value.path+"^", pointer.Elem())
		}
	}
	return Opaque{r.position(node) + ": what a pointer points to"}
}

func (r *Reader) unary(node *ast.UnaryExpr, scope *Scope) Value {
	switch node.Op {
	case token.NOT:
		return Bool{r.not(r.condition(node.X, scope))}
	case token.AND:
		if place, ok := r.value(node.X, scope).(Place); ok {
			return PointerTo{place}
		}
		if name, ok := unparen(node.X).(*ast.Ident); ok {
			if known := scope.find(r.frame().pkg.info.Uses[name]); known != nil && known.opaque {
				return LocalPointer{}
			}
		}
	}
	return Opaque{r.position(node) + ": " + node.Op.String()}
}

// scalar returns the value at a place as what it is compared with.
func (r *Reader) scalar(value Value) Value {
	place, ok := value.(Place)
	if !ok {
		return value
	}
	basic, ok := place.kind.Underlying().(*types.Basic)
	if !ok {
		return value
	}
	switch {
	case basic.Info()&types.IsString != 0:
		return Text{r.node("text?", "text:"+place.path)}
	case basic.Info()&types.IsBoolean != 0:
		return Bool{r.variable("bool:" + place.path)}
	case basic.Info()&types.IsInteger != 0:
		return Number{r.node("number?", basic.Name()+":"+place.path)}
	}
	return value
}

func (r *Reader) condition(node ast.Expr, scope *Scope) *Formula {
	return r.truth(r.value(node, scope), node)
}

func (r *Reader) truth(value Value, node ast.Node) *Formula {
	switch value := r.scalar(value).(type) {
	case Bool:
		return value.node
	case Applied:
		return r.variable("true:" + value.name)
	case Zero:
		return r.no()
	case Opaque:
		return r.unknown(value.why)
	}
	return r.unknown(r.position(node) + ": a condition")
}

func (r *Reader) binary(node *ast.BinaryExpr, scope *Scope) Value {
	switch node.Op {
	case token.LAND, token.LOR:
		one := r.condition(node.X, scope)
		// The other operand is evaluated only if the first one does not decide.
		live, branch := r.live, r.branch
		when := one
		if node.Op == token.LOR {
			when = r.not(one)
		}
		r.live, r.branch = r.and(live, when), r.and(branch, when)
		other := r.condition(node.Y, scope)
		r.live, r.branch = live, branch
		if node.Op == token.LAND {
			return Bool{r.and(one, other)}
		}
		return Bool{r.or(one, other)}
	}
	one, other := r.value(node.X, scope), r.value(node.Y, scope)
	at := r.position(node)
	switch node.Op {
	case token.EQL:
		return Bool{r.equal(one, other, at)}
	case token.NEQ:
		return Bool{r.not(r.equal(one, other, at))}
	case token.LSS:
		return Bool{r.less(one, other, at)}
	case token.GTR:
		return Bool{r.less(other, one, at)}
	case token.LEQ:
		return Bool{r.not(r.less(other, one, at))}
	case token.GEQ:
		return Bool{r.not(r.less(one, other, at))}
	case token.QUO:
		if one, ok := one.(Floating); ok && one.divisor == 1 && !one.isUp {
			if divisor, ok := other.(Const); ok {
				if exact, isExact := constant.Int64Val(constant.ToInt(divisor.value)); isExact && exact > 0 {
					return Floating{one.node, exact, false}
				}
			}
			if divisor, ok := other.(Number); ok && divisor.node.op == "number" {
				var exact int64
				if _, err := fmt.Sscan(divisor.node.name, &exact); err == nil && exact > 0 {
					return Floating{one.node, exact, false}
				}
			}
		}
	}
	return Opaque{at + ": " + node.Op.String()}
}

func (r *Reader) indexed(node *ast.IndexExpr, scope *Scope) Value {
	info := r.frame().pkg.info
	if known, ok := info.Types[node.X]; ok && !known.IsValue() {
		return Opaque{r.position(node)}
	}
	over := r.value(node.X, scope)
	if function, ok := over.(Function); ok { // with arguments for its types
		return function
	}
	index := r.value(node.Index, scope)
	place, ok := over.(Place)
	known, isIndex := index.(Index)
	if ok && isIndex && known.place == place.path {
		if slice, ok := place.kind.Underlying().(*types.Slice); ok {
			return r.standing(place.path+"[*]", slice.Elem())
		}
	}
	return Opaque{r.position(node) + ": an item"}
}

func (r *Reader) literal(node *ast.CompositeLit, scope *Scope) Value {
	kind := r.frame().pkg.info.TypeOf(node)
	if kind == nil {
		return Opaque{r.position(node)}
	}
	if isErrors(kind) {
		if _, isOne := kind.Underlying().(*types.Slice); !isOne {
			return r.anyError(r.position(node)+": an error that is made without a constructor", nil, nil)
		}
		var found []Reported
		for _, one := range node.Elts {
			list, ok := r.value(one, scope).(Errors)
			if !ok {
				return r.anyError(r.position(node)+": errors that are not read", nil, nil)
			}
			found = append(found, list.items...)
		}
		return Errors{found}
	}
	switch under := kind.Underlying().(type) {
	case *types.Struct:
		fields := map[string]Value{}
		for number, one := range node.Elts {
			if pair, ok := one.(*ast.KeyValueExpr); ok {
				fields[pair.Key.(*ast.Ident).Name] = r.value(pair.Value, scope)
			} else if number < under.NumFields() {
				fields[under.Field(number).Name()] = r.value(one, scope)
			}
		}
		return Fields{fields}
	case *types.Slice:
		var found []Value
		for _, one := range node.Elts {
			if _, ok := one.(*ast.KeyValueExpr); ok {
				return Opaque{r.position(node)}
			}
			found = append(found, r.value(one, scope))
		}
		return Choices{values: found}
	case *types.Map:
		var found []Value
		for _, one := range node.Elts {
			found = append(found, r.value(one.(*ast.KeyValueExpr).Key, scope))
		}
		return Choices{found, true}
	}
	return Opaque{r.position(node) + ": a literal"}
}
