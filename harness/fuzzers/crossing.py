"""Members of one struct that belong together, changed together: unions, modes, dependents; from the types alone.

A union is seen by its discriminator, a member with declared constants of which some are named like siblings. Without
one, any two members that may be absent could exclude or need one another. Every value here differs from what is there
in which members are present or which constant chooses between them, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from harness.case import Json
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import filled

_MOST_CHOICES = 8
_MOST_MEMBERS = 40
_ALL_PAIRS = 6
"""In structs with so many optional members or fewer every two are tried; in larger ones those that stand together."""
_MOST = 24

Members = dict[str, Json]


def crossed(shape: Shape, held: Json) -> Iterator[Members]:
    """Yield structs that differ from `held` in more than one member, the most telling first; at most `_MOST`."""
    if shape.kind != "struct" or shape.is_object_meta:
        return
    present: Members = held if isinstance(held, dict) else {}
    seen = {_look(shape, present)}
    for made in _all(shape, present):
        key = _look(shape, made)
        if key not in seen:
            seen.add(key)
            yield made
            if len(seen) > _MOST:
                return


def _all(shape: Shape, present: Members) -> Iterator[Members]:
    modes = [member for member in _members(shape) if member.shape.choices or member.shape.kind == "bool"]
    for mode in modes:
        yield from _union(shape, mode, present)
    yield from _dependents(shape, present)
    for mode in modes:
        yield from _modes(shape, mode, present)


def _members(shape: Shape) -> list[FieldShape]:
    return [member for member in shape.fields[:_MOST_MEMBERS] if not member.shape.is_object_meta]


def choices_of(member: FieldShape) -> tuple[Json, ...]:
    """Return what a member chooses between: its declared constants, or true and false."""
    return (True, False) if member.shape.kind == "bool" else member.shape.choices[:_MOST_CHOICES]


def chosen(shape: Shape, discriminator: FieldShape) -> dict[Json, FieldShape]:
    """Return which sibling each constant of a member names, apart from upper and lower case; none if it names none."""
    names = {_plain(member.name): member for member in shape.fields if member is not discriminator}
    found = ((choice, names.get(_plain(choice))) for choice in discriminator.shape.choices if isinstance(choice, str))
    return {choice: member for choice, member in found if member is not None}


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _union(shape: Shape, discriminator: FieldShape, present: Members) -> Iterator[Members]:
    """Yield the discriminator with its member alone, without it, with a wrong one, with two, and members without it."""
    members = chosen(shape, discriminator)
    if not members:
        return
    names = {member.name for member in members.values()}
    rest = {name: value for name, value in present.items() if name not in names and name != discriminator.name}

    def made(choice: Json, *with_these: FieldShape) -> Members:
        said: Members = {} if choice is None else {discriminator.name: choice}
        return {**rest, **said, **{one.name: present.get(one.name, filled(one.shape)) for one in with_these}}

    several = list(members.items())
    for choice in choices_of(discriminator):
        own = members.get(choice)
        other = next((member for _, member in several if member is not own), None)
        yield made(choice)
        if own is not None:
            yield made(choice, own)
        if other is not None:
            yield made(choice, other)
            if own is not None:
                yield made(choice, own, other)
    for _, member in several:
        yield made(None, member)
    yield made(None)
    yield made("nothing", *(member for _, member in several[:1]))
    yield made(None, *(member for _, member in several))


def _dependents(shape: Shape, present: Members) -> Iterator[Members]:
    """Yield structs in which two members that may be absent both come, both go, or one takes the other's place.

    One alone comes and goes by an edit of its own.
    """
    optional = [
        member
        for member in _members(shape)
        if member.pointer or member.omitempty or member.shape.kind in ("struct", "list", "map")
    ]
    near = pairwise(optional)
    for one, other in combinations(optional, 2) if len(optional) <= _ALL_PAIRS else near:
        yield _with(present, (one, other), tuple(member for member in (one, other) if member.name not in present))


def _modes(shape: Shape, mode: FieldShape, present: Members) -> Iterator[Members]:
    """Yield each constant of a mode with each sibling set that is absent, and without each that is present."""
    for choice in choices_of(mode):
        turned = {**present, mode.name: choice}
        for member in _members(shape):
            if member is not mode:
                yield _with(turned, (member,), () if member.name in present else (member,))


def _with(present: Members, about: tuple[FieldShape, ...], wanted: tuple[FieldShape, ...]) -> Members:
    """Return a copy in which, of the members it is about, those wanted are there and the others are not."""
    gone = {member.name for member in about if member not in wanted}
    made = {name: value for name, value in present.items() if name not in gone}
    for member in wanted:
        if member.name not in made:
            made[member.name] = filled(member.shape)
    return made


def _look(shape: Shape, made: Members) -> Any:
    """Return what tells crossings from one another: who is there, and what chooses."""
    modes = ((name, made[name]) for name in sorted(made) if isinstance(made[name], str | bool))
    return frozenset(made), tuple(modes)
