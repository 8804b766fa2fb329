"""Intervals of order statistics keep what they promise, and assume nothing."""

from __future__ import annotations

from math import comb

import pytest

from harness.cost.statistics import CONFIDENCE, FEWEST, interval, rank_of, ratios
from harness.reporting.cost import Interval


@pytest.mark.parametrize("count", [*range(FEWEST, 40), 75, 231])
def test_the_interval_is_the_narrowest_that_keeps_the_confidence(count: int) -> None:
    """By the binomial distribution: what lies outside is improbable enough, one value more is not."""
    outside = [2 * sum(comb(count, i) for i in range(rank + 1)) / 2**count for rank in range(count // 2)]
    assert outside[rank_of(count)] <= 1 - CONFIDENCE < outside[rank_of(count) + 1]


def test_few_values_are_all_of_the_interval() -> None:
    """Of five values none can be left out."""
    assert Interval(3, 1, 9) == interval([9, 2, 3, 1, 4])
    assert Interval(7, 7, 7) == interval([7])


def test_one_wild_value_moves_nothing() -> None:
    """A sample that met a busy machine is outside of the interval."""
    calm = [float(number) for number in range(100, 115)]
    assert interval(calm) == interval([*calm[:-1], 1e9])


def test_nothing_has_no_median() -> None:
    """No values, no interval."""
    assert interval([]) is None


def test_what_took_no_time_divides_nothing() -> None:
    """Ratios are made sample by sample; those of a part below what can be measured are left out."""
    assert [0.5, 2.0] == ratios([1, 3, 4], [2, 0, 2])
