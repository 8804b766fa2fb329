"""The JSON structure of a type: members, items, kinds of values. No rules; of tags only the values that they suggest.

Shapes are resolved on first use, so that recursive types (a schema inside a schema) are finite. A struct has one
`Shape` object per universe; scalars, and lists and maps of them, have one per member with a format of its own. A type
that cannot be found or parsed is `any`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from harness.case import Json
from harness.diagnostics import Position
from harness.fuzzers.naming import format_of
from harness.fuzzers.suggestions import NONE, Suggestions, suggestions_of
from harness.gotypes.model import Comments, Field, NamedValues, Struct, Typedef, TypeRef
from harness.objectmodel import META, SPECIAL_TYPES, is_object_meta, is_type_meta

if TYPE_CHECKING:
    from harness.gotypes.packages import Universe

ShapeKind: TypeAlias = Literal[
    "struct", "list", "map", "string", "bytes", "bool", "int", "float", "any",
    "time", "micro-time", "duration", "quantity", "int-or-string", "raw", "fields", "decimal",
]  # fmt: skip
"""`any` is any JSON value, `raw` any JSON object (RawExtension), `fields` a managed-fields set (FieldsV1), `decimal` a
number or a string of one."""

_SPECIAL: dict[str, ShapeKind] = {
    **SPECIAL_TYPES,
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool": "any",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray": "any",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "any",
}

_INTEGERS: dict[str, tuple[int, bool]] = {
    "int": (64, True), "int8": (8, True), "int16": (16, True), "int32": (32, True), "int64": (64, True),
    "uint": (64, False), "uint8": (8, False), "uint16": (16, False), "uint32": (32, False), "uint64": (64, False),
    "byte": (8, False), "rune": (32, True), "uintptr": (64, False),
}  # fmt: skip

NOWHERE = Position("")
_NO_VALUES = NamedValues()

_NUMBER = re.compile(r"(?<![\w.])-?\d{1,12}(?![\w.])")
_QUOTED = re.compile(r"[\"'`]([\w./:*-]{1,60})[\"'`]")


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One member of a struct, by its JSON name. Whether it is required is a rule, and not part of the shape.

    `pointer` means that validators distinguish absent and zero; `omitempty` is as in the JSON tag. `hints` are numbers
    in the tags of the field and words quoted in its comment, whatever they mean; `suggestions` are the values that its
    tags suggest. `owner` is the qualified name of the struct that declares the field at `position`.
    """

    name: str
    shape: Shape
    pointer: bool = False
    omitempty: bool = False
    hints: tuple[str | int, ...] = ()
    suggestions: Suggestions = NONE
    owner: str = ""
    position: Position = NOWHERE


