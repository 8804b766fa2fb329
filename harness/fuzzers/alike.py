"""Steps that do the same at many alike places are brought together: all items of a list lose a member at once.

A list at its limit has hundreds of items, and to ask about each of them alone is to ask hundreds of times what nearly
always has one answer. Where all at once fails, halves of them are asked, then halves of those, and few single ones.
Runs of steps that may be taken one by one are tried together too, and quarters where these say too little.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TypeAlias, TypeVar

from harness.case import Json
from harness.fuzzers.steps import Key, Step
from harness.jsonpath import ABSENT, JsonPath

MANY = 4
"""Fewer are asked one by one."""
PARTS = 4
"""Into so many parts what fails at once is divided at most."""
SINGLES = 12
"""Of alike steps no more are asked alone when so many of them failed."""
ANY_ITEM = -1
"""Stands for the index of an item in the place of steps that were brought together."""

Alike: TypeAlias = tuple[JsonPath, Hashable]


def is_long(obj: Json) -> bool:
    """Whether a list in an object has many items."""
    if obj.__class__ is dict:
        return any(is_long(value) for value in obj.values() if value.__class__ is dict or value.__class__ is list)
    return obj.__class__ is list and (len(obj) >= MANY or any(map(is_long, obj)))


def together(steps: Iterable[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield these steps without those that failed; of many alike ones those that are next.

    Who reads adds to `failed` on the way.
    """
    groups: dict[Alike, list[Step]] = {}
    for step in steps:
        groups.setdefault(_alike(step), []).append(step)
    for (place, sort), group in groups.items():
        if len(group) < MANY:
            yield from (step for step in group if step.key not in failed)
        else:
            yield from _next(place, sort, group, failed)


def _alike(step: Step) -> Alike:
    return tuple(ANY_ITEM if part.__class__ is int else part for part in step.place), step.sort or step.how


def _next(place: JsonPath, sort: Hashable, group: Sequence[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield all at once; where that failed its halves, and so on; where the smallest part failed single steps of it."""
    parts: deque[tuple[str, Sequence[Step]]] = deque([("", group)])
    singles: list[Step] = []
    while parts:
        path, part = parts.popleft()
        key = place, (sort, path)
        if key not in failed:
            yield _joined(key, part)
            if key not in failed:
                continue
        if len(part) >= 2 * MANY and 2 ** len(path) < PARTS:
            half = len(part) // 2
            parts += (path + "0", part[:half]), (path + "1", part[half:])
        else:
            singles += part
    if singles and place[-1:] == (ANY_ITEM,):
        yield from _last(place, sort, group, failed)
    spent = sum(step.key in failed for step in group)
    yield from islice((step for step in singles if step.key not in failed), max(0, SINGLES - spent))


def _last(place: JsonPath, sort: Hashable, group: Sequence[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield the last items at once, fewer and fewer: a list may be a few items longer than it has to be."""
    count = len(group) // (2 * PARTS)
    while count > 1:
        key = place, (sort, count)
        if key not in failed:
            yield _joined(key, group[-count:])
            if key not in failed:
                return
        count //= 2


def _joined(key: Key, steps: Sequence[Step]) -> Step:
    """Return the step that does what all of these do; the last ones first, so that items that go do not move others."""
    return Step(
        *key,
        tuple(edit for step in reversed(steps) for edit in step.new),
        tuple(edit for step in reversed(steps) for edit in step.old),
        all(step.is_sure for step in steps),
    )


T = TypeVar("T")


def runs(steps: Sequence[Step]) -> list[Sequence[Step]]:
    """Choose which of the successful steps to take together: all, and fewer and fewer."""
    count = len(steps)
    return [steps[:many] for many in sorted({count, count * 3 // 4, count // 2} - {0, 1}, reverse=True)]


def quarters(things: Sequence[T]) -> list[Sequence[T]]:
    """Divide into four parts of about the same length."""
    ends = [len(things) * part // 4 for part in range(5)]
    return [things[start:end] for start, end in pairwise(ends)]


def moved(failed: set[Key], steps: Sequence[Step]) -> None:
    """Forget what failed in lists from which an item was taken: others stand there now. What all failed stays."""
    edits = (edit for step in steps for edit in (*step.new, *step.old))
    lists = {place[:-1] for place, value in edits if value is ABSENT and isinstance(place[-1], int)}
    if lists:
        failed -= {key for key in failed if _is_within(key[0], lists)}


def _is_within(place: JsonPath, lists: set[JsonPath]) -> bool:
    """Whether a place is one of these lists or at an item of one, and not at all items."""
    depths = range(len(place) + 1)
    return any(place[:depth] in lists and place[depth : depth + 1] != (ANY_ITEM,) for depth in depths)
