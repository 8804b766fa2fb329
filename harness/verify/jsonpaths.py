"""From a JSON path of a suite's internal version to the Go fields of every version that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.gotypes.model import Field, Struct, TypeRef
from harness.gotypes.packages import Universe
from harness.jsonpath import ITEMS, first_items, join, pattern_of
from harness.suite import Suite, SuiteKind
from harness.verify.reach import KindReach, native, step_of
from harness.verify.sides import Side
from harness.verify.touches import Member, Via


@dataclass(frozen=True, slots=True)
class Located:
    """A field, and the way to it from the root of a kind."""

    member: Member
    via: Via


def locate(side: Side, suite: Suite, kind: SuiteKind, path: str) -> list[Located]:
    """Return the field at a path in each version of a kind, by way of its normalization where the names differ."""
    found = []
    for version in kind.versions:
        root = next(
            (
                one.type
                for one in side.kinds.values()
                if one.suite is kind and one.name.version == version and suite.name in one.families
            ),
            "",
        )
        for known in (path, *_before_normalization(side, kind, root, path)):
            one = follow(side.universe, root, known)
            if one is not None:
                found.append(one)
                break
    return found


def _before_normalization(side: Side, kind: SuiteKind, root: str, path: str) -> Iterator[str]:
    """Yield the paths of a version that its normalization brings to this one."""
    wanted = first_items(path)
    for own in _paths(side.universe, root) if kind.normalization else ():
        shown = first_items(own)
        for pattern, replacement in kind.normalization:
            try:
                shown = re.sub(pattern, re.sub(r"\$(\d+)", r"\\\1", replacement), shown)
            except re.error:  # written for Go, whose patterns differ: that version is found by its own names only
                continue
        if shown == wanted and own != path:
            yield own


def _paths(universe: Universe, root: str) -> Iterator[str]:
    for type_name, path in KindReach(universe, {}).below(root):
        declared = universe.find(type_name)
        for one in declared.fields if isinstance(declared, Struct) else ():
            yield join(path, step_of(one))


def follow(universe: Universe, root: str, path: str) -> Located | None:
    """Follow a path from a type to the field it ends at, or whose items it ends at; None when there is no such."""
    ref = TypeRef("named", root)
    trail: list[str] = []
    last: tuple[str, Field, tuple[str, ...]] | None = None
    for step in pattern_of(path):
        bare = native(universe, ref)
        if step == ITEMS:
            if bare.elem is None:
                return None
            ref = bare.elem
            trail.append(ITEMS)
            continue
        found = _member(universe, bare.name, step)
        if found is None:
            return None
        through, owner, member = found
        last = owner, member, (*trail, *through)
        trail += [*through, member.name]
        ref = member.type
    return Located((last[0], last[1].name), (root, last[2])) if last is not None else None


def _member(universe: Universe, name: str, json_name: str, depth: int = 0) -> tuple[tuple[str, ...], str, Field] | None:
    declared = universe.find(name)
    if not isinstance(declared, Struct) or depth > 8:
        return None
    for one in declared.fields:
        if one.json_name == json_name and not one.inline:
            return (), name, one
    for one in declared.fields:
        inner = _member(universe, native(universe, one.type).name, json_name, depth + 1) if one.inline else None
        if inner is not None:
            return (one.name, *inner[0]), inner[1], inner[2]
    return None
