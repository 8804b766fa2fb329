"""Small pairs to start a reduction from: the part that shows the difference, put into a minimal accepted object.

Reducing the object in which the difference was found removes everything else leaf by leaf. Most differences need only
the value at one path and the members that every accepted object of the kind has, so most reductions end with one of
these pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from harness.case import Json
from harness.fuzzers.alike import quarters
from harness.fuzzers.pairs import Pair
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

MAX_CHANGED_PATHS = 12
"""At most this many changed paths are copied together; an object that differs from its base in more is not copied."""
MIN_MEMBERS_FOR_QUARTERS = 6
"""At least this many members are left out by quarters; fewer are left to the removals of the reduction."""


def transplants(found: Pair, path: JsonPath, base: Json, floors: Sequence[Pair]) -> Iterator[Pair]:
    """Yield each floor with a part of the pair that was found: the value at the path, then each value that contains it.

    The last one has every path at which the pair differs from `base`, the accepted object it was edited from.
    """
    new, old = found
    changed = dict.fromkeys(
        (
            *islice(differences(new, base), MAX_CHANGED_PATHS),
            *(islice(differences(old, base), MAX_CHANGED_PATHS) if old else ()),
        )
    )
    for floor in floors:
        for depth in range(len(path), 0, -1):
            yield _copy_paths(found, floor, (path[:depth],))
        if base is not None and len(changed) <= MAX_CHANGED_PATHS:
            yield _copy_paths(found, floor, tuple(changed))


def some_members(pair: Pair, path: JsonPath, floor: Pair) -> Iterator[Pair]:
    """Yield the floor with some members of the outermost object that has more than one differing member.

    First with each quarter of the members, then with all but each quarter, always with the value at the path of the
    difference. Yields nothing when few members differ.
    """
    parent: JsonPath = ()
    while len(differing := _differing_members(pair, floor, parent)) == 1:
        parent = (*parent, differing[0])
    if len(differing) >= MIN_MEMBERS_FOR_QUARTERS:
        own = () if path == parent[: len(path)] or look(pair[0], path) is ABSENT else (path,)
        parts = quarters(differing)
        for names in (*parts, *([name for name in differing if name not in part] for part in parts)):
            yield _copy_paths(pair, floor, (*((*parent, name) for name in names), *own))


def _differing_members(pair: Pair, floor: Pair, path: JsonPath) -> list[str]:
    """Return the names of the members of the objects at a path whose values differ from the floor."""
    names: dict[str, None] = {}
    for obj, floor_obj in zip(pair, floor, strict=True):
        value = look(obj, path)
        if isinstance(value, dict):
            names |= dict.fromkeys(name for name, held in value.items() if held != look(floor_obj, (*path, name)))
    return list(names)


def _copy_paths(source: Pair, target: Pair, paths: Sequence[JsonPath]) -> Pair:
    new, old = target
    for path in paths:
        new = put(new, path, look(source[0], path))
        old = None if source[1] is None else put(old, path, look(source[1], path))
    return new, old
