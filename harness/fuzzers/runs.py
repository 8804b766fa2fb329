"""What is tried together: runs of steps that may be taken one by one, and quarters where these say too little."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from harness.fuzzers.alike import ANY_ITEM
from harness.fuzzers.places import ABSENT, Place
from harness.fuzzers.steps import Key, Step

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
    changes = (change for step in steps for change in (*step.new, *step.old))
    lists = {place[:-1] for place, value in changes if value is ABSENT and isinstance(place[-1], int)}
    if lists:
        failed -= {key for key in failed if _is_within(key[0], lists)}


def _is_within(place: Place, lists: set[Place]) -> bool:
    """Whether a place is one of these lists or at an item of one, and not at all items."""
    depths = range(len(place) + 1)
    return any(place[:depth] in lists and place[depth : depth + 1] != (ANY_ITEM,) for depth in depths)