class Shape:
    """The structure of one type. Immutable; members are resolved on first use.

    `type` is the qualified Go name (or a builtin's, or empty), `choices` the values of the constants declared with that
    type, `bits` and `signed` describe integers. `format` is the presumed format of a scalar by its type and its
    member, empty when there is none.
    """

    def __init__(
        self,
        kind: ShapeKind,
        type: str = "",
        *,
        ref: TypeRef | None = None,
        owner: _Shapes | None = None,
        struct: Struct | None = None,
        choices: tuple[str | int, ...] = (),
        bits: int = 64,
        signed: bool = True,
        format: str = "",
        member: tuple[str, str] = ("", ""),
    ) -> None:
        self.kind = kind
        self.type = type
        self.choices = choices
        self.bits = bits
        self.signed = signed
        self._ref = ref
        self._owner = owner
        self._struct = struct
        self.format = format
        self._member = member

    def within(self, owner: str, name: str) -> Shape:
        """Return this shape for the member `name` of a struct; the same object unless the name implies a format."""
        if not name or self.kind in ("struct", "any") or self.choices:
            return self
        if self.kind == "map" or (self.kind == "list" and self.elem.kind not in ("struct", "any")):
            return self._as("", (owner, name))
        return self._formatted(format_of(self.kind, name, self.type, owner))

    def _formatted(self, format: str) -> Shape:
        return self if format == self.format else self._as(format, self._member)

    def _as(self, format: str, member: tuple[str, str]) -> Shape:
        return Shape(
            self.kind, self.type, ref=self._ref, owner=self._owner, struct=self._struct, choices=self.choices,
            bits=self.bits, signed=self.signed, format=format, member=member,
        )  # fmt: skip

    @cached_property
    def fields(self) -> tuple[FieldShape, ...]:
        """The members of a struct, inlined ones included; `apiVersion` and `kind` of TypeMeta are left out."""
        if self._struct is None or self._owner is None:
            return ()
        members: dict[str, tuple[int, FieldShape | None]] = {}
        for depth, member in self._owner.members(self._struct, frozenset()):
            known, _ = members.get(member.name, (99, None))
            if depth < known:
                members[member.name] = depth, member
            elif depth == known:  # like encoding/json: two members at one depth hide each other
                members[member.name] = depth, None
        return tuple(member for _, member in members.values() if member is not None)

    @cached_property
    def by_name(self) -> dict[str, FieldShape]:
        """The members of a struct by JSON name."""
        return {member.name: member for member in self.fields}

    @cached_property
    def elem(self) -> Shape:
        """The shape of a list's items or a map's values; `any` for everything else."""
        if self._ref is None or self._ref.elem is None or self._owner is None:
            return ANY
        below, (owner, name) = self._owner.of_ref(self._ref.elem), self._member
        if self.kind == "map" and below.kind == "string" and not below.choices:
            return below._formatted(format_of("value", name, below.type))
        return below.within(owner, name)

    @cached_property
    def key(self) -> Shape:
        """The shape of a map's keys; `any` for everything else."""
        if self._ref is None or self._ref.key is None or self._owner is None:
            return ANY
        key = self._owner.of_ref(self._ref.key)
        return key if key.choices else key._formatted(format_of("key", self._member[1], key.type))

    @cached_property
    def type_meta(self) -> bool:
        """Whether this is a root object, with apiVersion and kind."""
        return self._struct is not None and any(_is_type_meta(field) for field in self._struct.fields)

    @property
    def is_plain(self) -> bool:
        """Whether objects of this shape have no apiVersion, kind, metadata and status of their own to a server."""
        return False

    @property
    def own_probes(self) -> tuple[Json, ...]:
        """Boundary values that the shape itself knows, beside those of its kind and its format; none of a Go type."""
        return ()

    @property
    def is_object_meta(self) -> bool:
        """Whether this is the metadata of an object, with name, namespace and resourceVersion."""
        return self.kind == "struct" and is_object_meta(self.type)

    def child(self, part: str | int) -> Shape:
        """Return the shape of a member, map value or list item; `any` where it is unknown."""
        if self.kind == "struct":
            member = self.by_name.get(str(part))
            return member.shape if member else ANY
        return self.elem if self.kind in ("list", "map") else ANY

    def __repr__(self) -> str:
        return f"Shape({self.kind!r}, {self.type!r})"


ANY = Shape("any")
STRING = Shape("string", "string")


def shape_of(universe: Universe, qualified: str) -> Shape:
    """Return the shape of a type by its qualified name, `import/path.Name`."""
    return _Shapes.of(universe).named(qualified)


