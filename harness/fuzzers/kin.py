"""Pairs around a refused value: it stays while something near it changes, or it goes the way it came.

What did not change may be forgiven; what counts as unchanged is where two validators differ. So the value stays as it
is, and its item moves in the list, gets a neighbour or another key, or another member of its struct changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import ABSENT, Place, look, put
from harness.fuzzers.shape import Shape
from harness.fuzzers.sized import renamed
from harness.fuzzers.spoiling import changed as others


def kin(shape: Shape, refused: Json, place: Place) -> Iterator[Pair]:
    """Yield (new, old) around an object that was refused for what stands at a place."""
    yield put(refused, place, ABSENT), refused
    if len(place) < 2:
        return
    yield from ((new, refused) for new in _sibling(shape, refused, place))
    for depth, part in enumerate(place):
        if isinstance(part, int):
            yield from ((new, refused) for new in _moved(shape, refused, place[: depth + 1]))


def _at(shape: Shape, place: Place) -> Shape:
    for part in place:
        shape = shape.child(part)
    return shape


def _sibling(shape: Shape, obj: Json, place: Place) -> Iterator[Json]:
    """Change another member of the struct or map around a place."""
    parent = look(obj, place[:-1])
    if not isinstance(parent, dict):
        return
    above = _at(shape, place[:-1])
    for name, value in parent.items():
        if name != place[-1]:
            for other in islice(others(above.child(name), value, above.by_name.get(name)), 1):
                yield put(obj, (*place[:-1], name), other)
                return


def _moved(shape: Shape, obj: Json, item: Place) -> Iterator[Json]:
    """Move an item behind another one, and give it another name."""
    items, index, below = look(obj, item[:-1]), item[-1], _at(shape, item)
    if not isinstance(items, list) or not isinstance(index, int) or index >= len(items):
        return
    rest = [*items[:index], *items[index + 1 :]] or [renamed(items[index], below, 7)]
    yield put(obj, item[:-1], [items[index], *rest] if index else [*rest, items[index]])
    if isinstance(items[index], dict):
        yield put(obj, item, renamed(items[index], below, 5))
