"""Decodes common objects quickly: msgspec checks and copies an object by a Struct class made from its shape.

The result equals that of `harness.subject.decode`. Objects that msgspec cannot decode in the same way need the full
decoder, which also makes the error messages: a null for a type without pointer, a value of a wrong type, a lone
surrogate. So do all objects of a type that cannot be described to msgspec, such as a recursive one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import GenericAlias
from typing import Annotated, Any, TypeAlias

import msgspec

from harness.case import Json
from harness.fuzzers.novelty import is_json
from harness.fuzzers.shape import FieldShape, Shape
from harness.objectmodel import TYPE_META
from harness.targets.endpoint import Reader

Prune: TypeAlias = Callable[[dict[str, Json]], None]
"""Drops empty structs without pointer, in place."""

TIME = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
DURATION = r"[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)"
QUANTITY = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?"

_INT32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class NeedsFullDecoder(Exception):
    """The object, or its type, cannot be decoded by msgspec alone."""


def _text_type(pattern: str) -> Any:
    return Annotated[str, msgspec.Meta(pattern=rf"\A(?:{pattern})\Z")]


_SCALARS: dict[str, Any] = {
    "string": str, "bool": bool, "raw": dict[str, Any], "fields": dict[str, Any], "int-or-string": _INT32 | str,
    "time": _text_type(TIME), "micro-time": _text_type(TIME), "duration": _text_type(DURATION),
    "quantity": _text_type(QUANTITY), "any": Any,
}  # fmt: skip
_ZEROES: dict[str, Json] = {"string": "", "bool": False, "int": 0}
_NO_YEAR = r"(?!000[01])"


def quick_decoder(shape: Shape) -> Callable[[Json], Json] | None:
    """Return a function that decodes an object or raises `NeedsFullDecoder`; None if the type always needs it."""
    try:
        root, prune = _MsgspecTypes().root(shape)
    except NeedsFullDecoder:
        return None
    convert, to_builtins = msgspec.convert, msgspec.to_builtins

    def decode(value: Json) -> Json:
        if not is_json(value):  # such as a lone surrogate, or a list that contains itself
            raise NeedsFullDecoder
        try:
            decoded = to_builtins(convert(value, root))
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise NeedsFullDecoder from error
        prune(decoded)
        return decoded

    return decode


def quick_reader(shape: Shape) -> Reader | None:
    """Return a function that decodes JSON, or returns None for text that needs the full decoder.

    Returns: None if the type needs the full decoder.
    """
    try:
        root, prune = _MsgspecTypes().root(shape)
    except NeedsFullDecoder:
        return None
    read, to_builtins = msgspec.json.Decoder(root).decode, msgspec.to_builtins

    def decode(text: msgspec.Raw) -> Json:
        try:
            decoded = to_builtins(read(text))
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError):
            return None
        prune(decoded)
        return decoded

    return decode


class _MsgspecTypes:
    """Makes the type that msgspec decodes to for each shape, and the function that prunes its values."""

    def __init__(self) -> None:
        self._types: dict[int, tuple[Any, Prune | None]] = {}
        self._keepalive: list[Shape] = []  # pins the shapes, so that no id() is reused

    def root(self, shape: Shape) -> tuple[Any, Prune]:
        """Return the type of a root object, which keeps apiVersion and kind. Raises: NeedsFullDecoder."""
        if shape.kind != "struct" or shape.by_name.keys() & TYPE_META:
            raise NeedsFullDecoder
        struct, prune = self._struct(shape, TYPE_META)
        return struct, prune or (lambda value: None)

    def _type(self, shape: Shape) -> tuple[Any, Prune | None]:
        entry = self._types.get(id(shape))
        if entry is None:
            self._keepalive.append(shape)
            self._types[id(shape)] = None, None  # found again below if the type is recursive
            entry = self._types[id(shape)] = self._make_type(shape)
        if entry[0] is None:
            raise NeedsFullDecoder
        return entry

    def _make_type(self, shape: Shape) -> tuple[Any, Prune | None]:
        match shape.kind:
            case "struct":
                return self._struct(shape, ())
            case "list":
                elem, prune = self._type(shape.elem)
                return GenericAlias(list, (elem,)), None if prune is None else _prune_items(prune)
            case "map":
                elem, prune = self._type(shape.elem)
                return GenericAlias(dict, (str, elem)), None if prune is None else _prune_values(prune)
            case "int" if shape.signed or shape.bits < 64:
                low = -(1 << shape.bits - 1) if shape.signed else 0
                return Annotated[int, msgspec.Meta(ge=low, le=low + (1 << shape.bits) - 1)], None
        if shape.kind not in _SCALARS:
            raise NeedsFullDecoder
        return _SCALARS[shape.kind], None

    def _struct(self, shape: Shape, extra: tuple[str, ...]) -> tuple[Any, Prune | None]:
        fields: list[tuple[str, Any, Any]] = [(name, Any, msgspec.UNSET) for name in extra]
        names = {}
        prunes: dict[str, tuple[Prune | None, bool]] = {}
        for number, member in enumerate(shape.fields):
            name = f"f{number}"
            names[name] = member.name
            member_type, prune = self._type(member.shape)
            fields.append((name, *_member_field(member, member_type)))
            drops = member.shape.kind == "struct" and not member.pointer
            if drops or prune is not None:
                prunes[member.name] = prune, drops
        try:
            struct = msgspec.defstruct("Members", fields, omit_defaults=True, rename=names, gc=False)
        except ValueError:  # a name with a quote or a control character, or a duplicate name
            raise NeedsFullDecoder from None
        return struct, _prune_members(prunes) if prunes else None


def _member_field(member: FieldShape, type_: Any) -> tuple[Any, Any]:
    """Return the type of a member, and the default that it has if absent and with which it is omitted again."""
    kind = member.shape.kind
    if member.pointer or kind == "any":
        return type_ | None, None
    if kind in ("time", "micro-time"):
        return _text_type(_NO_YEAR + TIME) | msgspec.UnsetType, msgspec.UNSET  # the zero time means an unset time
    if kind in _ZEROES:
        return type_, _ZEROES[kind]
    if kind in ("list", "map"):
        return type_, msgspec.field(default_factory=list if kind == "list" else dict)
    return type_ | msgspec.UnsetType, msgspec.UNSET


def _prune_items(prune: Prune) -> Any:
    def prune_items(items: list[Json]) -> None:
        for item in items:
            prune(item)

    return prune_items


def _prune_values(prune: Prune) -> Any:
    def prune_values(values: dict[str, Json]) -> None:
        for value in values.values():
            prune(value)

    return prune_values


def _prune_members(prunes: dict[str, tuple[Prune | None, bool]]) -> Prune:
    members = tuple((name, prune, drops) for name, (prune, drops) in prunes.items())

    def prune_members(value: dict[str, Json]) -> None:
        for name, prune, drops in members:
            member = value.get(name)
            if member is not None:
                if prune is not None:
                    prune(member)
                if drops and not member:
                    del value[name]

    return prune_members
