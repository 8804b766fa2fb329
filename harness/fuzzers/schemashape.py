"""The shape of the objects of a JSON Schema: members, items and kinds of values, and the values that its rules suggest.

Several schemas may describe one object, such as that of the old and that of the new validator: the shape has the
members of all, and the values of the rules of all. Unions and `allOf` are merged in the same way; what cannot be merged
is `any`. References inside the schema are followed, others are `any`. Nothing is decided by it: a validator alone says
what is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from harness.case import Json
from harness.fuzzers.patterns import matching_strings, near_misses
from harness.fuzzers.shape import ANY, STRING, FieldShape, Shape, ShapeKind
from harness.fuzzers.suggestions import Suggestions

_MOST_BRANCHES = 200
"""At most this many variants and parts of one value are read."""
_DEEPEST = 30
"""References to references are followed so deep."""
_LONGEST, _MOST_ITEMS = 5_000, 1_024
"""Larger limits suggest no values: nobody waits for a list of a million items."""
_MOST_HINTS = 24

_FORMATS = {
    "date-time": "time", "email": "email", "uuid": "uid", "uri": "url", "date": "date", "time": "time-of-day",
    "duration": "iso-duration", "ipv4": "ip", "ipv6": "ip", "ipvanyaddress": "ip", "hostname": "dns-subdomain",
    "idn-email": "email", "url": "url", "binary": "", "uuid4": "uid",
}  # fmt: skip
"""The contents of formats that have some."""

_FOREIGN: dict[str, tuple[Json, ...]] = {
    "int": ("1", 1.0, 1.5, True, None, [], "a", 1e300),
    "float": ("1.5", True, None, "a", []),
    "decimal": (None, True, [], "a", {}),
    "bool": ("true", 1, 0, "yes", None, 2, "on"),
    "string": (1, True, None, [], {}),
    "time": (0, 1, 1.5, "2024-01-01", "0", None, "2024-01-01T00:00:00"),
    "list": ({}, "a", None, {"0": 1}),
    "map": ([], None, "a"),
    "struct": ([], None, "a", 1),
}
"""Values of other JSON types, which a validator may take for those of a kind."""


class _Node(NamedTuple):
    """A schema inside a document, to whose root references lead. `name` is that of its definition or title."""

    root: Json
    schema: dict[str, Any]
    name: str = ""


def shape_of_schemas(name: str, schemas: Sequence[Json]) -> Shape:
    """Return the shape of objects that each of these schemas describes; `name` is that of its package."""
    known = _SchemaShapes(name)
    nodes = [_Node(schema, schema) for schema in schemas if isinstance(schema, dict)]
    shape = known.of(nodes, "object")
    return shape if shape.is_plain else SchemaShape("any", "", known, [])


class SchemaShape(Shape):
    """The shape of a value that schemas describe."""

    def __init__(self, kind: ShapeKind, type: str, owner: _SchemaShapes, nodes: list[_Node]) -> None:
        choices = _choices_of(nodes) if kind in ("string", "int") else ()
        format = next((_FORMATS[one] for one in _all(nodes, "format") if one in _FORMATS), "")
        super().__init__(kind, type, choices=choices, format=format if kind == "string" else "")
        self._shapes, self._nodes = owner, nodes

    def within(self, owner: str, name: str) -> Shape:
        """Return this shape: a schema says its format itself."""
        return self

    @property
    def is_plain(self) -> bool:
        """A schema may name any member `kind` or `status`: to it, they are like the others."""
        return True

    @cached_property
    def fields(self) -> tuple[FieldShape, ...]:
        """The members that the schemas name, and one that none of them names."""
        if self.kind != "struct":
            return ()
        found: dict[str, list[_Node]] = {}
        for node in self._nodes:
            for name, schema in _members(node, "properties"):
                found.setdefault(name, []).append(schema)
        always = _required(self._nodes)
        own = [self._declared(name, nodes, name in always) for name, nodes in found.items()]
        unexpected = next(name for name in ("unexpected", "unexpectedField") if name not in found)
        return (*own, FieldShape(unexpected, UNEXPECTED, pointer=True, omitempty=True, owner=self.type))

    def _declared(self, name: str, nodes: list[_Node], is_required: bool) -> FieldShape:
        shape = self._shapes.of(nodes, f"{self.type.rpartition('.')[2]}.{name}")
        read = list(_read(nodes))
        return FieldShape(
            name, shape, pointer=_is_nullable(read), omitempty=not is_required, hints=_hints(read),
            suggestions=_suggestions(shape, read), owner=self.type,
        )  # fmt: skip

    @cached_property
    def elem(self) -> Shape:
        """The shape of the items of a list, or of the values of a map."""
        if self.kind == "list":
            found = [*self._below("items"), *(one for node in self._nodes for one in _prefixes(node))]
        elif self.kind == "map":
            found = [*self._below("additionalProperties"), *(two for _, two in self._patterned())]
        else:
            return ANY
        return self._shapes.of(found, f"{self.type.rpartition('.')[2]}.item") if found else ANY

    @cached_property
    def key(self) -> Shape:
        """The shape of the keys of a map."""
        found = self._below("propertyNames")
        found += [_Node(node.root, {"type": "string", "pattern": name}) for name, node in self._patterned()]
        return self._shapes.of(found, "key") if found else STRING if self.kind == "map" else ANY

    def _below(self, keyword: str) -> list[_Node]:
        some = (node.schema.get(keyword) for node in self._nodes)
        return [_Node(node.root, one) for node, one in zip(self._nodes, some, strict=True) if isinstance(one, dict)]

    def _patterned(self) -> list[tuple[str, _Node]]:
        return [one for node in self._nodes for one in _members(node, "patternProperties")]

    @cached_property
    def own_probes(self) -> tuple[Json, ...]:
        """Values at the limits of its rules, and values of other JSON types."""
        return (*_at_limits(self.kind, self._nodes), *_FOREIGN.get(self.kind, ()))


UNEXPECTED = Shape("any")
"""The shape of a member that no schema names: a validator may reject it, ignore it or keep it."""


class _SchemaShapes:
    """The shapes of some schemas, each made once, so that a recursive schema is finite."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._made: dict[tuple[int, ...], Shape] = {}

    def of(self, nodes: Iterable[_Node], name: str) -> Shape:
        """Return the shape of a value; `name` is that of a type that has none of its own."""
        read = list(_read(nodes))
        key = tuple(sorted(id(node.schema) for node in read))
        if key not in self._made:
            self._made[key] = ANY  # of a schema that is its own variant
            named = next((node.name for node in read if node.name), name)
            self._made[key] = self._make(read, f"{self._package}.{named}")
        return self._made[key]

    def _make(self, nodes: list[_Node], type: str) -> Shape:
        kind = _united(map(_kind_of, nodes)) or "any"
        return ANY if kind == "any" else SchemaShape(kind, type, self, nodes)


