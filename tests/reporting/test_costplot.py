"""The plot of costs: who stands on it, in which order, where."""

from __future__ import annotations

import pytest

from harness.reporting.costplot import LABEL, MOST, RIGHT, WIDTH, plot, table, words
from tests.reporting.sections import costing, row


def test_kinds_stand_once_the_dearest_first() -> None:
    """Valid objects of typical size where there is one; without rules nothing is compared."""
    cost = costing(
        row(1, 10.0), row(2, 5000.0), row(2, 9e9, size="grown"), row(3, 50.0, valid=False), row(4, 70.0, size="small"),
        row(5, 1.0, parts={}),
    ).cost  # fmt: skip
    assert cost is not None
    assert [("v2", "typical"), ("v4", "small"), ("v1", "typical")] == [(r.version, r.size) for r in table(cost)]


def test_marks_lie_on_a_logarithmic_scale() -> None:
    """Ten times as long is one tick further; an interval holds its median; everything is inside the drawing."""
    drawn = plot([row(1, 1000.0), row(2, 10_000.0)])
    assert drawn is not None
    first, second = (bar.declarative for bar in drawn.bars)
    assert first is not None
    assert second is not None
    assert second.x - first.x == pytest.approx(drawn.ticks[1][0] - drawn.ticks[0][0], abs=0.2)
    for mark in (first, second):
        assert LABEL <= mark.low < mark.x < mark.high <= WIDTH - RIGHT
    assert ["100 ns", "1 µs", "10 µs", "100 µs"] == [label for _, label in drawn.ticks]


def test_a_long_list_is_cut_and_says_so() -> None:
    """The table has the rest."""
    drawn = plot([row(n, 10.0) for n in range(MOST + 7)])
    assert drawn is not None
    assert (MOST, 7) == (len(drawn.bars), drawn.left_out)


def test_without_a_measurement_there_is_no_plot() -> None:
    """A time of nothing has no place on the scale either way."""
    assert plot([]) is None
    assert plot([row(1, 0.0, parts={})]) is None
    assert plot([row(1, 0.0)]) is not None


def test_a_time_in_words_has_its_interval() -> None:
    """And a part that was not measured is a dash."""
    assert "2 µs (1.9 µs to 2.1 µs)" == words(row(1, 1.0).parts["handwritten"])
    assert "–" == words(None)
