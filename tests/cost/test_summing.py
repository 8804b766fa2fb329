"""Rows, medians over kinds, and the sentence that answers the question."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest

from harness.case import Case, KindInfo, Operation, Spent
from harness.cost.measuring import Measured
from harness.cost.objects import Chosen
from harness.cost.summing import CONFIDENCE, FEWEST, answer_of, interval, rank_of, ratios, row_of, share_of, sums_of
from harness.report.model.cost import CostRow, Interval, duration

INFO = KindInfo("g", "v1", "K", "ks", "g/v1")


def row(handwritten: float = 2000.0, declarative: float = 3000.0, convert: float = 1000.0, **more: Any) -> CostRow:
    """A row of six equal samples; `both` takes half a microsecond more than its parts."""
    both = handwritten + declarative + convert + 500
    times = {"handwritten": handwritten, "declarative": declarative, "convert": convert, "both": both}
    chosen = Chosen(Case(0, "g", "v1", "K", Operation.CREATE, {}), more.get("valid", True), "typical", 10, 0)
    one = Measured(chosen, {name: [time] * 6 for name, time in times.items()})
    one.last = {name: Spent((time,), 9, 12, 345) for name, time in times.items()}
    return row_of(one, INFO, "suite")


def test_a_row_says_what_one_object_costs() -> None:
    """Medians of each part, what is allocated, and both ratios."""
    one = row()
    assert Interval(3000, 3000, 3000) == one.parts["declarative"].nanoseconds
    assert (12, 345, 6) == (one.parts["convert"].objects, one.parts["convert"].bytes, one.samples)
    assert (Interval(1.5, 1.5, 1.5), Interval(2.0, 2.0, 2.0), 4000) == (one.ratio, one.total, one.added)
    assert "g/v1 ks" == one.name


def test_the_share_is_all_that_is_not_handwritten() -> None:
    """Comparing and composing count too; what cannot be measured has no share."""
    assert 4500 / 6500 == share_of(row())
    assert share_of(row(handwritten=7000.0, declarative=-1000.0, convert=-1000.0)) == 0.0


def test_sums_are_medians_over_kinds() -> None:
    """One expensive kind moves no median; valid and invalid objects are apart."""
    rows = [row(declarative=time) for time in (1000.0, 2000.0, 4000.0, 4000.0, 900_000.0)] + [row(valid=False)]
    valid, invalid = sums_of(rows)
    assert (5, 4000.0) == (valid.count, valid.parts["declarative"].nanoseconds.median)
    assert (Interval(2.0, 0.5, 450.0), 1) == (valid.ratio, invalid.count)


def test_a_kind_without_rules_is_no_part_of_the_sums() -> None:
    """It would make the declarative side look cheap."""
    chosen = Chosen(Case(0, "g", "v1", "K", Operation.CREATE, {}), True, "typical", 10, 0)
    plain = Measured(chosen, {"handwritten": [5.0]}, {"handwritten": Spent((5.0,))})
    one = row_of(plain, INFO, "suite")
    assert ((), None) == (sums_of([one]), one.ratio)


def test_the_answer_is_a_sentence() -> None:
    """Time, how many times handwritten, allocations, conversion, and the same of invalid objects."""
    rows = [row() for _ in range(6)] + [row(declarative=6000.0, valid=False)]
    assert answer_of(sums_of(rows)) == (
        "declarative validation costs 3 µs and 12 allocations (345 bytes), 1.50 times handwritten (1.50 to 1.50); "
        "conversion for it adds 1 µs and 12 allocations (345 bytes), which makes 2.00 times handwritten (2.00 to 2.00) "
        "in all (valid objects of typical size, medians over 6 kinds and operations, 95 % intervals). "
        "Of invalid objects: 6 µs and 12 allocations (345 bytes), 3.00 times handwritten (3.00 to 3.00)"
    )
    assert "no valid object of a kind with rules was measured" == answer_of(())


def test_durations_read_well() -> None:
    """Three digits, in the unit that fits."""
    assert ["12 ns", "4.1 µs", "217 µs", "1.5 ms", "2 s"] == [duration(n) for n in (12, 4100, 217_000, 1.5e6, 2e9)]


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
