"""The paths of a type, by which growth is measured.

A path has `[*]` for every item and map value: `spec.ports[*].name`. The second item of a list is a path of its own,
`spec.ports[1]`, because most rules of lists need two items. A recursive type is followed to its second level. Members
that only a server writes are left out.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice

from harness.fuzzers.schemashape import UNEXPECTED
from harness.fuzzers.shape import Shape
from harness.jsonpath import ITEMS, JsonPath, join
from harness.objectmodel import SERVER_OWNED

MAX_NESTING = 2
"""A path contains a recursive struct at most this many times."""
MAX_PATHS = 20_000
"""At most this many paths of a type are counted."""
_CONTAINERS = frozenset({"struct", "list", "map"})


@lru_cache(maxsize=4096)
def members_of(shape: Shape) -> tuple[tuple[str, Shape], ...]:
    """Return the members of a struct that a request may set, without one that no schema names."""
    owned = SERVER_OWNED if shape.is_object_meta else frozenset()
    return tuple(
        (member.name, member.shape)
        for member in shape.fields
        if member.name not in owned and member.shape is not UNEXPECTED
    )


def structs_of(shape: Shape, name: Callable[[Shape], str]) -> dict[str, Shape]:
    """Return the struct types inside a type by the names that a function gives them; metadata is left out."""
    found: dict[str, Shape] = {}
    _collect_structs(shape, name, found)
    return found


def _collect_structs(shape: Shape, name: Callable[[Shape], str], found: dict[str, Shape]) -> None:
    if shape.kind in ("list", "map"):
        _collect_structs(shape.elem, name, found)
    elif shape.kind == "struct" and not shape.is_object_meta and (key := name(shape)) not in found:
        found[key] = shape
        for member in shape.fields:
            _collect_structs(member.shape, name, found)


@lru_cache(maxsize=8)
def type_paths(shape: Shape) -> Mapping[str, None]:
    """Return every path of a type, parents first, at most `MAX_PATHS`.

    The cache is small, because the paths of all types of a release are tens of thousands of long strings. For the
    number of paths call `measure`.
    """
    found: dict[str, None] = {}
    _collect(shape, "", {}, found)
    return dict(islice(found.items(), MAX_PATHS))


@lru_cache(maxsize=8192)
def measure(shape: Shape) -> tuple[int, int]:
    """Return how many paths a type has, and a checksum of them all."""
    paths = type_paths(shape)
    return len(paths), zlib.crc32(" ".join(paths).encode())


def _collect(shape: Shape, parent: str, nesting: dict[str, int], found: dict[str, None]) -> None:
    """Add the paths inside a path, until there are too many."""
    if len(found) >= MAX_PATHS:
        return
    if shape.kind == "struct":
        depth = nesting.get(shape.type, 0)
        if depth >= MAX_NESTING:
            return
        inner_nesting = {**nesting, shape.type: depth + 1}
        for name, member in members_of(shape):
            path = join(parent, name)
            found[path] = None
            if member.kind in _CONTAINERS:
                _collect(member, path, inner_nesting, found)
    elif shape.kind in _CONTAINERS:
        found[f"{parent}[*]"] = None
        if shape.kind == "list":
            found[f"{parent}[1]"] = None
        _collect(shape.elem, f"{parent}[*]", nesting, found)


def path_of(path: JsonPath, shape: Shape) -> str:
    """Return the path of the type for a path of an object."""
    type_path, last = "", len(path) - 1
    for index, part in enumerate(path):
        if shape.kind == "list":
            type_path += "[1]" if part == 1 and index == last else ITEMS
        elif shape.kind == "map":
            type_path += ITEMS
        else:
            type_path = join(type_path, str(part))
        shape = shape.child(part)
    return type_path


def error_path_of(path: JsonPath, shape: Shape) -> str:
    """Return the canonical path of an error at a path: without the distinction of second items."""
    return path_of(path, shape).replace("[1]", ITEMS)


def nesting_of(path: JsonPath, shape: Shape) -> int:
    """Count the values of the struct type of a path among the path and its parents."""
    shapes = [shape]
    for part in path:
        shapes.append(shapes[-1].child(part))
    return sum(one.type == shapes[-1].type and one.kind == "struct" for one in shapes)
