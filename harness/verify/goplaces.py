"""Which fields of API types Go code names: by selectors (`spec.Replicas`) and by paths (`Child("replicas")`).

Types of variables are worked out where that is easy: parameters, assertions, ranges, assignments from other fields. A
path is followed together with the type that stands at it. What is not understood names nothing, and is said to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tree_sitter import Node

from harness.gotypes.constants import unquote
from harness.gotypes.model import TypeRef
from harness.gotypes.packages import Universe
from harness.jsonpath import ITEMS
from harness.verify.gocode import Decl, text_of, walk
from harness.verify.gomembers import Found, Members, pointed
from harness.verify.touches import Member

_PATH = "k8s.io/apimachinery/pkg/util/validation/field.Path"
_SCOPES = frozenset({"block", "for_statement", "if_statement", "func_literal", "function_declaration",
                     "method_declaration", "expression_case", "type_case", "default_case",
                     "expression_switch_statement", "type_switch_statement"})  # fmt: skip
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A field that code names. `trail` leads from a value of the type `root` to the struct that has the field.

    Its steps are Go names, `[*]` for items and values.
    """

    member: Member
    root: str
    trail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GoExpression:
    """What an expression is: a value of a type, or the path of one. `member` is the field it was reached by.

    `root` and `trail` tell the whole way to it, from what the function was handed.
    """

    type: TypeRef
    member: Member | None = None
    is_path: bool = False
    root: str = ""
    trail: tuple[str, ...] = ()

    @property
    def named(self) -> FieldUse | None:
        """The field it is, without the items of it that may have been meant."""
        if self.member is None:
            return None
        trail = self.trail
        while trail and trail[-1] == ITEMS:
            trail = trail[:-1]
        return FieldUse(self.member, self.root, trail[:-1])


@dataclass(frozen=True, slots=True)
class _Variable:
    name: str
    start: int
    end: int
    spot: GoExpression