_KINDS_OF_UNIONS: dict[frozenset[ShapeKind], ShapeKind] = {
    frozenset({"struct", "map"}): "struct", frozenset({"int", "float"}): "float",
    frozenset({"float", "string"}): "decimal", frozenset({"int", "string"}): "int-or-string",
    frozenset({"int", "float", "string"}): "decimal",
}  # fmt: skip


def _united(some: Iterable[ShapeKind | None]) -> ShapeKind | None:
    """Return the kind of a value that has any of these; None where there are none."""
    kinds = frozenset(kind for kind in some if kind is not None)
    return next(iter(kinds), None) if len(kinds) < 2 else _KINDS_OF_UNIONS.get(kinds, "any")


def _read(nodes: Iterable[_Node]) -> Iterator[_Node]:
    """Yield the schemas of a value: references are followed, and variants and parts taken apart, each of them once."""
    seen: set[int] = set()
    waiting = list(nodes)[::-1]
    while waiting and len(seen) < _MOST_BRANCHES:
        node = _follow(waiting.pop())
        if id(node.schema) in seen:
            continue
        seen.add(id(node.schema))
        yield node
        waiting += list(_parts(node))[::-1]


def _parts(node: _Node) -> Iterator[_Node]:
    """Yield the variants and the parts of a schema."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        variants = node.schema.get(keyword)
        for one in variants if isinstance(variants, list) else ():
            if isinstance(one, dict):
                yield _Node(node.root, one, node.name)
    for keyword in ("then", "else"):
        part = node.schema.get(keyword)
        if isinstance(part, dict):
            yield _Node(node.root, part, node.name)


def _follow(node: _Node) -> _Node:
    """Follow references inside the document; one that leads elsewhere is a schema of anything."""
    for _ in range(_DEEPEST):
        reference = node.schema.get("$ref", node.schema.get("$dynamicRef"))
        if not isinstance(reference, str):
            title = node.schema.get("title")
            is_type = node.schema.get("type") == "object" or "properties" in node.schema
            return node._replace(name=node.name or title) if is_type and isinstance(title, str) else node
        target = _find(node.root, reference)
        if not isinstance(target, dict):
            return _Node(node.root, {})
        node = _Node(node.root, target, reference.rpartition("/")[2].lstrip("#") or node.name)
    return _Node(node.root, {})


def _find(root: Json, reference: str) -> Json:
    if not reference.startswith("#"):
        return None
    value = root
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _kind_of(node: _Node) -> ShapeKind | None:
    """Return the kind that one schema declares; None where it declares none, or null."""
    schema = node.schema
    types = schema.get("type")
    named = [one for one in (types if isinstance(types, list) else [types]) if one != "null"]
    if len(named) > 1:
        return _united(_kind_of(_Node(node.root, {**schema, "type": one})) for one in named)
    match named[0] if named else None:
        case "object":
            return "struct" if "properties" in schema or not _is_map(schema) else "map"
        case "array":
            return "list"
        case "string":
            return "time" if schema.get("format") == "date-time" else "string"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
    if types is not None:
        return None
    if "properties" in schema:
        return "struct"
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if isinstance(values, list) and values:
        return "string" if all(isinstance(one, str) for one in values) else "int" if all(map(_is_int, values)) else None
    return "list" if "items" in schema else None


def _is_map(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("additionalProperties"), dict) or "patternProperties" in schema


def _is_int(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _members(node: _Node, keyword: str) -> Iterator[tuple[str, _Node]]:
    members = node.schema.get(keyword)
    for name, schema in members.items() if isinstance(members, dict) else ():
        yield str(name), _Node(node.root, schema if isinstance(schema, dict) else {})


def _prefixes(node: _Node) -> list[_Node]:
    items = node.schema.get("prefixItems", node.schema.get("items"))
    return [_Node(node.root, one) for one in items if isinstance(one, dict)] if isinstance(items, list) else []


def _required(nodes: Sequence[_Node]) -> frozenset[str]:
    """Return the members that every schema with members requires: a seed object has them from the start."""
    wanted = [
        {name for name in names if isinstance(name, str)} if isinstance(names, list) else set[str]()
        for node in nodes
        if "properties" in node.schema
        for names in [node.schema.get("required")]
    ]
    return frozenset(set.intersection(*wanted)) if wanted else frozenset()


def _all(nodes: Iterable[_Node], keyword: str) -> list[Any]:
    return [node.schema[keyword] for node in nodes if keyword in node.schema]


def _choices_of(nodes: Sequence[_Node]) -> tuple[str | int, ...]:
    found = [value for values in _all(nodes, "enum") if isinstance(values, list) for value in values]
    found += _all(nodes, "const")
    return tuple(dict.fromkeys(one for one in found if isinstance(one, str) or _is_int(one)))


def _is_nullable(nodes: Sequence[_Node]) -> bool:
    types = [one for value in _all(nodes, "type") for one in (value if isinstance(value, list) else [value])]
    return "null" in types


# Values


_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _limits(nodes: Sequence[_Node], keywords: Sequence[str]) -> list[Any]:
    found = [one for keyword in keywords for one in _all(nodes, keyword)]
    return list(dict.fromkeys(one for one in found if isinstance(one, int | float) and not isinstance(one, bool)))


def _hints(nodes: Sequence[_Node]) -> tuple[str | int, ...]:
    """Return limits, examples and defaults, and words that a pattern accepts and does not."""
    found: list[Any] = [one for one in _limits(nodes, (*_SIZES, *_NUMBERS)) if _is_int(one) and abs(one) < 1 << 62]
    found += _all(nodes, "default")
    found += [one for some in _all(nodes, "examples") if isinstance(some, list) for one in some]
    for pattern in _patterns(nodes):
        found += [*matching_strings(pattern)[:2], *near_misses(pattern)[:4]]
    return tuple(dict.fromkeys(one for one in found if isinstance(one, str) or _is_int(one)))[:_MOST_HINTS]


def _patterns(nodes: Sequence[_Node]) -> list[str]:
    return list(dict.fromkeys(one for one in _all(nodes, "pattern") if isinstance(one, str) and len(one) <= 300))[:4]


def _suggestions(shape: Shape, nodes: Sequence[_Node]) -> Suggestions:
    """Return the sizes of a list or map and values for its items; scalars have `own_probes`."""
    sizes: list[Json] = []
    for size in _limits(nodes, _SIZES[2:]):
        if _is_int(size) and 0 <= size <= _MOST_ITEMS:
            sizes += [size, size + 1, max(0, size - 1)]
    items = shape.elem.own_probes if shape.kind in ("list", "map") else ()
    return Suggestions(tuple(dict.fromkeys(sizes)), items)


def _at_limits(kind: str, nodes: Sequence[_Node]) -> Iterator[Json]:
    """Yield values at the limits that the schemas declare, and right beyond them."""
    if kind == "string":
        sizes = [size for size in _limits(nodes, _SIZES[:2]) if _is_int(size) and 0 <= size <= _LONGEST]
        for pattern in _patterns(nodes):
            formed = matching_strings(pattern)[:2]
            yield from (*formed, *near_misses(pattern)[:6])
            yield from (text + ending for text in formed[:1] for ending in ("\n", " "))
        for size in sizes:
            yield from ("a" * size, "a" * (size + 1), "a" * max(0, size - 1), "é" * size, " " * size)
    elif kind in ("int", "float", "decimal"):
        for limit in _limits(nodes, _NUMBERS):
            steps = (0, 1, -1) if kind == "int" else (0, 1, -1, 0.01, -0.01, 0.001)
            yield from (limit + step for step in steps)
            if kind == "decimal":
                yield from (str(limit), f"{limit}.00")
