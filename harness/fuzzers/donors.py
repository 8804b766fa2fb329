"""Share accepted values of one Go type, whatever its version, between the searches of kinds that contain the type.

Sixteen kinds contain a pod. The values that a pod may have are searched for once, by the donor: the smallest kind that
contains the type. The other searches splice the donor's values in, with one case for each, and repair them only where
their own rules differ. A type is shared if that saves enough paths, by its size and the number of kinds that have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from harness.case import Case, Json
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import MAX_NESTING, measure, members_of, path_of, structs_of
from harness.jsonpath import JsonPath, look
from harness.objectmodel import STATUS

MIN_PATHS = 20
"""Only types with at least this many paths are shared: values of smaller ones are found as fast."""
MIN_SAVED_PATHS = 250
"""Sharing a type must save at least this many paths: its own ones times the number of other kinds that have it."""

_VERSION = re.compile(r"/v\d+(?:(?:alpha|beta)\d+)?(?=\.)")


def unversioned(type: str) -> str:
    """Return the qualified name of a Go type without the version of its package: versions of a type are one type."""
    return _VERSION.sub("", type)


@lru_cache(maxsize=8192)
def name_of(shape: Shape) -> str:
    """Return the name of a struct type without its version; versions with other paths have other names."""
    return f"{unversioned(shape.type)} {measure(shape)[1]:08x}"


@dataclass(frozen=True, slots=True)
class Splice:
    """An accepted value of a type. `focus` is the path of the part that no other value has."""

    value: Json
    focus: JsonPath = ()


@dataclass(slots=True)
class Donor:
    """The accepted values of some types, found by one search. `is_ready` when that search has ended.

    `seeds` are its accepted objects, the fullest first; `rejected` are the paths that it gave up, with their errors.
    `failed` are cases that crashed a validator or got two answers: the other searches evaluate them for their kinds.
    """

    shape: Shape
    types: frozenset[str]
    seeds: list[SeedObject] = field(default_factory=list)
    rejected: dict[str, str] = field(default_factory=dict)
    failed: list[Case] = field(default_factory=list)
    is_ready: bool = False
    _splices: dict[str, list[Splice]] = field(default_factory=dict)

    def splices(self, type: str) -> list[Splice]:
        """Return the different values of a type in its objects, the fullest object first."""
        if type not in self._splices:
            self._splices[type] = list(self._distinct_splices(type))
        return self._splices[type]

    def given_up(self, type: str) -> dict[str, str]:
        """Return the paths that the donor gave up inside a type, relative to the type, with their errors."""
        for path, _ in splice_paths(self.shape, frozenset({type})):
            prefix = path_of(path, self.shape) + "."
            return {
                rejected[len(prefix) :]: error
                for rejected, error in self.rejected.items()
                if rejected.startswith(prefix)
            }
        return {}

    def _distinct_splices(self, type: str) -> Iterator[Splice]:
        known: list[Json] = []
        for seed in self.seeds:
            for path, _ in splice_paths(self.shape, frozenset({type})):
                value = look(seed.obj, path)
                if isinstance(value, dict) and value not in known:
                    known.append(value)
                    yield Splice(value, seed.focus[len(path) :] if seed.focus[: len(path)] == path else ())


def find_donors(shapes: Sequence[Shape]) -> dict[int, frozenset[str]]:
    """Choose the donors. Returns: by the index of a shape the names of the types whose values its search finds."""
    indices: dict[str, list[int]] = {}
    known: dict[str, Shape] = {}
    order = sorted(range(len(shapes)), key=lambda index: (measure(shapes[index])[0], index))
    for index in order:
        for name, shape in structs_of(shapes[index], name_of).items():
            indices.setdefault(name, []).append(index)
            known.setdefault(name, shape)
    given_names: set[str] = set()
    found: dict[int, set[str]] = {}
    for name in sorted(known, key=lambda name: (measure(known[name])[0], name)):
        if len(indices[name]) > 1 and measure(known[name])[0] >= MIN_PATHS:
            own = sum(1 for _ in _own_paths(known[name], given_names, {}))
            if own * (len(indices[name]) - 1) >= MIN_SAVED_PATHS:
                given_names.add(name)
                found.setdefault(indices[name][0], set()).add(name)
    return {index: frozenset(names) for index, names in found.items()}


def splice_paths(
    shape: Shape, types: frozenset[str], path: JsonPath = (), depth: int = 0
) -> Iterator[tuple[JsonPath, str]]:
    """Yield the paths of values of these types, the outermost only, in first items only.

    Without the metadata and the status, which requests for the root cannot write.
    """
    if shape.kind == "list":
        yield from splice_paths(shape.elem, types, (*path, 0), depth + 1)
    if shape.kind != "struct" or depth > 12 or shape.is_object_meta:
        return
    name = name_of(shape)
    if path and name in types:
        yield path, name
        return
    for member, member_shape in members_of(shape):
        if path or member != STATUS:
            yield from splice_paths(member_shape, types, (*path, member), depth + 1)


def _own_paths(shape: Shape, given_names: set[str], nesting: dict[str, int]) -> Iterator[None]:
    """Yield once for every path of a type that is not inside another shared type."""
    if shape.kind in ("list", "map"):
        yield None
        yield from _own_paths(shape.elem, given_names, nesting)
    elif shape.kind == "struct" and not shape.is_object_meta:
        depth = nesting.get(shape.type, 0)
        if depth >= MAX_NESTING or (nesting and name_of(shape) in given_names):
            return
        for _, member in members_of(shape):
            yield None
            yield from _own_paths(member, given_names, {**nesting, shape.type: depth + 1})
