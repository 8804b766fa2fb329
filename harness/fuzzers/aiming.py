"""Objects that go for an aim: led to its place, with what is missing on the way made, and spoilt there in many ways.

How a place is spoilt follows from the type of the error and its origin, from limits and hints, and from the shape. The
first ways are the most telling; later ones vary the object they start from. Nothing is ruled out and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from typing import TypeVar

from harness.case import Json
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import at_limit
from harness.fuzzers.spoiling import beside, changed, spoilt
from harness.fuzzers.values import filled, plausible, rich
from harness.jsonpath import ABSENT, ITEMS, pattern_of
from harness.objectmodel import stored

T = TypeVar("T")
Spoil = Callable[[Shape, Json, FieldShape | None], Iterator[Json]]
Make = Callable[[Shape], Json]

_MAKERS: tuple[Make, ...] = (filled, rich, plausible)
_STARTS = 4
"""So many bases are tried for an aim, those first that reach farthest towards its place."""


def shots(aim: Aim, shape: Shape, bases: Sequence[Json]) -> Iterator[Pair]:
    """Yield (new, old) that may do what an aim wants, the most telling first; old is None for a create."""
    parts = parts_of(aim)
    near = sorted(bases, key=lambda base: -_reach(base, parts))[:_STARTS]
    if aim.wants == "accept" and aim.update:
        yield from _kept(shape, parts, near)
    elif aim.wants == "accept":
        yield from _creates(shape, parts, near, lambda *at: at_limit(aim, *at))
    elif aim.update:
        yield from _updates(shape, parts, near)
    else:
        yield from _creates(shape, parts, near, lambda *at: spoilt(aim, *at))


def parts_of(aim: Aim) -> tuple[str, ...]:
    """Split the path of an aim; an item that stands twice is an error of the item, made in its list."""
    parts = pattern_of(aim.path)
    return parts[:-1] if aim.type == "FieldValueDuplicate" and parts[-1:] == (ITEMS,) else parts


def _reach(obj: Json, parts: Sequence[str]) -> int:
    """Count how many steps towards a place an object has, with its end counted twice."""
    for number, part in enumerate(parts):
        if isinstance(obj, dict):
            obj = next(iter(obj.values()), ABSENT) if part == ITEMS else obj.get(part, ABSENT)
        elif isinstance(obj, list) and obj:
            obj = obj[0]
        else:
            return number
        if obj is ABSENT:
            return number
    return len(parts) + 1


def _creates(shape: Shape, parts: Sequence[str], bases: Sequence[Json], spoil: Spoil) -> Iterator[Pair]:
    # All makers and bases with the first values, before the next values: a value of the list may be all wrong.
    running = [_led(shape, base, parts, spoil, maker) for maker, base in product(_MAKERS, bases)]
    others = [_beside(shape, base, parts, spoil, maker) for maker, base in product(_MAKERS[:2], bases)]
    yield from ((obj, None) for obj in _in_turn([*running, *others], (3, 6, 12, 40)))


def _beside(shape: Shape, base: Json, parts: Sequence[str], spoil: Spoil, make: Make) -> Iterator[Json]:
    """Yield objects with the place spoilt in the first way, and with other members beside it."""
    if not parts or parts[-1] == ITEMS:
        return
    held, below, member = _follow(shape, base, parts, make)
    parent, above, _ = _follow(shape, base, parts[:-1], make)
    for value in islice(spoil(below, held, member), 1):
        for around in beside(above, parent, parts[-1], value):
            yield lead(shape, base, parts[:-1], around, make)


def _led(shape: Shape, base: Json, parts: Sequence[str], spoil: Spoil, make: Make) -> Iterator[Json]:
    """Yield copies of an object with the place spoilt in one way after the other."""
    held, below, member = _follow(shape, base, parts, make)
    for value in spoil(below, held, member):
        yield lead(shape, base, parts, value, make)


def _updates(shape: Shape, parts: Sequence[str], bases: Sequence[Json]) -> Iterator[Pair]:
    """Return pairs that differ at the place: changed, removed, added, and changed within."""
    running = [_moved(shape, stored(base), parts, maker) for maker, base in product(_MAKERS, bases)]
    return _in_turn(running, (4, 8, 40))


def _kept(shape: Shape, parts: Sequence[str], bases: Sequence[Json]) -> Iterator[Pair]:
    """Return pairs that have the place in common, and differ beside it."""
    return _in_turn([_moved_beside(shape, stored(base), parts) for base in bases], (4, 8, 40))


def _in_turn(running: Sequence[Iterator[T]], widths: Sequence[int]) -> Iterator[T]:
    """Yield so many of each, then so many more of each."""
    for width in widths:
        for one in running:
            yield from islice(one, width)


def _moved_beside(shape: Shape, base: Json, parts: Sequence[str]) -> Iterator[Pair]:
    """Yield pairs of which the new one has another member beside the place than the old one, changed or added."""
    held, below, _ = _follow(shape, base, parts, filled)
    here = held if held is not ABSENT else filled(below)
    old = lead(shape, base, parts, here)
    parent, above, _ = _follow(shape, old, parts[:-1], filled)
    if above.kind != "struct" or not isinstance(parent, dict):
        return
    # Maps take nearly anything: what an update may not change of metadata stands beside labels and annotations.
    for member in sorted(above.fields, key=lambda one: one.shape.kind != "map"):
        if member.name == parts[-1]:
            continue
        value = parent.get(member.name)
        other = filled(member.shape) if value is None else next(changed(member.shape, value, member), value)
        yield lead(shape, base, parts[:-1], {**parent, member.name: other}), old


def _moved(shape: Shape, base: Json, parts: Sequence[str], make: Make) -> Iterator[Pair]:
    held, below, member = _follow(shape, base, parts, make)
    here = held if held is not ABSENT else make(below)
    old = lead(shape, base, parts, here, make)
    gone = lead(shape, base, parts, ABSENT, make)
    several = list(islice(changed(below, here, member), 24))
    for other in several[:2]:
        yield lead(shape, base, parts, other, make), old
    yield gone, old
    yield old, gone
    for other in several[2:]:
        yield lead(shape, base, parts, other, make), old
        yield old, lead(shape, base, parts, other, make)


def _follow(shape: Shape, value: Json, parts: Sequence[str], make: Make) -> tuple[Json, Shape, FieldShape | None]:
    """Return what stands at a place, or would stand there once the way was made, its shape, and its member."""
    member = None
    for part in parts:
        if shape.kind == "struct":
            member = shape.by_name.get(part)
            value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
        elif shape.kind == "map":
            value = next(iter(value.values()), ABSENT) if isinstance(value, dict) else ABSENT
        else:
            value = value[0] if isinstance(value, list) and value else ABSENT
        shape = shape.child(part)
        if value is ABSENT and part != parts[-1]:
            value = make(shape)
    return value, shape, member


def lead(shape: Shape, value: Json, parts: Sequence[str], last: Json, make: Make = filled) -> Json:
    """Return a copy with this value at a place whose `[*]` are first items; what is missing on the way is made."""
    if not parts:
        return last
    part, rest = parts[0], parts[1:]
    below = shape.child(part)
    if shape.kind == "list":
        items = value if isinstance(value, list) and value else [make(below)]
        item = lead(below, items[0], rest, last, make)
        return items[1:] if item is ABSENT else [item, *items[1:]]
    if shape.kind == "map":
        values = value if isinstance(value, dict) and value else {"a": make(below)}
        name = next(iter(values))
        changed_value = lead(below, values[name], rest, last, make)
        kept = {key: held for key, held in values.items() if key != name}
        return kept if changed_value is ABSENT else {name: changed_value, **kept}
    members = dict(value) if isinstance(value, dict) else {}
    held = members.get(part)
    if held is None and rest:
        held = make(below)
    following = lead(below, held, rest, last, make)
    if following is ABSENT:
        members.pop(part, None)
    else:
        members[part] = following
    return members
