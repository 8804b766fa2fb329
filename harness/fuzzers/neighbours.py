"""Follow-up updates around a rejected value: keep the value and change something near it, or remove the value.

Ratcheting lets an unchanged value pass, and validators differ in what they count as unchanged. These updates therefore
keep the rejected value and change its surroundings: its item moves in the list, gets another item or another key, its
map entry another key, one sibling changes, one sibling of a parent, or all siblings at once. The last kind of update
sets or removes a member.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from harness.case import Json
from harness.fuzzers.invalidvalues import changed_values, structs_with_other_siblings
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import member_at, shape_at
from harness.fuzzers.sized import rename
from harness.fuzzers.values import sparse_value
from harness.jsonpath import ABSENT, JsonPath, insert, look, put

_MAX_SIBLINGS = 4
"""At most this many siblings of a path are changed, each in its own update."""
_MAX_SIBLINGS_OF_DUPLICATES = 3
"""At most this many siblings of a list with a duplicate item are changed, each in its own update."""
_MAX_SIBLING_VARIANTS = 10
"""At most this many variants of the siblings of a rejected value are created."""
_OTHER_ITEM, _OTHER_KEY = 7, 5
"""Suffixes that `rename` gives to the names in the item next to a rejected one, and in the rejected item itself."""


def neighbours(shape: Shape, rejected: Json, path: JsonPath) -> Iterator[Pair]:
    """Yield updates (new, old) of an object that was rejected for the value at a path, which may be the root."""
    if path:
        yield put(rejected, path, ABSENT), rejected
    yield from ((new, rejected) for new in islice(_change_member(shape, rejected, path), _MAX_SIBLINGS))
    if len(path) < 2:
        return
    for depth in range(len(path) - 1, 0, -1):
        most = _MAX_SIBLINGS if depth == len(path) - 1 else 1
        yield from ((new, rejected) for new in islice(_change_sibling(shape, rejected, path[: depth + 1]), most))
    yield from ((new, rejected) for new in _change_all_siblings(shape, rejected, path))
    for depth, part in enumerate(path):
        if isinstance(part, int):
            yield from ((new, rejected) for new in _change_list_around_item(shape, rejected, path[: depth + 1]))
        elif shape_at(shape, path[:depth]).kind == "map":
            yield from ((new, rejected) for new in _change_key(rejected, path[: depth + 1]))


def updates_of_set_member(shape: Shape, obj: Json, path: JsonPath) -> Iterator[Pair]:
    """Yield updates (new, old) of an object in which an optional member is set: unset it, and change its value."""
    yield put(obj, path, ABSENT), obj
    for value in islice(changed_values(shape_at(shape, path), look(obj, path), member_at(shape, path)), 1):
        yield put(obj, path, value), obj


def variants_of_siblings(shape: Shape, rejected: Json, path: JsonPath) -> Iterator[Json]:
    """Yield objects that keep a rejected value and have other siblings: validators may skip a value because of these.

    First with every sibling set, then with each other constant of a discriminator, then with one sibling more or less.
    """
    parent_shape = shape_at(shape, path[:-1])
    if path and parent_shape.kind == "struct":
        variants = structs_with_other_siblings(
            parent_shape, look(rejected, path[:-1]), str(path[-1]), look(rejected, path)
        )
        yield from (put(rejected, path[:-1], variant) for variant in islice(variants, _MAX_SIBLING_VARIANTS))


def updates_with_duplicate_item(shape: Shape, base: Json, rejected: Json, path: JsonPath) -> Iterator[Pair]:
    """Yield updates (new, old) of a list that has a valid item and, after it, the rejected item with the same key.

    Validators differ in which of two items with one key they take for the old item, and in whether they look for
    duplicates while the list does not change. The last update adds the rejected item.
    """
    depth = max((number for number, part in enumerate(path) if isinstance(part, int)), default=0)
    item_path = path[: depth + 1]
    valid_item = look(base, item_path)
    if not depth or not isinstance(valid_item, dict) or len(path) == len(item_path):
        return
    with_both = insert(rejected, item_path, valid_item)
    changed = islice(_change_sibling(shape, with_both, path[:depth]), _MAX_SIBLINGS_OF_DUPLICATES)
    yield from ((new, with_both) for new in changed)
    yield with_both, base


def _change_sibling(shape: Shape, obj: Json, path: JsonPath) -> Iterator[Json]:
    """Change one sibling of a path at a time, in its struct or map: first those that are set, then the others."""
    parent = look(obj, path[:-1])
    if not isinstance(parent, dict):
        return
    parent_shape = shape_at(shape, path[:-1])
    present = [name for name in parent if name != path[-1]]
    absent = [member.name for member in parent_shape.fields if member.name not in parent and member.name != path[-1]]
    for name in (*present, *absent):
        sibling_shape, value = parent_shape.child(name), parent.get(name, ABSENT)
        if value is ABSENT:
            yield put(obj, (*path[:-1], name), sparse_value(sibling_shape))
        else:
            others = islice(changed_values(sibling_shape, value, parent_shape.by_name.get(name)), 1)
            yield from (put(obj, (*path[:-1], name), other) for other in others)


def _change_member(shape: Shape, obj: Json, path: JsonPath) -> Iterator[Json]:
    """Change one member at a time of a struct that was rejected as a whole: the set of its members stays the same."""
    struct, struct_shape = look(obj, path), shape_at(shape, path)
    if isinstance(struct, dict) and struct_shape.kind == "struct":
        for name, value in struct.items():
            others = changed_values(struct_shape.child(name), value, struct_shape.by_name.get(name))
            for other in islice(others, 1):
                yield put(obj, (*path, name), other)


def _change_all_siblings(shape: Shape, obj: Json, path: JsonPath) -> Iterator[Json]:
    """Change all siblings of a path at once, in its struct."""
    parent, parent_shape = look(obj, path[:-1]), shape_at(shape, path[:-1])
    if isinstance(parent, dict) and parent_shape.kind == "struct":
        siblings = {name: value for name, value in parent.items() if name != path[-1]}
        changed = {
            name: next(changed_values(parent_shape.child(name), value, parent_shape.by_name.get(name)), value)
            for name, value in siblings.items()
        }
        if len(siblings) > 1 and changed != siblings:
            yield put(obj, path[:-1], {**changed, path[-1]: parent[path[-1]]} if path[-1] in parent else changed)


def _change_key(obj: Json, path: JsonPath) -> Iterator[Json]:
    """Change the key of a map entry."""
    entries, key = look(obj, path[:-1]), str(path[-1])
    if isinstance(entries, dict) and key in entries:
        yield put(obj, path[:-1], {f"{key}b" if name == key else name: value for name, value in entries.items()})


def _change_list_around_item(shape: Shape, obj: Json, path: JsonPath) -> Iterator[Json]:
    """Move a list item to the end or to the front, change the item next to it, then change its own key."""
    items, index, item_shape = look(obj, path[:-1]), path[-1], shape_at(shape, path)
    if not isinstance(items, list) or not isinstance(index, int) or index >= len(items):
        return
    rest = [*items[:index], *items[index + 1 :]] or [rename(items[index], item_shape, _OTHER_ITEM)]
    yield put(obj, path[:-1], [items[index], *rest] if index else [*rest, items[index]])
    if len(items) > 1:
        next_index = index - 1 if index else 1
        yield put(obj, (*path[:-1], next_index), rename(items[next_index], item_shape, _OTHER_ITEM))
    if isinstance(items[index], dict):
        yield put(obj, path, rename(items[index], item_shape, _OTHER_KEY))