class _Shapes:
    """The shapes of one universe, each created once."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._named: dict[str, Shape] = {}

    @classmethod
    def of(cls, universe: Universe) -> _Shapes:
        """Return the shapes of this universe; the same object at every call, as long as the universe lives."""
        known = _CACHE.get(id(universe))
        if known is None or known._universe is not universe:
            known = _CACHE[id(universe)] = cls(universe)
        return known

    def named(self, qualified: str) -> Shape:
        """Return the shape of a named type."""
        known = self._named.get(qualified)
        if known is None:
            known = self._named[qualified] = self._make(qualified)
        return known

    def of_ref(self, ref: TypeRef) -> Shape:
        """Return the shape of a type reference; a pointer has the shape of its target."""
        while ref.kind == "pointer" and ref.elem is not None:
            ref = ref.elem
        if ref.kind == "named":
            return self.named(ref.name)
        return self._plain(ref)

    def members(self, struct: Struct, seen: frozenset[str]) -> Iterator[tuple[int, FieldShape]]:
        """Yield the members of a struct and of its inlined structs with their depth, in order."""
        for field in struct.fields:
            if field.json_ignored or _is_type_meta(field):
                continue
            if field.inline or (field.embedded and not field.json_name):
                yield from self._inlined(field, seen | {struct.qualified})
            elif field.exported:
                pointer = field.type.kind == "pointer"
                shape = self.of_ref(field.type).within(struct.name, field.json_name)
                comments, named = (*field.second_comments, *field.comments), field.values or _NO_VALUES
                yield (
                    len(seen),
                    FieldShape(
                        field.json_name, shape, pointer, field.omitempty, (*named.likely, *_hints(field.comments)),
                        suggestions_of(comments) if field.values is None else Suggestions(named.own, named.items),
                        struct.qualified, field.position,
                    ),
                )  # fmt: skip

    def _inlined(self, field: Field, seen: frozenset[str]) -> Iterator[tuple[int, FieldShape]]:
        shape = self.of_ref(field.type)
        if shape._struct is not None and shape._struct.qualified not in seen:
            yield from self.members(shape._struct, seen)

    def _make(self, qualified: str) -> Shape:
        special = _SPECIAL.get(qualified)
        if special is not None:
            return Shape(special, qualified)
        found = self._universe.find(qualified)
        if isinstance(found, Struct):
            return Shape("struct", qualified, struct=found, owner=self)
        if isinstance(found, Typedef):
            return self._typedef(found)
        return Shape("struct", qualified, struct=_OBJECT_META, owner=self) if is_object_meta(qualified) else ANY

    def _typedef(self, typedef: Typedef) -> Shape:
        # A typedef of itself, through others, is not valid Go; the placeholder keeps invalid input from looping.
        self._named[typedef.qualified] = ANY
        target = typedef.underlying
        if target.kind == "named" and typedef.alias:
            return self.named(target.name)
        below = self.of_ref(target)
        return Shape(
            below.kind, typedef.qualified, ref=below._ref, owner=self, struct=below._struct,
            choices=self._choices(typedef.qualified) or below.choices, bits=below.bits, signed=below.signed,
        )  # fmt: skip

    def _choices(self, qualified: str) -> tuple[str | int, ...]:
        values = (const.value for const in self._universe.consts_of(qualified))
        return tuple(dict.fromkeys(v for v in values if isinstance(v, str | int) and not isinstance(v, bool)))

    def _plain(self, ref: TypeRef) -> Shape:
        if ref.kind in ("list", "array"):
            is_bytes = ref.elem is not None and ref.elem.kind == "builtin" and ref.elem.name in ("uint8", "byte")
            return Shape("bytes" if is_bytes else "list", ref=ref, owner=self)
        if ref.kind == "map":
            return Shape("map", ref=ref, owner=self)
        if ref.kind == "builtin":
            return _builtin(ref.name)
        return ANY


_CACHE: dict[int, _Shapes] = {}


def _builtin(name: str) -> Shape:
    if name in _INTEGERS:
        bits, signed = _INTEGERS[name]
        return Shape("int", name, bits=bits, signed=signed)
    if name in ("float32", "float64"):
        return Shape("float", name, bits=int(name[5:]))
    if name == "bool":
        return Shape("bool", name)
    return STRING if name == "string" else ANY


def _hints(comments: Comments) -> tuple[str | int, ...]:
    """Collect numbers from tags and quoted words from text; at most a dozen of each."""
    found: dict[str | int, None] = {}
    for line in comments:
        if line.text.lstrip().startswith("+"):
            found.update((int(number), None) for number in _NUMBER.findall(line.text)[:12])
        else:
            found.update((word, None) for word in _QUOTED.findall(line.text)[:12])
    return tuple(found)[:24]


def _is_type_meta(field: Field) -> bool:
    return is_type_meta(field.type.name) and (field.inline or field.embedded)


def _object_meta() -> Struct:
    """Return an ObjectMeta for universes without the package of the real one."""
    text = TypeRef("builtin", "string")
    texts = TypeRef("map", elem=text, key=text)
    members = {
        "name": text, "generateName": text, "namespace": text, "uid": text, "resourceVersion": text,
        "generation": TypeRef("builtin", "int64"), "labels": texts, "annotations": texts,
        "finalizers": TypeRef("list", elem=text),
    }  # fmt: skip
    fields = tuple(
        Field(name[:1].upper() + name[1:], name, ref, NOWHERE, omitempty=True) for name, ref in members.items()
    )
    return Struct("ObjectMeta", META, fields, NOWHERE)


_OBJECT_META = _object_meta()
