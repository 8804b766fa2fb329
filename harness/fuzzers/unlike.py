"""Where the versions of one type differ in their JSON: what one has and another lacks, or has as something else.

A converted object keeps its meaning there and changes its place, so an error must be told at two paths. Only structure
is compared, never what a rule says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath

Way: TypeAlias = tuple[str, ...]
"""A place with `*` for every item and key."""

_DEEPEST = 24


def unlike(shape: Shape, others: Iterable[Shape]) -> frozenset[Way]:
    """Return where other versions of a type differ: members that one of them lacks or that are of another sort."""
    return frozenset(path for other in others for path in _differing(shape, other, (), frozenset()))


def _differing(one: Shape, other: Shape, at: Way, around: frozenset[tuple[str, str]]) -> Iterator[Way]:
    if one is other or len(at) > _DEEPEST:
        return
    if "any" in (one.kind, other.kind):
        return  # nothing is known of one of them
    if one.kind != other.kind:
        yield at
    elif one.kind == "struct":
        pair = one.type, other.type
        if pair in around:
            return
        for name, member in one.by_name.items():
            there = other.by_name.get(name)
            if there is None:
                yield (*at, name)
            else:
                yield from _differing(member.shape, there.shape, (*at, name), around | {pair})
    elif one.kind in ("list", "map"):
        yield from _differing(one.elem, other.elem, (*at, "*"), around)


def is_within(place: JsonPath, shape: Shape, paths: frozenset[Way]) -> bool:
    """Whether something at a place, or above it, differs between versions."""
    path: Way = ()
    for part in place:
        path = (*path, "*" if shape.kind in ("list", "map") else str(part))
        if path in paths:
            return True
        shape = shape.child(part)
    return False
