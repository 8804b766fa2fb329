"""Declares the types of an OpenAPI v3 schema, as if they were written in Go: structs, lists, maps and enums.

Several variants of one schema, such as those of two releases, are declared as one type with the members of all. What a
declaration in Go cannot say, the values that a schema names and its limits, goes with each field. Refuses nothing: what
is not understood may hold any JSON value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from harness.diagnostics import Position
from harness.gotypes.model import Const, Field, NamedValues, Package, Struct, Typedef, TypeRef
from harness.objectmodel import META, METADATA, TYPE_META
from harness.openapi.values import named_values

Schema: TypeAlias = Mapping[str, Any]

_NOWHERE = Position("")
_OBJECT_META = TypeRef("named", f"{META}.ObjectMeta")
_TYPE_META = TypeRef("named", f"{META}.TypeMeta")
_TIME = TypeRef("named", f"{META}.Time")
_DURATION = TypeRef("named", f"{META}.Duration")
_RAW = TypeRef("named", "k8s.io/apimachinery/pkg/runtime.RawExtension")
_QUANTITY = TypeRef("named", "k8s.io/apimachinery/pkg/api/resource.Quantity")
_INT_OR_STRING = TypeRef("named", "k8s.io/apimachinery/pkg/util/intstr.IntOrString")
_TEXT = TypeRef("builtin", "string")
_BYTES = TypeRef("list", elem=TypeRef("builtin", "uint8"))
_ANY = TypeRef("interface")
_SCALARS = {
    "boolean": TypeRef("builtin", "bool"), "string": _TEXT, "number": TypeRef("builtin", "float64"),
}  # fmt: skip
_BY_FORMAT = {"date-time": _TIME, "duration": _DURATION, "byte": _BYTES}
_IS_QUANTITY = "(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))"
"""A part of the pattern that controller-gen writes for quantities."""
_WORD = re.compile(r"[A-Za-z0-9]+")
_DEEPEST = 40
"""Schemas nested deeper than this hold any value."""


def declare(package: str, roots: Mapping[str, Sequence[Schema]]) -> Package:
    """Declare the types of root objects by name, each from the variants of its schema."""
    types = _Types(package)
    for name, variants in roots.items():
        types.root(name, variants)
    return types.package()


class _Types:
    """The declarations of one package so far."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._structs: dict[str, Struct] = {}
        self._typedefs: dict[str, Typedef] = {}
        self._consts: list[Const] = []

    def package(self) -> Package:
        """Return all declarations."""
        return Package(self._path, self._path.rpartition("/")[2], self._structs, self._typedefs, tuple(self._consts))

    def root(self, name: str, variants: Sequence[Schema]) -> None:
        """Declare an object with apiVersion, kind and metadata, whatever its schema says of them."""
        own = [field for field in self._fields(name, variants, 0) if field.json_name not in (*TYPE_META, METADATA)]
        header = (
            Field("TypeMeta", "", _TYPE_META, _NOWHERE, embedded=True, inline=True),
            Field("ObjectMeta", METADATA, _OBJECT_META, _NOWHERE),
        )
        self._structs[name] = Struct(name, self._path, (*header, *own), _NOWHERE)

    def _fields(self, owner: str, variants: Sequence[Schema], depth: int) -> Iterator[Field]:
        required = {name for schema in variants for name in schema.get("required") or ()}
        for name in dict.fromkeys(name for schema in variants for name in schema.get("properties") or {}):
            inner = [below for schema in variants if (below := (schema.get("properties") or {}).get(name)) is not None]
            type_name = self._unused(owner + _camel(name))
            yield Field(
                _camel(name), name, self._ref(type_name, inner, depth + 1), _NOWHERE, omitempty=name not in required,
                values=_values(name, variants, inner),
            )  # fmt: skip

    def _unused(self, name: str) -> str:
        number = 2
        wanted = name
        while wanted in self._structs or wanted in self._typedefs:
            wanted, number = f"{name}{number}", number + 1
        return wanted

    def _ref(self, name: str, variants: Sequence[Schema], depth: int) -> TypeRef:
        """Return the type of a schema, which is declared under the name if it needs one."""
        variants = [_flat(schema) for schema in variants]
        if depth > _DEEPEST or not variants:
            return _ANY
        first = variants[0]
        if first.get("x-kubernetes-int-or-string"):
            return _QUANTITY if _IS_QUANTITY in str(first.get("pattern", "")) else _INT_OR_STRING
        kind = first.get("type")
        if kind == "array":
            below = [schema["items"] for schema in variants if isinstance(schema.get("items"), Mapping)]
            return TypeRef("list", elem=self._ref(name + "Item", below, depth + 1))
        if kind == "object":
            return self._object(name, variants, depth)
        if kind == "integer":
            return TypeRef("builtin", "int32" if first.get("format") == "int32" else "int64")
        if kind == "string" and (choices := _choices(variants)):
            return self._enum(name, choices)
        if kind == "string" and first.get("format") in _BY_FORMAT:
            return _BY_FORMAT[first["format"]]
        return _SCALARS.get(str(kind), _RAW if first.get("x-kubernetes-preserve-unknown-fields") else _ANY)

    def _object(self, name: str, variants: Sequence[Schema], depth: int) -> TypeRef:
        if variants[0].get("x-kubernetes-embedded-resource"):
            return _RAW
        if any(schema.get("properties") for schema in variants):
            self._structs[name] = Struct(name, self._path, (), _NOWHERE)  # the name is taken
            fields = tuple(self._fields(name, variants, depth))
            self._structs[name] = Struct(name, self._path, fields, _NOWHERE)
            return TypeRef("named", f"{self._path}.{name}")
        below = [more for schema in variants if isinstance(more := schema.get("additionalProperties"), Mapping)]
        if below:
            return TypeRef("map", elem=self._ref(name + "Value", below, depth + 1), key=_TEXT)
        return _RAW

    def _enum(self, name: str, choices: Sequence[str]) -> TypeRef:
        declared = Typedef(name, self._path, _TEXT, _NOWHERE)
        self._typedefs[name] = declared
        for number, choice in enumerate(choices):
            self._consts.append(Const(f"{name}{number}", self._path, declared.qualified, choice, _NOWHERE))
        return TypeRef("named", declared.qualified)


def _flat(schema: Schema) -> Schema:
    """Add to a schema what its allOf says of values, as controller-gen writes it for types with rules of their own."""
    parts = [part for part in schema.get("allOf") or () if isinstance(part, Mapping)]
    return {**{key: value for part in parts for key, value in part.items()}, **schema} if parts else schema


def _choices(variants: Iterable[Schema]) -> list[str]:
    found = [choice for schema in variants for choice in schema.get("enum") or () if isinstance(choice, str)]
    return list(dict.fromkeys(found))


def _values(name: str, owners: Sequence[Schema], variants: Sequence[Schema]) -> NamedValues | None:
    found = [named_values(name, owner, _flat(schema)) for owner, schema in zip(owners, variants, strict=False)]
    if not any(found):
        return None
    merged = (tuple({repr(value): value for value in part}.values()) for part in map(_joined, zip(*found, strict=True)))
    return NamedValues(*merged)


def _joined(parts: Iterable[Sequence[Any]]) -> list[Any]:
    return [value for part in parts for value in part]


def _camel(name: str) -> str:
    """Write the name of a member as an exported name of Go."""
    words = "".join(word[:1].upper() + word[1:] for word in _WORD.findall(name))
    return words if words[:1].isalpha() else f"X{words}"
