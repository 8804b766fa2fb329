"""Change several members of one struct together: unions, modes and pairs of optional members; from the types alone.

A union is recognised by its discriminator: a member with declared constants of which some are named like siblings.
Without a discriminator any two optional members may exclude or require one another. The structs differ from the present
one only in which members are set and in the constants of discriminators and modes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from harness.case import Json
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import sparse_value

_MAX_CHOICES = 8
"""At most this many constants of a member are tried."""
_MAX_MEMBERS = 40
"""At most this many members of a struct are changed, the first ones."""
_MAX_MEMBERS_FOR_ALL_PAIRS = 6
"""Structs with at most this many optional members get every pair; larger ones only pairs of adjacent members."""
_MAX_SETS = 24
"""At most this many structs are yielded."""

Members = dict[str, Json]


def cross_members(shape: Shape, held: Json) -> Iterator[Members]:
    """Yield structs that differ from `held` in several members, the most useful first; at most `_MAX_SETS`."""
    if shape.kind != "struct" or shape.is_object_meta:
        return
    present: Members = held if isinstance(held, dict) else {}
    seen = {_key(shape, present)}
    for struct in _all_sets(shape, present):
        key = _key(shape, struct)
        if key not in seen:
            seen.add(key)
            yield struct
            if len(seen) > _MAX_SETS:
                return


def _all_sets(shape: Shape, present: Members) -> Iterator[Members]:
    modes = [member for member in _members(shape) if member.shape.choices or member.shape.kind == "bool"]
    for mode in modes:
        yield from _union_sets(shape, mode, present)
    yield from _pair_sets(shape, present)
    for mode in modes:
        yield from _mode_sets(shape, mode, present)


def _members(shape: Shape) -> list[FieldShape]:
    return [member for member in shape.fields[:_MAX_MEMBERS] if not member.shape.is_object_meta]


def choices_of(member: FieldShape) -> tuple[Json, ...]:
    """Return the constants of a member, or true and false."""
    return (True, False) if member.shape.kind == "bool" else member.shape.choices[:_MAX_CHOICES]


def members_by_choice(shape: Shape, discriminator: FieldShape) -> dict[Json, FieldShape]:
    """Return the sibling that each constant of a member names, ignoring case; without constants that name none."""
    names = {_normalized(member.name): member for member in shape.fields if member is not discriminator}
    found = (
        (choice, names.get(_normalized(choice))) for choice in discriminator.shape.choices if isinstance(choice, str)
    )
    return {choice: member for choice, member in found if member is not None}


def _normalized(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _union_sets(shape: Shape, discriminator: FieldShape, present: Members) -> Iterator[Members]:
    """Yield each constant with its member, with none, a wrong one and two, then members without a constant."""
    members = members_by_choice(shape, discriminator)
    if not members:
        return
    names = {member.name for member in members.values()}
    rest = {name: value for name, value in present.items() if name not in names and name != discriminator.name}

    def with_members(choice: Json, *chosen: FieldShape) -> Members:
        constant: Members = {} if choice is None else {discriminator.name: choice}
        return {**rest, **constant, **{one.name: present.get(one.name, sparse_value(one.shape)) for one in chosen}}

    several = list(members.items())
    for choice in choices_of(discriminator):
        own = members.get(choice)
        other = next((member for _, member in several if member is not own), None)
        yield with_members(choice)
        if own is not None:
            yield with_members(choice, own)
        if other is not None:
            yield with_members(choice, other)
            if own is not None:
                yield with_members(choice, own, other)
    for _, member in several:
        yield with_members(None, member)
    yield with_members(None)
    yield with_members("nothing", *(member for _, member in several[:1]))
    yield with_members(None, *(member for _, member in several))


def _pair_sets(shape: Shape, present: Members) -> Iterator[Members]:
    """Yield structs in which two optional members are both set, both unset, or one replaces the other.

    Single members are set and unset by other edits.
    """
    optional = [
        member
        for member in _members(shape)
        if member.pointer or member.omitempty or member.shape.kind in ("struct", "list", "map")
    ]
    near = pairwise(optional)
    for one, other in combinations(optional, 2) if len(optional) <= _MAX_MEMBERS_FOR_ALL_PAIRS else near:
        yield _with(present, (one, other), tuple(member for member in (one, other) if member.name not in present))


def _mode_sets(shape: Shape, mode: FieldShape, present: Members) -> Iterator[Members]:
    """Yield each constant of a mode with one absent sibling set, or with one present sibling unset."""
    for choice in choices_of(mode):
        turned = {**present, mode.name: choice}
        for member in _members(shape):
            if member is not mode:
                yield _with(turned, (member,), () if member.name in present else (member,))


def _with(present: Members, about: tuple[FieldShape, ...], wanted: tuple[FieldShape, ...]) -> Members:
    """Return a copy in which, of the members in `about`, those in `wanted` are set and the others are not."""
    gone = {member.name for member in about if member not in wanted}
    struct = {name: value for name, value in present.items() if name not in gone}
    for member in wanted:
        if member.name not in struct:
            struct[member.name] = sparse_value(member.shape)
    return struct


def _key(shape: Shape, struct: Members) -> Any:
    """Return the set of members and the values of discriminators, which identify a struct here."""
    modes = ((name, struct[name]) for name in sorted(struct) if isinstance(struct[name], str | bool))
    return frozenset(struct), tuple(modes)
