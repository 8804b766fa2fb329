"""Minimises the difference between a pair and the valid object, as long as it shows the same with no further errors.

A row of a table is written as edits of the valid object, so it should have few of them. `Reducer` minimises the object
itself, and would remove parts of the valid object too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TypeAlias

import msgspec

from harness.case import Answer, Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.shapepaths import size
from harness.fuzzers.steps import Step, apply_steps
from harness.jsonpath import ABSENT, Edit, JsonPath, differences, look, walk
from harness.objectmodel import IDENTITY

Judge: TypeAlias = Callable[[Pair, Answer], int | None]
"""Returns the number of other errors, None when the pair does not show what is wanted."""
Ask: TypeAlias = Callable[[list[Pair]], list[tuple[Pair, Answer]]]

MAX_BATCH, MAX_ROUNDS = 80, 12


def distance(pair: Pair, base: Pair) -> tuple[int, float]:
    """Return the distance of a pair from the valid pair: the number of paths that differ, then its size."""
    new, old = pair
    far = sum(1 for _ in differences(new, base[0]))
    if old is not None:
        far += sum(1 for _ in differences(old, base[1]))
    return far, size(new) + size(old)


def nearest(start: Pair, wrong: int, base: Pair, judge: Judge, ask: Ask) -> Pair:
    """Return the nearest pair that still shows what is wanted with at most `wrong` other errors.

    Each round tries single steps towards the valid pair, then the successful ones together. It ends because every
    round reduces the distance.
    """
    seen = {msgspec.json.encode(start)}

    def keep(pairs: list[Pair]) -> list[tuple[int, tuple[int, float], int]]:
        """Ask pairs. Returns: the other errors, distance and index of each that qualifies, best first."""
        numbers = {msgspec.json.encode(pair): number for number, pair in enumerate(pairs)}
        kept = []
        for pair, answer in ask(pairs) if pairs else []:
            left = judge(pair, answer)
            if left is not None and left <= wrong:
                kept.append((left, distance(pair, base), numbers[msgspec.json.encode(pair)]))
        return sorted(kept)

    for _ in range(MAX_ROUNDS):
        steps: list[Step] = []
        pairs: list[Pair] = []
        limit = distance(start, base)
        for step in _steps(start, base):
            pair = apply_steps(start, [step])
            code = msgspec.json.encode(pair)
            if code not in seen and distance(pair, base) < limit and len(pairs) < MAX_BATCH:
                seen.add(code)
                steps.append(step)
                pairs.append(pair)
        kept = keep(pairs)
        if not kept:
            return start
        order = [number for _, _, number in kept]
        wrong, start = kept[0][0], pairs[order[0]]
        # Most differences are irrelevant, so try the successful steps together.
        together = list(
            accumulate((steps[number] for number in order[1:]), lambda at, step: apply_steps(at, [step]), initial=start)
        )
        further = keep([pair for pair in together[1:] if pair != start])
        if further and further[0][1] < distance(start, base):
            wrong, start = further[0][0], [pair for pair in together[1:] if pair != start][further[0][2]]
    return start


def _steps(pair: Pair, base: Pair) -> Iterator[Step]:
    """Yield steps towards the valid pair: a path set to its value there, or an added value removed."""
    new, old = pair
    for path in [*differences(new, base[0]), *_added(new, base[0])]:
        if path not in IDENTITY:
            edit = (Edit(path, look(base[0], path)),)
            if old is not None:
                yield Step(path, "both", edit, (Edit(path, look(base[1], path)),))
            yield Step(path, "new", edit)
    for path in [*differences(old, base[1]), *_added(old, base[1])] if old is not None else ():
        if path not in IDENTITY:
            yield Step(path, "old", (), (Edit(path, look(base[1], path)),))


def _added(obj: Json, base: Json) -> Iterator[JsonPath]:
    """Yield the paths that only the object has."""
    return (path for path, _ in list(walk(obj)) if look(base, path) is ABSENT)
