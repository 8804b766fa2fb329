"""Medians with intervals of order statistics: nothing is assumed about how samples are distributed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb
from statistics import median

from harness.reporting.cost import Interval

CONFIDENCE = 0.95
"""With which the true median lies in the interval."""
FEWEST = 6
"""Samples that such an interval takes; of fewer it is all of them."""


def interval(values: Iterable[float], digits: int = 1) -> Interval | None:
    """Return the median and its interval; None where there are no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    rank = rank_of(len(ordered))
    ends = (median(ordered), ordered[rank], ordered[-1 - rank])
    return Interval(*(round(end, digits) for end in ends))


@cache
def rank_of(count: int) -> int:
    """Return how many values at each end of `count` sorted ones lie outside of the interval.

    The true median is below the value of rank r (from 0) with the probability that at most r of the values are.
    """
    below, rank = 0, 0
    while rank < count // 2:
        below += comb(count, rank)
        if 2 * below > (1 - CONFIDENCE) * 2**count:
            break
        rank += 1
    return max(0, rank - 1)


def ratios(over: Sequence[float], under: Sequence[float]) -> list[float]:
    """Divide sample by sample: two of one round met the same machine. What took no time divides nothing."""
    return [a / b for a, b in zip(over, under, strict=False) if b > 0]
