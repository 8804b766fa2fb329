"""What objects of one type lend to those of another: accepted parts of one Go type, whatever its version.

A pod stands in sixteen kinds of object. What it can hold is found once, for the smallest of them, and the others take
it from there: one question for an accepted part, and repair only where their own rules differ. Which types are worth it
is told by their size and by how many have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from harness.case import Case, Json
from harness.fuzzers.bases import Base
from harness.fuzzers.census import NESTED, measured, members_of, path_of
from harness.fuzzers.shape import Shape
from harness.jsonpath import JsonPath, look
from harness.objectmodel import STATUS

LEAST = 20
"""Places of a type below which nothing is lent: what is small is found as fast."""
WORTH = 250
"""Places that need not be found again: those of a type's own, times the others that have it."""

_VERSION = re.compile(r"/v\d+(?:(?:alpha|beta)\d+)?(?=\.)")


def unversioned(type: str) -> str:
    """Return the qualified name of a Go type without the version of its package: versions of a type are one type."""
    return _VERSION.sub("", type)


@lru_cache(maxsize=8192)
def name_of(shape: Shape) -> str:
    """Name a struct type for lending: without its version, and apart from versions that have other places."""
    return f"{unversioned(shape.type)} {measured(shape)[1]:08x}"


@dataclass(frozen=True, slots=True)
class Loan:
    """An accepted value of a type. `focus` is the part of it that no other has."""

    value: Json
    focus: JsonPath = ()


@dataclass(slots=True)
class Stock:
    """What one search has to lend of these types. `is_ready` once it looks for no more.

    `bases` are its accepted objects, the fullest first; `rejected` are the paths that it gave up, with their errors.
    `failed` are cases that crashed a validator or got two answers: who borrows asks those of its kind again.
    """

    shape: Shape
    types: frozenset[str]
    bases: list[Base] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    failed: list[Case] = field(default_factory=list)
    is_ready: bool = False
    _loans: dict[str, list[Loan]] = field(default_factory=dict)

    def loans(self, type: str) -> list[Loan]:
        """Return the different values of a type in its objects, the fullest object first."""
        if type not in self._loans:
            self._loans[type] = list(self._different(type))
        return self._loans[type]

    def given_up(self, type: str) -> dict[str, str]:
        """Return the places of a type that it could not bring in, with their errors, as paths below that type."""
        for seat, _ in seats(self.shape, frozenset({type})):
            path = path_of(seat, self.shape) + "."
            return {at[len(path) :]: error for at, error in self.rejected.items() if at.startswith(path)}
        return {}

    def _different(self, type: str) -> Iterator[Loan]:
        known: list[Json] = []
        for base in self.bases:
            for seat, _ in seats(self.shape, frozenset({type})):
                value = look(base.obj, seat)
                if isinstance(value, dict) and value not in known:
                    known.append(value)
                    yield Loan(value, base.focus[len(seat) :] if base.focus[: len(seat)] == seat else ())


def lenders(shapes: Sequence[Shape]) -> dict[int, frozenset[str]]:
    """Return who lends what: the index of the smallest that has a type, and the names of the types that it lends."""
    having: dict[str, list[int]] = {}
    known: dict[str, Shape] = {}
    order = sorted(range(len(shapes)), key=lambda index: (measured(shapes[index])[0], index))
    for index in order:
        for name, shape in _structs(shapes[index], {}).items():
            having.setdefault(name, []).append(index)
            known.setdefault(name, shape)
    lent: set[str] = set()
    found: dict[int, set[str]] = {}
    for name in sorted(known, key=lambda name: (measured(known[name])[0], name)):
        if len(having[name]) > 1 and measured(known[name])[0] >= LEAST:
            own = sum(1 for _ in _own(known[name], lent, {}))
            if own * (len(having[name]) - 1) >= WORTH:
                lent.add(name)
                found.setdefault(having[name][0], set()).add(name)
    return {index: frozenset(names) for index, names in found.items()}


def seats(shape: Shape, types: frozenset[str], at: JsonPath = (), depth: int = 0) -> Iterator[tuple[JsonPath, str]]:
    """Yield where values of these types may stand in an object, the outermost only, first items only.

    Metadata and what only a server writes are left out.
    """
    if shape.kind == "list":
        yield from seats(shape.elem, types, (*at, 0), depth + 1)
    if shape.kind != "struct" or depth > 12 or shape.is_object_meta:
        return
    name = name_of(shape)
    if at and name in types:
        yield at, name
        return
    for member, below in members_of(shape):
        if at or member != STATUS:
            yield from seats(below, types, (*at, member), depth + 1)


def _structs(shape: Shape, found: dict[str, Shape]) -> dict[str, Shape]:
    """Collect the struct types within a type by their names without versions; metadata is left out."""
    if shape.kind in ("list", "map"):
        _structs(shape.elem, found)
    elif shape.kind == "struct" and not shape.is_object_meta and name_of(shape) not in found:
        found[name_of(shape)] = shape
        for member in shape.fields:
            _structs(member.shape, found)
    return found


def _own(shape: Shape, lent: set[str], within: dict[str, int]) -> Iterator[None]:
    """Yield once for every place of a type that does not lie in a type which is lent already."""
    if shape.kind in ("list", "map"):
        yield None
        yield from _own(shape.elem, lent, within)
    elif shape.kind == "struct" and not shape.is_object_meta:
        depth = within.get(shape.type, 0)
        if depth >= NESTED or (within and name_of(shape) in lent):
            return
        for _, member in members_of(shape):
            yield None
            yield from _own(member, lent, {**within, shape.type: depth + 1})
