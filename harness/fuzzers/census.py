"""Which places a type has: what growth is measured by.

A place is written with `[*]` for every item and value: `spec.ports[*].name`. A list of two counts as a place of its
own, `spec.ports[1]`, because most rules of lists say nothing about one item. Types that hold themselves are counted as
deep as one holds another of its kind and no deeper. What only a server writes is not counted.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice

from harness.fuzzers.shape import Shape
from harness.jsonpath import ITEMS, JsonPath, join
from harness.objectmodel import SERVER_OWNED

NESTED = 2
"""How often one struct may lie within itself on the way to a place that is counted."""
MOST_PLACES = 20_000
_HOLDING = frozenset({"struct", "list", "map"})


@lru_cache(maxsize=4096)
def members_of(shape: Shape) -> tuple[tuple[str, Shape], ...]:
    """Return the members of a struct that a request may say."""
    owned = SERVER_OWNED if shape.is_object_meta else frozenset()
    return tuple((member.name, member.shape) for member in shape.fields if member.name not in owned)


@lru_cache(maxsize=8)
def census(shape: Shape) -> Mapping[str, None]:
    """Return every place of a type, parents first, at most `MOST_PLACES`.

    Hardly anything is remembered: places of all types of a release are tens of thousands of long strings. Whoever wants
    to know how many there are asks `measured`.
    """
    found: dict[str, None] = {}
    _collect(shape, "", {}, found)
    return dict(islice(found.items(), MOST_PLACES))


@lru_cache(maxsize=8192)
def measured(shape: Shape) -> tuple[int, int]:
    """Return how many places a type has, and a checksum of them all."""
    places = census(shape)
    return len(places), zlib.crc32(" ".join(places).encode())


def _collect(shape: Shape, at: str, within: dict[str, int], found: dict[str, None]) -> None:
    """Add the places below one, until there are too many."""
    if len(found) >= MOST_PLACES:
        return
    if shape.kind == "struct":
        depth = within.get(shape.type, 0)
        if depth >= NESTED:
            return
        below = {**within, shape.type: depth + 1}
        for name, member in members_of(shape):
            path = join(at, name)
            found[path] = None
            if member.kind in _HOLDING:
                _collect(member, path, below, found)
    elif shape.kind in _HOLDING:
        found[f"{at}[*]"] = None
        if shape.kind == "list":
            found[f"{at}[1]"] = None
        _collect(shape.elem, f"{at}[*]", within, found)


def path_of(place: JsonPath, shape: Shape) -> str:
    """Write a place of an object as a place of its type."""
    path, last = "", len(place) - 1
    for index, part in enumerate(place):
        if shape.kind == "list":
            path += "[1]" if part == 1 and index == last else ITEMS
        elif shape.kind == "map":
            path += ITEMS
        else:
            path = join(path, str(part))
        shape = shape.child(part)
    return path


def error_path_of(place: JsonPath, shape: Shape) -> str:
    """Write a place as the canonical path of an error there: a second item is one like any other."""
    return path_of(place, shape).replace("[1]", ITEMS)


def nested(place: JsonPath, shape: Shape) -> int:
    """Count how often the type at a place occurs on the way to it, itself included."""
    way = [shape]
    for part in place:
        way.append(way[-1].child(part))
    return sum(one.type == way[-1].type and one.kind == "struct" for one in way)