class Places:
    """The fields that one function names. `universe` knows the types that it may speak of."""

    def __init__(self, universe: Universe, decl: Decl) -> None:
        self._universe, self._decl, self._members = universe, decl, Members(universe)
        self._variables: list[_Variable] = []
        self._parameters()
        for node in walk(decl.node):
            self._declare(node)

    def named_in(self, node: Node) -> dict[FieldUse, None]:
        """Return the fields named in a piece of the function, paths first: those say what is judged."""
        paths: dict[FieldUse, None] = {}
        values: dict[FieldUse, None] = {}
        for one in walk(node):
            if one.type in ("call_expression", "selector_expression") and not _is_inner(one):
                spot = self._spot(one)
                named = spot.named if spot is not None else None
                if spot is not None and named is not None:
                    (paths if spot.is_path else values)[named] = None
        return {**paths, **values}

    def is_path(self, node: Node) -> bool:
        """Whether an expression is, or looks like, the path of a field."""
        if "NewPath(" in text_of(node) or ".Child(" in text_of(node):
            return True
        spot = self._spot(node)
        return spot is not None and spot.is_path

    def types(self) -> Iterator[str]:
        """Yield the named types that the function is handed, or takes its arguments for."""
        for one in self._variables:
            if not one.spot.is_path and (name := self._members.named(one.spot.type)):
                yield name

    # Variables

    def _parameters(self) -> None:
        listed = self._decl.node.child_by_field_name("parameters")
        structs: list[TypeRef] = []
        for parameter in listed.named_children if listed is not None else ():
            ref = self._ref(parameter.child_by_field_name("type"))
            names = [text_of(one) for one in parameter.children_by_field_name("name")]
            is_path = ref is not None and pointed(ref).name == _PATH
            if is_path and structs:
                for name in names:
                    self._add(name, self._decl.node, self._decl.node, self._begin(structs[-1], True))
            elif ref is not None and not is_path:
                if self._is_api(ref):
                    structs += [] if any(pointed(ref) == pointed(one) for one in structs) else [ref]
                for name in names:
                    self._add(name, self._decl.node, self._decl.node, self._begin(ref))

    def _is_api(self, ref: TypeRef) -> bool:
        bare = pointed(ref)
        while bare.elem is not None:
            bare = pointed(bare.elem)
        return bare.kind == "named" and self._universe.find(bare.name) is not None

    def _declare(self, node: Node) -> None:
        if node.type == "short_var_declaration":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            names = left.named_children if left is not None else []
            values = right.named_children if right is not None else []
            for name, value in zip(names, values, strict=False):
                self._assign(text_of(name), node, value)
        elif node.type == "var_spec" and node != self._decl.node:
            values = (node.child_by_field_name("value") or node).named_children
            ref = self._ref(node.child_by_field_name("type"))
            for name, value in zip(node.children_by_field_name("name"), values, strict=False):
                if ref is not None:
                    self._add(text_of(name), node, _scope(node), self._begin(ref))
                else:
                    self._assign(text_of(name), node, value)
        elif node.type == "range_clause":
            self._range(node)

    def _assign(self, name: str, node: Node, value: Node) -> None:
        spot = self._spot(value)
        if spot is not None:
            self._add(name, node, _scope(node), spot)

    def _range(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        spot = self._spot(right) if right is not None else None
        names = [text_of(one) for one in left.named_children] if left is not None else []
        if spot is None or spot.is_path or not names:
            return
        native = self._members.native(spot.type)
        scope = node.parent or node
        if native.kind == "map" and native.key is not None:
            self._add(names[0], node, scope, replace(spot, type=native.key))
        if len(names) > 1 and native.elem is not None and native.kind != "pointer":
            self._add(names[1], node, scope, replace(spot, type=native.elem, trail=(*spot.trail, ITEMS)))

    def _add(self, name: str, node: Node, scope: Node, spot: GoExpression) -> None:
        if name != "_":
            self._variables.append(_Variable(name, node.start_byte, scope.end_byte, spot))

    # Expressions

    def _spot(self, node: Node, depth: int = 0) -> GoExpression | None:
        if depth > _DEEPEST:
            return None
        match node.type:
            case "identifier":
                return self._variable(text_of(node), node.start_byte)
            case "selector_expression":
                operand = self._spot(node.children[0], depth + 1)
                return self._member(operand, text_of(node.children[-1])) if operand and not operand.is_path else None
            case "index_expression" | "slice_expression":
                operand = self._spot(node.children[0], depth + 1)
                return self._items(operand) if operand and node.type == "index_expression" else operand
            case "unary_expression" | "parenthesized_expression" | "expression_list":
                inner = next(iter(reversed(node.named_children)), None)
                return self._spot(inner, depth + 1) if inner is not None else None
            case "type_assertion_expression":
                ref = self._ref(node.child_by_field_name("type"))
                return self._begin(ref) if ref is not None else None
            case "call_expression":
                return self._call(node, depth)
        return None

    def _variable(self, name: str, at: int) -> GoExpression | None:
        seen = [one for one in self._variables if one.name == name and one.start <= at < one.end]
        return max(seen, key=lambda one: one.start).spot if seen else None

    def _call(self, node: Node, depth: int) -> GoExpression | None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else []
        if function is None:
            return None
        if function.type != "selector_expression":
            if function.type in ("identifier", "parenthesized_expression") and len(given) == 1 and _is_cast(function):
                return self._spot(given[0], depth + 1)
            return None
        method = text_of(function.children[-1])
        if method == "NewPath":
            return self._descend(self._root(given), given)
        operand = self._spot(function.children[0], depth + 1)
        if operand is None or not operand.is_path:
            return None
        if method == "Child":
            return self._descend(operand, given)
        return self._items(operand) if method in ("Index", "Key") else None

    def _root(self, given: list[Node]) -> GoExpression | None:
        """Return where a new path begins: at an object that the function has, whose member is named first."""
        first = unquote(text_of(given[0])) if given else None
        for one in self._variables:
            if first and not one.spot.is_path and self._members.by_json(one.spot.type, first) is not None:
                return replace(one.spot, type=pointed(one.spot.type), is_path=True)
        return None

    def _descend(self, spot: GoExpression | None, given: list[Node]) -> GoExpression | None:
        for node in given:
            names = (unquote(text_of(node)) or "").split(".") if node.type.endswith("string_literal") else [""]
            for name in names:
                if spot is None or not name:
                    return None
                found = self._members.by_json(spot.type, name)
                if found is None:
                    return None
                spot = replace(_at(spot, found), is_path=True)
        return spot

    def _items(self, spot: GoExpression) -> GoExpression | None:
        native = self._members.native(spot.type)
        if native.elem is None or native.kind == "pointer":
            return spot if spot.is_path else None
        return replace(spot, type=native.elem, trail=(*spot.trail, ITEMS))

    def _member(self, spot: GoExpression, name: str) -> GoExpression | None:
        found = self._members.by_go_name(self._members.named(spot.type), name)
        return _at(spot, found) if found is not None else None

    def _begin(self, ref: TypeRef, is_path: bool = False) -> GoExpression:
        """Begin at what a function is handed; of a list of values, at one of them."""
        bare = pointed(ref)
        while bare.elem is not None:
            bare = pointed(bare.elem)
        return GoExpression(ref, None, is_path, bare.name if bare.kind == "named" else "")

    # Types

    def _ref(self, node: Node | None) -> TypeRef | None:
        """Read a type."""
        if node is None:
            return None
        match node.type:
            case "pointer_type" | "slice_type" | "array_type":
                elem = self._ref(node.named_children[-1])
                if elem is None:
                    return None
                return TypeRef("pointer" if node.type == "pointer_type" else "list", elem=elem)
            case "map_type":
                key, elem = (self._ref(node.child_by_field_name(name)) for name in ("key", "value"))
                return TypeRef("map", elem=elem, key=key) if elem is not None else None
            case "qualified_type":
                path = self._decl.file.imports.get(text_of(node.children[0]), "")
                return TypeRef("named", f"{path}.{text_of(node.children[-1])}")
            case "type_identifier":
                return TypeRef("named", f"{self._decl.file.package}.{text_of(node)}")
            case "parenthesized_type":
                return self._ref(node.named_children[0])
        return None


def _at(spot: GoExpression, found: Found) -> GoExpression:
    """Go on to a member."""
    owner, field, through = found
    trail = (*spot.trail, *through, field.name)
    return replace(spot, type=field.type, member=(owner, field.name), trail=trail)


def _scope(node: Node) -> Node:
    above = node.parent
    while above is not None and above.type not in _SCOPES:
        above = above.parent
    return above or node


def _is_inner(node: Node) -> bool:
    """Whether an expression goes on: it is the beginning of a longer selector or path."""
    above = node.parent
    if above is None:
        return False
    if above.type == "selector_expression" and above.children[0] == node:
        call = above.parent
        method = text_of(above.children[-1])
        return call is None or call.type != "call_expression" or method in ("Child", "Index", "Key")
    return above.type == "call_expression" and node.type == "selector_expression" and above.children[0] == node


def _is_cast(function: Node) -> bool:
    return text_of(function) in ("int", "int32", "int64", "uint", "uint32", "uint64", "string", "float64", "bool")
