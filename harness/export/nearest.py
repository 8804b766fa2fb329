"""Brings a pair nearer to the accepted object it was made of, as long as it shows the same and nothing more is wrong.

A row of a table is read as a change of the valid object at its top: the fewer changes, the better. `Reducer` makes what
it is given small in itself, which would take away parts of the valid object too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TypeAlias

import msgspec

from harness.case import Answer, Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import size
from harness.fuzzers.steps import Step, taken
from harness.jsonpath import ABSENT, Edit, JsonPath, differences, look, walk
from harness.objectmodel import IDENTITY

Judge: TypeAlias = Callable[[Pair, Answer], int | None]
"""How much else is wrong, None when the pair does not show what is wanted."""
Ask: TypeAlias = Callable[[list[Pair]], list[tuple[Pair, Answer]]]

_BATCH, _ROUNDS = 80, 12


def distance(pair: Pair, base: Pair) -> tuple[int, float]:
    """Measure how far a pair is from the accepted one: places that differ, then size."""
    new, old = pair
    far = sum(1 for _ in differences(new, base[0]))
    if old is not None:
        far += sum(1 for _ in differences(old, base[1]))
    return far, size(new) + size(old)


def nearest(start: Pair, wrong: int, base: Pair, judge: Judge, ask: Ask) -> Pair:
    """Return the nearest pair that still shows what is wanted with no more than this wrong besides.

    Ends, because every round makes the pair nearer.
    """
    seen = {msgspec.json.encode(start)}

    def keep(pairs: list[Pair]) -> list[tuple[int, tuple[int, float], int]]:
        """Ask pairs. Returns: how much is wrong, the distance and the number of those that will do."""
        numbers = {msgspec.json.encode(pair): number for number, pair in enumerate(pairs)}
        kept = []
        for pair, answer in ask(pairs) if pairs else []:
            left = judge(pair, answer)
            if left is not None and left <= wrong:
                kept.append((left, distance(pair, base), numbers[msgspec.json.encode(pair)]))
        return sorted(kept)

    for _ in range(_ROUNDS):
        steps: list[Step] = []
        pairs: list[Pair] = []
        limit = distance(start, base)
        for step in _steps(start, base):
            pair = taken(start, [step])
            code = msgspec.json.encode(pair)
            if code not in seen and distance(pair, base) < limit and len(pairs) < _BATCH:
                seen.add(code)
                steps.append(step)
                pairs.append(pair)
        kept = keep(pairs)
        if not kept:
            return start
        order = [number for _, _, number in kept]
        wrong, start = kept[0][0], pairs[order[0]]
        # Most of what is beside the point goes at once.
        together = list(
            accumulate((steps[number] for number in order[1:]), lambda at, step: taken(at, [step]), initial=start)
        )
        further = keep([pair for pair in together[1:] if pair != start])
        if further and further[0][1] < distance(start, base):
            wrong, start = further[0][0], [pair for pair in together[1:] if pair != start][further[0][2]]
    return start


def _steps(pair: Pair, base: Pair) -> Iterator[Step]:
    """Yield what brings a pair nearer: a place as it is in the accepted object, or without something that was added."""
    new, old = pair
    for place in [*differences(new, base[0]), *_added(new, base[0])]:
        if place not in IDENTITY:
            edit = (Edit(place, look(base[0], place)),)
            if old is not None:
                yield Step(place, "both", edit, (Edit(place, look(base[1], place)),))
            yield Step(place, "new", edit)
    for place in [*differences(old, base[1]), *_added(old, base[1])] if old is not None else ():
        if place not in IDENTITY:
            yield Step(place, "old", (), (Edit(place, look(base[1], place)),))


def _added(obj: Json, base: Json) -> Iterator[JsonPath]:
    """Yield the places below what was added."""
    return (place for place, _ in list(walk(obj)) if look(base, place) is ABSENT)
