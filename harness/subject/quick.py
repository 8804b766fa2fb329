"""The quick way to decode: the usual object of a type, checked and copied by msgspec.

It does what `harness.subject.decode` says or refuses: an object with anything unusual about it (a null where Go has no
pointer, a type that does not fit, half a surrogate pair) is left to the one who knows what that means and how to say
it. So is every object of a type that msgspec cannot describe in full.
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
"""Drops empty structs that are no pointers, in place."""

TIME = r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)"
DURATION = r"[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)"
QUANTITY = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?"

_INT32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class Unusual(Exception):
    """The object, or its type, needs the slow way."""


def _text(pattern: str) -> Any:
    return Annotated[str, msgspec.Meta(pattern=rf"\A(?:{pattern})\Z")]


_SCALARS: dict[str, Any] = {
    "string": str, "bool": bool, "raw": dict[str, Any], "fields": dict[str, Any], "int-or-string": _INT32 | str,
    "time": _text(TIME), "micro-time": _text(TIME), "duration": _text(DURATION), "quantity": _text(QUANTITY),
    "any": Any,
}  # fmt: skip
_ZEROES: dict[str, Json] = {"string": "", "bool": False, "int": 0}
_NO_YEAR = r"(?!000[01])"


def quick_decoder(shape: Shape) -> Callable[[Json], Json] | None:
    """Return a function that decodes the usual object, and raises `Unusual` for others; None when the type has none."""
    try:
        root, prune = _Types().root(shape)
    except Unusual:
        return None
    convert, to_builtins = msgspec.convert, msgspec.to_builtins

    def decode(value: Json) -> Json:
        if not is_json(value):  # half a surrogate pair, a list that holds itself
            raise Unusual
        try:
            decoded = to_builtins(convert(value, root))
        except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise Unusual from error
        prune(decoded)
        return decoded

    return decode


def quick_reader(shape: Shape) -> Reader | None:
    """Return a function that decodes the text of the usual object, None for others; None when the type has none."""
    try:
        root, prune = _Types().root(shape)
    except Unusual:
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


class _Types:
    """Describes types to msgspec, each once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Prune | None]] = {}
        self._alive: list[Shape] = []

    def root(self, shape: Shape) -> tuple[Any, Prune]:
        """Describe a root object, which keeps what it says of its type. Raises: Unusual."""
        if shape.kind != "struct" or shape.by_name.keys() & TYPE_META:
            raise Unusual
        made, prune = self._struct(shape, TYPE_META)
        return made, prune or (lambda value: None)

    def _of(self, shape: Shape) -> tuple[Any, Prune | None]:
        made = self._made.get(id(shape))
        if made is None:
            self._alive.append(shape)
            self._made[id(shape)] = None, None  # a type that holds itself meets this
            made = self._made[id(shape)] = self._make(shape)
        if made[0] is None:
            raise Unusual
        return made

    def _make(self, shape: Shape) -> tuple[Any, Prune | None]:
        match shape.kind:
            case "struct":
                return self._struct(shape, ())
            case "list":
                below, prune = self._of(shape.elem)
                return GenericAlias(list, (below,)), None if prune is None else _each(prune)
            case "map":
                below, prune = self._of(shape.elem)
                return GenericAlias(dict, (str, below)), None if prune is None else _each_value(prune)
            case "int" if shape.signed or shape.bits < 64:
                low = -(1 << shape.bits - 1) if shape.signed else 0
                return Annotated[int, msgspec.Meta(ge=low, le=low + (1 << shape.bits) - 1)], None
        if shape.kind not in _SCALARS:
            raise Unusual
        return _SCALARS[shape.kind], None

    def _struct(self, shape: Shape, head: tuple[str, ...]) -> tuple[Any, Prune | None]:
        fields: list[tuple[str, Any, Any]] = [(name, Any, msgspec.UNSET) for name in head]
        names = {}
        below: dict[str, tuple[Prune | None, bool]] = {}
        for number, member in enumerate(shape.fields):
            name = f"f{number}"
            names[name] = member.name
            made, prune = self._of(member.shape)
            fields.append((name, *_member(member, made)))
            drops = member.shape.kind == "struct" and not member.pointer
            if drops or prune is not None:
                below[member.name] = prune, drops
        try:
            made = msgspec.defstruct("Members", fields, omit_defaults=True, rename=names, gc=False)
        except ValueError:  # a name with a quote or a control character in it, or one name twice
            raise Unusual from None
        return made, _members(below) if below else None


def _member(member: FieldShape, made: Any) -> tuple[Any, Any]:
    """Describe a member and what it has when it is left out, as which it is left out again."""
    kind = member.shape.kind
    if member.pointer or kind == "any":
        return made | None, None
    if kind in ("time", "micro-time"):
        return _text(_NO_YEAR + TIME) | msgspec.UnsetType, msgspec.UNSET  # the zero time means that none is set
    if kind in _ZEROES:
        return made, _ZEROES[kind]
    if kind in ("list", "map"):
        return made, msgspec.field(default_factory=list if kind == "list" else dict)
    return made | msgspec.UnsetType, msgspec.UNSET


def _each(prune: Prune) -> Any:
    def prune_items(items: list[Json]) -> None:
        for item in items:
            prune(item)

    return prune_items


def _each_value(prune: Prune) -> Any:
    def prune_values(values: dict[str, Json]) -> None:
        for value in values.values():
            prune(value)

    return prune_values


def _members(below: dict[str, tuple[Prune | None, bool]]) -> Prune:
    members = tuple((name, prune, drops) for name, (prune, drops) in below.items())

    def prune_members(value: dict[str, Json]) -> None:
        for name, prune, drops in members:
            held = value.get(name)
            if held is not None:
                if prune is not None:
                    prune(held)
                if drops and not held:
                    del value[name]

    return prune_members
