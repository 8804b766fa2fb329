"""Pairs around a value: it stays while something near it changes, or it goes the way it came.

What did not change may be forgiven; what counts as unchanged is where two validators differ. So the value stays as it
is, and its item moves in the list, gets a neighbour or another key, its entry another name in the map, or another
member changes: of its struct, of one around it, or all members of its struct at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import member_at, shape_at
from harness.fuzzers.shape import Shape
from harness.fuzzers.sized import renamed
from harness.fuzzers.spoiling import beside
from harness.fuzzers.spoiling import changed as others
from harness.fuzzers.values import filled
from harness.jsonpath import ABSENT, JsonPath, insert, look, put

_SIBLINGS = 4
"""So many members beside a place are changed."""
_BESIDE_TWINS = 3
_COMPANY = 10
"""So many ways in which the members beside a place are set."""


def kin(shape: Shape, refused: Json, place: JsonPath) -> Iterator[Pair]:
    """Yield (new, old) around an object that was refused for what stands at a place, which may be the whole."""
    if place:
        yield put(refused, place, ABSENT), refused
    yield from ((new, refused) for new in islice(_within(shape, refused, place), _SIBLINGS))
    if len(place) < 2:
        return
    for depth in range(len(place) - 1, 0, -1):
        most = _SIBLINGS if depth == len(place) - 1 else 1
        yield from ((new, refused) for new in islice(_sibling(shape, refused, place[: depth + 1]), most))
    yield from ((new, refused) for new in _around(shape, refused, place))
    for depth, part in enumerate(place):
        if isinstance(part, int):
            yield from ((new, refused) for new in _moved(shape, refused, place[: depth + 1]))
        elif shape_at(shape, place[:depth]).kind == "map":
            yield from ((new, refused) for new in _rekeyed(refused, place[: depth + 1]))


def turns_of(shape: Shape, having: Json, place: JsonPath) -> Iterator[Pair]:
    """Yield (new, old) around an object that has a member which may be absent: unset again, and changed while set."""
    yield put(having, place, ABSENT), having
    for other in islice(others(shape_at(shape, place), look(having, place), member_at(shape, place)), 1):
        yield put(having, place, other), having


def company(shape: Shape, refused: Json, place: JsonPath) -> Iterator[Json]:
    """Yield objects with other members beside a refused value: they may keep a side from looking at it.

    All that its struct can have, its discriminators at other constants, then each member more or less.
    """
    above = shape_at(shape, place[:-1])
    if place and above.kind == "struct":
        around = beside(above, look(refused, place[:-1]), str(place[-1]), look(refused, place))
        yield from (put(refused, place[:-1], other) for other in islice(around, _COMPANY))


def twins(shape: Shape, base: Json, refused: Json, place: JsonPath) -> Iterator[Pair]:
    """Yield (new, old) in which a refused item follows the one that it was: two of one key, and the first one is good.

    Which of the two an old item is found by, and whether anybody looks while the list stays as it is, is where two
    validators differ. The last pair brings the second one.
    """
    depth = max((number for number, part in enumerate(place) if isinstance(part, int)), default=0)
    item = place[: depth + 1]
    was = look(base, item)
    if not depth or not isinstance(was, dict) or len(place) == len(item):
        return
    both = insert(refused, item, was)
    yield from ((new, both) for new in islice(_sibling(shape, both, place[:depth]), _BESIDE_TWINS))
    yield both, base


def _sibling(shape: Shape, obj: Json, place: JsonPath) -> Iterator[Json]:
    """Change other members of the struct or map around a place, one at a time; those that are there come first."""
    parent = look(obj, place[:-1])
    if not isinstance(parent, dict):
        return
    above = shape_at(shape, place[:-1])
    present = [name for name in parent if name != place[-1]]
    absent = [member.name for member in above.fields if member.name not in parent and member.name != place[-1]]
    for name in (*present, *absent):
        below, value = above.child(name), parent.get(name, ABSENT)
        found = (filled(below),) if value is ABSENT else islice(others(below, value, above.by_name.get(name)), 1)
        yield from (put(obj, (*place[:-1], name), other) for other in found)


def _within(shape: Shape, obj: Json, place: JsonPath) -> Iterator[Json]:
    """Change members of a struct that was refused as a whole, one at a time: what its members are together stays."""
    held, here = look(obj, place), shape_at(shape, place)
    if isinstance(held, dict) and here.kind == "struct":
        for name, value in held.items():
            for other in islice(others(here.child(name), value, here.by_name.get(name)), 1):
                yield put(obj, (*place, name), other)


def _around(shape: Shape, obj: Json, place: JsonPath) -> Iterator[Json]:
    """Change all that stands beside a value at once, in the same struct."""
    parent, above = look(obj, place[:-1]), shape_at(shape, place[:-1])
    if isinstance(parent, dict) and above.kind == "struct":
        rest = {name: value for name, value in parent.items() if name != place[-1]}
        changed = {
            name: next(others(above.child(name), value, above.by_name.get(name)), value) for name, value in rest.items()
        }
        if len(rest) > 1 and changed != rest:
            yield put(obj, place[:-1], {**changed, place[-1]: parent[place[-1]]} if place[-1] in parent else changed)


def _rekeyed(obj: Json, entry: JsonPath) -> Iterator[Json]:
    """Give an entry of a map another name."""
    values, name = look(obj, entry[:-1]), str(entry[-1])
    if isinstance(values, dict) and name in values:
        yield put(obj, entry[:-1], {key if key != name else f"{name}b": value for key, value in values.items()})


def _moved(shape: Shape, obj: Json, item: JsonPath) -> Iterator[Json]:
    """Move an item behind another one, change the one beside it, and give it another name."""
    items, index, below = look(obj, item[:-1]), item[-1], shape_at(shape, item)
    if not isinstance(items, list) or not isinstance(index, int) or index >= len(items):
        return
    rest = [*items[:index], *items[index + 1 :]] or [renamed(items[index], below, 7)]
    yield put(obj, item[:-1], [items[index], *rest] if index else [*rest, items[index]])
    if len(items) > 1:
        beside = index - 1 if index else 1
        yield put(obj, (*item[:-1], beside), renamed(items[beside], below, 7))
    if isinstance(items[index], dict):
        yield put(obj, item, renamed(items[index], below, 5))
