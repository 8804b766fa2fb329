"""Paths at which the versions of one type differ: members that a version lacks or has with another kind.

Conversion keeps the value of such a member and changes its path, so that an error has two paths. Compares structure
only, never rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath

PathPattern: TypeAlias = tuple[str, ...]
"""A path with `*` for every item and key."""

_MAX_DEPTH = 24


def differing_paths(shape: Shape, others: Iterable[Shape]) -> frozenset[PathPattern]:
    """Return the paths at which versions of a type differ: members that one lacks or that have another kind."""
    return frozenset(path for other in others for path in _differing(shape, other, (), frozenset()))


def _differing(
    one: Shape, other: Shape, path: PathPattern, parents: frozenset[tuple[str, str]]
) -> Iterator[PathPattern]:
    if one is other or len(path) > _MAX_DEPTH:
        return
    if "any" in (one.kind, other.kind):
        return  # the type of one of them is unknown
    if one.kind != other.kind:
        yield path
    elif one.kind == "struct":
        pair = one.type, other.type
        if pair in parents:
            return
        for name, member in one.by_name.items():
            counterpart = other.by_name.get(name)
            if counterpart is None:
                yield (*path, name)
            else:
                yield from _differing(member.shape, counterpart.shape, (*path, name), parents | {pair})
    elif one.kind in ("list", "map"):
        yield from _differing(one.elem, other.elem, (*path, "*"), parents)


def is_within(path: JsonPath, shape: Shape, paths: frozenset[PathPattern]) -> bool:
    """Whether a path, or a path that contains it, differs between versions."""
    pattern: PathPattern = ()
    for part in path:
        pattern = (*pattern, "*" if shape.kind in ("list", "map") else str(part))
        if pattern in paths:
            return True
        shape = shape.child(part)
    return False
