"""Chooses stored objects to start a search from: few of each type, each with a field that those before it lack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from harness.case import Json
from harness.objectmodel import unstored
from harness.stored.storedobject import StoredObject
from harness.subject.examples import Example

MAX_OF_TYPE: Final = 20
"""At most this many objects of a type: each is asked several times before the search begins."""
MAX_TYPES: Final = 1_000
"""At most this many types; a cluster has a few hundred."""


def choose_bases(objects: Iterable[StoredObject]) -> tuple[Example, ...]:
    """Return the chosen objects as examples, without what only a server writes; an update with its old object."""
    found: list[Example] = []
    seen: dict[tuple[str, ...], set[str]] = {}
    counts: dict[tuple[str, ...], int] = {}
    for one in objects:
        key = (*one.type, "pair" if one.old is not None else "")
        if counts.get(key, 0) >= MAX_OF_TYPE or (key not in counts and len(counts) >= MAX_TYPES):
            continue
        paths, known = set(_paths(one.object, "")), seen.setdefault(key, set())
        if key in counts and paths <= known:
            continue
        known |= paths
        counts[key] = counts.get(key, 0) + 1
        old = unstored(one.old) if one.old is not None else None
        found.append(Example(one.source, unstored(one.object), old))
    return tuple(found)


def _paths(value: Json, path: str) -> Iterator[str]:
    """Yield the paths of all members, with one path for all items of a list."""
    yield path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _paths(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from _paths(inner, f"{path}[]")
