"""The plot of costs: its rows, their order, and their coordinates."""

from __future__ import annotations

import pytest

from harness.report.formats.html.costplot import LABEL, MAX_ROWS, RIGHT, WIDTH, draw, select_rows, write_time
from tests.report.sections import costing, row


def test_each_kind_has_one_row_the_most_expensive_first() -> None:
    """The row is of a valid object, of typical size if there is one; kinds without rules have none."""
    cost = costing(
        row(1, 10.0), row(2, 5000.0), row(2, 9e9, size="grown"), row(3, 50.0, valid=False), row(4, 70.0, size="small"),
        row(5, 1.0, parts={}),
    ).cost  # fmt: skip
    assert cost is not None
    assert [("v2", "typical"), ("v4", "small"), ("v1", "typical")] == [(r.version, r.size) for r in select_rows(cost)]


def test_marks_are_on_a_logarithmic_scale() -> None:
    """A tenfold time is one tick further, an interval contains its median, and all marks are inside the plot."""
    drawn = draw([row(1, 1000.0), row(2, 10_000.0)])
    assert drawn is not None
    first, second = (bar.declarative for bar in drawn.bars)
    assert first is not None
    assert second is not None
    assert second.x - first.x == pytest.approx(drawn.ticks[1][0] - drawn.ticks[0][0], abs=0.2)
    for mark in (first, second):
        assert LABEL <= mark.low < mark.x < mark.high <= WIDTH - RIGHT
    assert ["100 ns", "1 µs", "10 µs", "100 µs"] == [label for _, label in drawn.ticks]


def test_a_long_list_is_cut_and_counts_the_rest() -> None:
    """The other rows are in the table only."""
    drawn = draw([row(n, 10.0) for n in range(MAX_ROWS + 7)])
    assert drawn is not None
    assert (MAX_ROWS, 7) == (len(drawn.bars), drawn.left_out)


def test_without_a_measurement_there_is_no_plot() -> None:
    """A time of 0 does not break the logarithmic scale."""
    assert draw([]) is None
    assert draw([row(1, 0.0, parts={})]) is None
    assert draw([row(1, 0.0)]) is not None


def test_a_time_is_written_with_its_interval() -> None:
    """A part that was not measured is a dash."""
    assert "2 µs (1.9 µs to 2.1 µs)" == write_time(row(1, 1.0).parts["handwritten"])
    assert "–" == write_time(None)
