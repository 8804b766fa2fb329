"""The paths of an object with their shapes, the paths that errors report, and the size of objects."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from harness.case import Json
from harness.fuzzers.shape import ANY, FieldShape, Shape
from harness.jsonpath import JsonPath, index_of, join, parse

_ENCODER = msgspec.json.Encoder()


def walk_paths(obj: Json, shape: Shape = ANY, at: JsonPath = ()) -> Iterator[tuple[JsonPath, Shape, Any]]:
    """Yield every path of an object with its shape and value, parents first, without the root."""
    # One generator for all levels: delegating through one generator for each level took most of the time.
    outer: list[tuple[Iterator[tuple[Any, Json]], Shape, JsonPath]] = []
    items, known, below = _level(obj, shape)
    while True:
        for part, value in items:
            if known is not None:
                member = known.get(part)
                below = ANY if member is None else member.shape
            path = (*at, part)
            yield path, below, value
            if value.__class__ is dict or value.__class__ is list:
                outer.append((items, shape, at))
                shape, at = below, path
                items, known, below = _level(value, below)
                break
        else:
            if not outer:
                return
            items, shape, at = outer.pop()
            known, below = _children(shape)


def _level(value: Json, shape: Shape) -> tuple[Iterator[tuple[Any, Json]], dict[str, FieldShape] | None, Shape]:
    """Return the children of a value and their shapes: by name of the member, or one shape for all."""
    if isinstance(value, dict):
        return iter(value.items()), *_children(shape)
    return enumerate(value) if isinstance(value, list) else iter(()), *_children(shape)


def _children(shape: Shape) -> tuple[dict[str, FieldShape] | None, Shape]:
    return (shape.by_name, ANY) if shape.kind == "struct" else (None, shape.child(0))


def shape_at(shape: Shape, path: JsonPath) -> Shape:
    """Return the shape at a path; `any` where nothing is known."""
    for step in path:
        shape = shape.child(step)
    return shape


def member_at(shape: Shape, path: JsonPath) -> FieldShape | None:
    """Return the member that a path ends at, None for items, values of maps and the root."""
    parent = shape_at(shape, path[:-1])
    return parent.by_name.get(str(path[-1])) if path and parent.kind == "struct" else None


def resolve_path(path: str, shape: Shape = ANY) -> tuple[JsonPath, Shape]:
    """Return the path a reported field path means, and its shape.

    A name that the type does not have is looked up ignoring case, because handwritten validators report the names of
    internal types. A subscript is an index if the shape is a list (0 when it is not a number), else a key.
    """
    found: list[str | int] = []
    for text, is_subscript in parse(path):
        part: str | int = text
        index = index_of(text) if is_subscript else -1
        if is_subscript and shape.kind != "map" and (shape.kind == "list" or index >= 0):
            part = max(index, 0)
        elif shape.kind == "struct":
            part = _member(shape, text)
        found.append(part)
        shape = shape.child(part)
    return tuple(found), shape


def write_path(path: Iterable[str | int], shape: Shape) -> str:
    """Format a JSON path as a field path, with the keys of maps in brackets, as the types know them."""
    text = ""
    for part in path:
        text = join(text, f"[{part}]" if isinstance(part, int) or shape.kind == "map" else part)
        shape = shape.child(part)
    return text


def _member(shape: Shape, name: str) -> str:
    if name in shape.by_name:
        return name
    return next((known for known in shape.by_name if known.lower() == name.lower()), name)


def digest(value: Json) -> int:
    """Return a hash of a value or a pair, valid in this process; searches keep thousands of them.

    Of a million values two share a hash once in forty million runs, so that a slower digest would gain nothing.
    """
    return hash(_ENCODER.encode(value))


class SeenValues:
    """The values that a search has tried, by their digests."""

    __slots__ = ("_codes",)

    def __init__(self) -> None:
        self._codes: set[int] = set()

    def is_new(self, value: Json) -> bool:
        """Whether a value was not seen before; it counts as seen from now on."""
        code = digest(value)
        is_new = code not in self._codes
        self._codes.add(code)
        return is_new

    def forget(self, value: Json) -> None:
        """Let a value count as new again."""
        self._codes.discard(digest(value))


_SIZES: dict[int, tuple[Json, float]] = {}
"""Sizes of the values measured last, by identity: the candidates of a reduction share nearly all of their values.

Objects are never changed in place, and cached values stay alive, so that no other value gets their identity.
"""
_MAX_SIZES = 8192


def size(obj: Json) -> float:
    """Measure an object for reduction.

    Units: eight per member or item and its name, two per character (one for the plainest, `a`), one per bit of a number
    and a half for its sign.
    """
    kind: type = obj.__class__
    if kind is str:
        return float(2 * len(obj) - obj.count("a"))
    if kind is not dict and kind is not list:
        return _size_of_scalar(obj)
    known = _SIZES.get(id(obj))
    if known is not None and known[0] is obj:
        return known[1]
    # Scalars are measured inline, because every candidate of a reduction is measured and calls take most of the time.
    total = 8.0 * len(obj)
    held = obj
    if kind is dict:
        total += sum(map(len, obj))
        held = obj.values()
    for value in held:
        below: type = value.__class__
        if below is str:
            total += 2 * len(value) - value.count("a")
        elif below is dict or below is list:
            inner = _SIZES.get(id(value))
            total += inner[1] if inner is not None and inner[0] is value else size(value)
        else:
            total += _size_of_scalar(value)
    if len(_SIZES) >= _MAX_SIZES:
        _SIZES.clear()
    _SIZES[id(obj)] = obj, total
    return total


def _size_of_scalar(value: Json) -> float:
    if not value or value is True:
        return 1 if value is True else 0
    number = float(value) if value.__class__ in (int, float) else 0.0
    return math.log2(1 + abs(number)) + (0.5 if number < 0 else 0.0)
