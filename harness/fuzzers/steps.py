"""What may make a pair smaller: one place brought back, made the same in old and new, left out, or made plainer.

A step is the few places that it changes, so that listing steps costs little and several are brought together. Those
that a reduction does not ask about are never made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import size
from harness.jsonpath import ABSENT, Edit, JsonPath, apply_all, differences, later_first, look

Protected: TypeAlias = frozenset[JsonPath]
Key: TypeAlias = tuple[JsonPath, Hashable]
Values: TypeAlias = Callable[[Json], Iterator[Json]]
"""Yields other values for one."""


class Step(NamedTuple):
    """What is changed in new and in old. `place` says where, `how` tells steps at one place from one another.

    `is_sure` says that the pair is smaller for it, whatever else it holds. `sort` is what steps have in common that do
    the same at other places; where there is none, `how` is.
    """

    place: JsonPath
    how: Hashable
    new: tuple[Edit, ...] = ()
    old: tuple[Edit, ...] = ()
    is_sure: bool = True
    sort: Hashable = None

    @property
    def key(self) -> Key:
        """What tells a step from others of its sort."""
        return self.place, self.how


def taken(pair: Pair, steps: Sequence[Step]) -> Pair:
    """Return the pair after these steps; of those that change one place the first counts."""
    new, old = pair
    if len(steps) == 1:
        edits, before = steps[0].new, steps[0].old
    else:
        edits, before = _together(steps)
    return apply_all(edits, new), apply_all(before, old)


def gain(pair: Pair, step: Step) -> tuple[bool, float]:
    """Estimate what a step is worth: whether old and new differ in less, then how much smaller both become."""
    new, old = pair
    saved = sum(size(look(new, place)) - size(value) for place, value in step.new)
    saved += sum(size(look(old, place)) - size(value) for place, value in step.old)
    return old is not None and not (step.new and step.old), saved


def _together(steps: Iterable[Step]) -> tuple[tuple[Edit, ...], tuple[Edit, ...]]:
    touched: set[JsonPath] = set()
    new: list[Edit] = []
    old: list[Edit] = []
    for step in steps:
        places = {place for place, _ in (*step.new, *step.old)}
        if touched.isdisjoint(places):
            touched |= places
            new += step.new
            old += step.old
    return tuple(later_first(new)), tuple(later_first(old))


def reverts(pair: Pair, base: Json) -> Iterator[Step]:
    """Bring places back to what they are in an accepted base."""
    new, old = pair
    for place in differences(new, base) if base is not None else ():
        edit = (Edit(place, look(base, place)),)
        if old is not None:
            yield Step(place, "both", edit, edit)
        yield Step(place, "new", edit)


def unions(pair: Pair, protected: Protected) -> Iterator[Step]:
    """Make old and new say the same at a place."""
    new, old = pair
    for place in differences(new, old) if old is not None else ():
        if place not in protected:
            yield Step(place, "new", (Edit(place, look(old, place)),))
            yield Step(place, "old", (), (Edit(place, look(new, place)),))


def removals(pair: Pair, ground: Pair | None, protected: Protected) -> Iterator[Step]:
    """Leave out a place, in both where both have it; large parts first."""
    old = pair[1]
    for place, value, before in _loose(pair, 0, ground, protected):
        edit = (Edit(place, ABSENT),)
        if before is not ABSENT:
            yield Step(place, "both", edit, edit)
        if before is ABSENT or before != value:
            yield Step(place, "new", edit, is_sure=_is_member(place))
    for place, _, after in _loose(pair, 1, ground, protected) if old is not None else ():
        if after is ABSENT:
            yield Step(place, "old", (), (Edit(place, ABSENT),), is_sure=_is_member(place))


def _is_member(place: JsonPath) -> bool:
    """Whether a place is not an item of a list: taken from one side, the items after it stand beside other ones."""
    return isinstance(place[-1], str)


def scalars(values: Values, pair: Pair, ground: Pair | None, protected: Protected) -> Iterator[Step]:
    """Make strings shorter and numbers smaller, in both at once where both say the same."""
    new, old = pair
    loose = list(_loose(pair, 0, ground, protected))
    for value, times in Counter(value for _, value, _ in loose if isinstance(value, str)).items():
        if times > 1 and value not in ("", "a"):  # a name and who refers to it
            changes, befores = tuple(_replaced(new, value, "a")), tuple(_replaced(old, value, "a"))
            yield Step((), value, changes, befores, sort="a name")
    for place, value, before in loose:
        for simpler, how, turn in _smaller(value, values):
            edit = (Edit(place, simpler),)
            yield Step(place, ("new", how), edit, edit if before == value else (), sort=("new", turn))
    for place, value, after in _loose(pair, 1, ground, protected) if old is not None else ():
        for simpler, how, turn in _smaller(value, values) if after != value else ():
            yield Step(place, ("old", how), (), (Edit(place, simpler),), sort=("old", turn))


def _smaller(value: Json, values: Values) -> Iterator[tuple[Json, Hashable, int]]:
    """Yield values that are smaller than this one, with what tells them apart, and the how many-th each is."""
    if value.__class__ is dict:
        return
    measure = -1.0
    for turn, simpler in enumerate(values(value)):
        measure = size(value) if measure < 0 else measure
        if size(simpler) < measure:
            yield simpler, (len(simpler) if isinstance(simpler, list) else simpler), turn


def _loose(pair: Pair, which: int, ground: Pair | None, protected: Protected) -> Iterator[tuple[JsonPath, Json, Json]]:
    """Yield the places of new (0) or old (1) with what stands there and in the other, those of large parts first.

    Not those at which there is nothing to gain: they are protected, or as bare as in the ground, with all below.
    """
    beside = 1 - which
    bare = (ABSENT, ABSENT) if ground is None else ground
    level: list[tuple[JsonPath, Json, Json, Json, Json]] = [((), pair[which], pair[beside], bare[which], bare[beside])]
    while level:
        further: list[tuple[JsonPath, Json, Json, Json, Json]] = []
        for at, value, other, here, there in level:
            for part, held in value.items() if value.__class__ is dict else enumerate(value):
                found, plain, apart = _within(other, part), _within(here, part), _within(there, part)
                if held == plain and (found is apart or found == apart):
                    continue
                place = (*at, part)
                if place not in protected:
                    yield place, held, found
                if held.__class__ is dict or held.__class__ is list:
                    further.append((place, held, found, plain, apart))
        level = further


def _within(value: Json, part: str | int) -> Json:
    if value.__class__ is dict:
        return value.get(part, ABSENT)
    if value.__class__ is list and part.__class__ is int and part < len(value):
        return value[part]
    return ABSENT


def _replaced(obj: Json, value: Json, other: Json, at: JsonPath = ()) -> Iterator[Edit]:
    """Yield the edit to another value wherever this one stands."""
    if isinstance(obj, dict | list):
        for part, held in obj.items() if isinstance(obj, dict) else enumerate(obj):
            yield from _replaced(held, value, other, (*at, part))
    elif obj == value and type(obj) is type(value):
        yield Edit(at, other)


def plainest(value: Json) -> Iterator[Json]:
    """Yield the plainest values of a sort."""
    if isinstance(value, str):
        yield from ("", "a")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from (0, 1)


def simpler(value: Json) -> Iterator[Json]:
    """Yield values somewhat smaller than one that could not be made plain."""
    if isinstance(value, str) and len(value) > 1:
        # The last but one keeps the length: where only that counts, plain letters say so.
        half, most = len(value) // 2, len(value) * 7 // 8
        plain = "a" * len(value)
        if len(value) > 16:
            yield from dict.fromkeys((plain[:half], value[:half], plain[:most], value[:most], plain, value[:-1]))
        else:
            yield from dict.fromkeys((value[:half], plain, value[:-1]))
    elif isinstance(value, int | float) and not isinstance(value, bool) and value not in (0, 1):
        half = int(value / 2)
        yield from (half, int(value * 7 / 8), int(value) - (1 if value > 0 else -1))
    elif isinstance(value, list) and len(value) > 3:
        yield from (value[: len(value) // 2], value[: len(value) * 7 // 8])
    elif value is True:
        yield False
