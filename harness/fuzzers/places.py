"""Places in JSON objects: tuples of member names and list indices, and copies that change one place.

Objects are never changed: a copy shares everything that does not lie on the way to the change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

from harness.case import Json
from harness.field.path import steps_of
from harness.fuzzers.shape import ANY, FieldShape, Shape

_ENCODER = msgspec.json.Encoder()

Place: TypeAlias = tuple[str | int, ...]
"""Where something is in an object: `("spec", "ports", 0, "name")`."""

Change: TypeAlias = tuple[Place, Json]
"""One change: put this value at this place; `ABSENT` removes."""


class _Absent:
    """The value of a place that is not there."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = _Absent()


def look(obj: Json, place: Place) -> Json:
    """Return the value at a place, `ABSENT` when there is none."""
    for part in place:
        if isinstance(obj, dict):
            obj = obj.get(part, ABSENT)
        elif isinstance(obj, list) and isinstance(part, int) and 0 <= part < len(obj):
            obj = obj[part]
        else:
            return ABSENT
    return obj


def put(obj: Json, place: Place, value: Json) -> Json:
    """Return a copy with this value at the place; missing parents are made, `ABSENT` removes.

    A list index past the end appends. A parent of the wrong sort is replaced.
    """
    return _put(obj, place, 0, value) if place else value


def _put(obj: Json, place: Place, at: int, value: Json) -> Json:
    part = place[at]
    at += 1
    is_last = at == len(place)
    if isinstance(part, int):
        return _put_item(obj, part, place, at, value)
    members = obj.copy() if isinstance(obj, dict) else {}
    if value is ABSENT:
        if part not in members:
            return members if is_last else obj
        if is_last:
            del members[part]
            return members
    members[part] = value if is_last else _put(members.get(part), place, at, value)
    return members


def _put_item(obj: Json, index: int, place: Place, at: int, value: Json) -> Json:
    items = obj.copy() if isinstance(obj, list) else []
    is_last = at == len(place)
    if index < len(items):
        if is_last and value is ABSENT:
            del items[index]
        else:
            items[index] = value if is_last else _put(items[index], place, at, value)
    elif value is not ABSENT:
        items.append(value if is_last else _put(None, place, at, value))
    return items


def remove(obj: Json, place: Place) -> Json:
    """Return a copy without this place."""
    return put(obj, place, ABSENT)


def later_first(changes: Iterable[Change]) -> list[Change]:
    """Bring changes into the order in which a removal of a list item does not move the others.

    What lies within a place comes before the place itself.
    """
    return sorted(changes, key=lambda change: [(part.__class__ is str, part) for part in change[0]], reverse=True)


def insert(obj: Json, place: Place, value: Json) -> Json:
    """Return a copy with a list item inserted before this index."""
    items = list(look(obj, place[:-1]) or ())
    items.insert(int(place[-1]), value)
    return put(obj, place[:-1], items)


def places(obj: Json, shape: Shape = ANY, at: Place = ()) -> Iterator[tuple[Place, Shape, Any]]:
    """Yield every place of an object with its shape and value, parents first; the root is not yielded."""
    # One generator for all levels: handing everything up through one for each took most of the time.
    outer: list[tuple[Iterator[tuple[Any, Json]], Shape, Place]] = []
    items, known, below = _level(obj, shape)
    while True:
        for part, value in items:
            if known is not None:
                member = known.get(part)
                below = ANY if member is None else member.shape
            place = (*at, part)
            yield place, below, value
            if value.__class__ is dict or value.__class__ is list:
                outer.append((items, shape, at))
                shape, at = below, place
                items, known, below = _level(value, below)
                break
        else:
            if not outer:
                return
            items, shape, at = outer.pop()
            known, below = _children(shape)


def _level(value: Json, shape: Shape) -> tuple[Iterator[tuple[Any, Json]], dict[str, FieldShape] | None, Shape]:
    """Return what a value is made of, and the shapes of it: those of members by name, or the one that all have."""
    if isinstance(value, dict):
        return iter(value.items()), *_children(shape)
    return enumerate(value) if isinstance(value, list) else iter(()), *_children(shape)


def _children(shape: Shape) -> tuple[dict[str, FieldShape] | None, Shape]:
    return (shape.by_name, ANY) if shape.kind == "struct" else (None, shape.child(0))


def place_of(path: str, shape: Shape = ANY) -> tuple[Place, Shape]:
    """Return the place a reported field path means, and its shape.

    A name that the type does not have is tried without regard to case, because handwritten validators speak of internal
    types; a subscript is an index where the shape is a list (0 when it is no number), else a key.
    """
    found: list[str | int] = []
    for text, is_subscript in steps_of(path):
        part: str | int = text
        if is_subscript and shape.kind != "map" and (shape.kind == "list" or text.isdecimal()):
            part = int(text) if text.isdecimal() else 0
        elif shape.kind == "struct":
            part = _member(shape, text)
        found.append(part)
        shape = shape.child(part)
    return tuple(found), shape


def _member(shape: Shape, name: str) -> str:
    if name in shape.by_name:
        return name
    return next((known for known in shape.by_name if known.lower() == name.lower()), name)


def digest(value: Json) -> int:
    """Return a number that tells a value, or a pair, from others of this process: what was tried is kept by thousands.

    Of a million values two share theirs once in forty million runs; a slower digest would tell them apart as well.
    """
    return hash(_ENCODER.encode(value))


class Once:
    """Tells what comes for the first time."""

    __slots__ = ("_codes",)

    def __init__(self) -> None:
        self._codes: set[int] = set()

    def is_new(self, value: Json) -> bool:
        """Whether a value was not asked about before; from now on it was."""
        code = digest(value)
        is_new = code not in self._codes
        self._codes.add(code)
        return is_new


_SIZES: dict[int, tuple[Json, float]] = {}
"""Sizes of what was measured last, by identity: candidates of a reduction share nearly everything with one another.

Objects are never changed in place, and what is remembered stays alive, so that no other object gets its identity.
"""
_MOST_SIZES = 8192


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
    # Asked for every candidate of every reduction: what is inside is measured here where that takes no call.
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
    if len(_SIZES) >= _MOST_SIZES:
        _SIZES.clear()
    _SIZES[id(obj)] = obj, total
    return total


def _size_of_scalar(value: Json) -> float:
    if not value or value is True:
        return 1 if value is True else 0
    number = float(value) if value.__class__ in (int, float) else 0.0
    return math.log2(1 + abs(number)) + (0.5 if number < 0 else 0.0)


def count_differences(new: Json, old: Json) -> int:
    """Count the places that `differences` yields, in a third of its time."""
    if new is old or (new == old and type(new) is type(old)):
        return 0
    if isinstance(new, dict) and isinstance(old, dict):
        pairs = [(value, old.get(name, ABSENT)) for name, value in new.items()]
        return sum(count_differences(*pair) for pair in pairs if pair[0] is not pair[1]) + len(old.keys() - new.keys())
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return sum(count_differences(*pair) for pair in zip(new, old, strict=True) if pair[0] is not pair[1])
    return 1


def differences(new: Json, old: Json, at: Place = ()) -> Iterator[Place]:
    """Yield the places at which two objects differ, as deep as both have the same sort of parent."""
    if new is old or (new == old and type(new) is type(old)):
        return
    if isinstance(new, dict) and isinstance(old, dict):
        for name in dict.fromkeys((*new, *old)):
            yield from differences(new.get(name, ABSENT), old.get(name, ABSENT), (*at, name))
    elif isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        for index, (one, other) in enumerate(zip(new, old, strict=True)):
            yield from differences(one, other, (*at, index))
    else:
        yield at
