"""Other values for a path of an object, of every sort that is known of its shape, for experiments on a difference.

The first values are the plainest: none, empty ones, the other constants. Reads shapes only; what a validator says of a
value is for others to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from harness.case import Json
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import SeenValues, member_at, resolve_path, shape_at, walk_paths
from harness.fuzzers.values import (
    boundary_values,
    common_values,
    fits,
    full_value,
    small_value,
    sparse_value,
    suggested_values,
)
from harness.jsonpath import ABSENT, Edit, JsonPath, look, path_of, write
from harness.objectmodel import METADATA, STATUS, TYPE_META

_MAX_PATHS = 4_000
_EMPTY: tuple[Json, ...] = ("", 0, False, [], {})
_CHOICES, _ITEMS, _MEMBERS, _COMMON, _BOUNDARY, _SUGGESTED = 8, 6, 10, 8, 10, 6
"""At most this many values of each sort."""
_FILLED = 3
"""At most this many values for one sibling."""


def other_values(obj: Json, field: str, shape: Shape, normalize: Callable[[str], str]) -> Iterator[Edit]:
    """Yield distinct edits that set another value at a field path, the plainest first."""
    path = find_path(obj, field, shape, normalize)
    seen = SeenValues()
    for edit in _edits(obj, path, shape) if path else ():
        if look(obj, edit.path) != edit.value and seen.is_new(_key(edit)):
            yield edit


def sibling_values(obj: Json, field: str, shape: Shape, normalize: Callable[[str], str]) -> Iterator[Edit]:
    """Yield edits that give the siblings of a field path, and of its parents, other values; the nearest first."""
    path = find_path(obj, field, shape, normalize)
    for depth in reversed(range(len(path))):
        parent, held = shape_at(shape, path[:depth]), look(obj, path[:depth])
        if parent.kind != "struct" or not isinstance(held, dict):
            continue
        for member in parent.fields:
            if member.name == path[depth] or (not depth and member.name in (*TYPE_META, METADATA, STATUS)):
                continue
            values = (*member.shape.choices, sparse_value(member.shape), *common_values_of(member.shape))
            fitting = (one for one in values if one not in ("", held.get(member.name)))
            yield from (Edit((*path[:depth], member.name), one) for one in islice(_distinct(fitting), _FILLED))


def common_values_of(shape: Shape) -> tuple[Json, ...]:
    """Return common values of a scalar; none of a struct, list or map, of which others know one."""
    return () if shape.kind in ("struct", "list", "map", "any") else common_values(shape)


def find_path(obj: Json, field: str, shape: Shape, normalize: Callable[[str], str]) -> JsonPath:
    """Return the path that a field path means in an object; a handwritten one may be that of the internal type."""
    path, there = resolve_path(field, shape)
    if shape.kind != "struct" or there.kind != "any" or look(obj, path) is not ABSENT:
        return path
    wanted = path_of(normalize(field))  # a key may be written like a member
    found = (known for known in islice(_paths(obj, shape), _MAX_PATHS) if path_of(normalize(write(known))) == wanted)
    return next(found, path)


def _paths(obj: Json, shape: Shape) -> Iterator[JsonPath]:
    """Yield every path of an object, and those of the members that its structs do not have."""
    for path, there, value in [((), shape, obj), *walk_paths(obj, shape)]:
        yield path
        if there.kind == "struct" and isinstance(value, dict):
            yield from ((*path, member.name) for member in there.fields if member.name not in value)


def _edits(obj: Json, path: JsonPath, root: Shape) -> Iterator[Edit]:
    shape, value = shape_at(root, path), look(obj, path)
    if value is not ABSENT:
        yield Edit(path, ABSENT)
    yield from (Edit(path, one) for one in _plain(shape, value))
    yield from (Edit(path, choice) for choice in shape.choices[:_CHOICES])
    yield from _of_other_items(obj, path)
    if shape.kind == "struct":
        yield from _of_struct(path, shape, value)
    elif shape.kind in ("list", "map"):
        yield from _of_container(path, shape, value)
    elif shape.kind != "any":
        member = member_at(root, path)
        suggested = suggested_values(member)[:_SUGGESTED] if member is not None else ()
        values = (*suggested, *common_values(shape)[:_COMMON], *boundary_values(shape)[:_BOUNDARY])
        yield from (Edit(path, one) for one in values if fits(one, shape))


def _plain(shape: Shape, value: Json) -> Iterator[Json]:
    """Yield the empty values that the shape has; where it is not known, that of the value's own kind."""
    if shape.kind in ("struct", "map", "list"):
        yield [] if shape.kind == "list" else {}
    elif shape.kind == "any":
        yield from (one for one in _EMPTY if one.__class__ is value.__class__)
    else:
        yield from (one for one in _EMPTY[:3] if fits(one, shape))


def _of_other_items(obj: Json, path: JsonPath) -> Iterator[Edit]:
    """Yield copies of the other items of a list, whole and member by member: uniqueness may be by any of them."""
    depth = next((index for index in reversed(range(len(path))) if isinstance(path[index], int)), None)
    if depth is None:
        return
    items, number = look(obj, path[:depth]), path[depth]
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if index == number or index > _ITEMS:
            continue
        yield Edit(path[: depth + 1], item)
        if path[depth + 1 :]:
            yield Edit(path, look(item, path[depth + 1 :]))
        elif isinstance(item, dict):
            yield from (Edit((*path, name), held) for name, held in islice(item.items(), _MEMBERS))


def _of_struct(path: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    """Yield a struct with few members, with all, with each alone, and with one more or less than it has."""
    present = value if isinstance(value, dict) else {}
    yield Edit(path, sparse_value(shape))
    yield Edit(path, full_value(shape, 1))
    for name in islice(present, _MEMBERS):
        yield Edit(path, {other: held for other, held in present.items() if other != name})
    for member in shape.fields[:_MEMBERS]:
        yield Edit(path, {member.name: small_value(member.shape)})
        if member.name not in present:
            yield Edit((*path, member.name), small_value(member.shape))


def _of_container(path: JsonPath, shape: Shape, value: Json) -> Iterator[Edit]:
    """Yield a list or map with one plain entry, with two equal items, and the present one with one more or less."""
    if shape.kind == "map":
        entries = value if isinstance(value, dict) else {}
        held = next(iter(entries.values()), small_value(shape.elem))
        yield from (Edit(path, {str(key): held}) for key in common_values_of(shape.key)[:_COMMON])
        yield from (Edit(path, {"a": one}) for one in common_values_of(shape.elem)[:_COMMON])
        for name in islice(entries, _ITEMS):
            yield Edit(path, {other: one for other, one in entries.items() if other != name})
        return
    items = value if isinstance(value, list) else []
    yield Edit(path, [*items, *items[:1]])
    yield from (Edit(path, [*items[:index], *items[index + 1 :]]) for index in range(min(len(items), _ITEMS)))
    for one in (small_value(shape.elem), sparse_value(shape.elem), *common_values_of(shape.elem)[:_COMMON]):
        yield Edit(path, [one])
        yield Edit(path, [one, one])
    yield from (Edit(path, [one]) for one in boundary_values(shape.elem)[:_BOUNDARY] if shape.elem.kind == "string")


def _distinct(values: Iterable[Json]) -> Iterator[Json]:
    seen = SeenValues()
    return (one for one in values if seen.is_new(one))


def _key(edit: Edit) -> Json:
    return [list(edit.path), "absent" if edit.value is ABSENT else [edit.value]]
