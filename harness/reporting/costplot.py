"""The cost of validation as a plot: for each kind and operation what the handwritten code takes and what the rules do.

Only numbers and names come out; the page draws them. The scale is logarithmic, since kinds differ a thousandfold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from harness.reporting.cost import Cost, CostRow, Interval, PartCost, duration

MOST = 60
"""Rows of the plot; the table beside it has all of them."""
LABEL, RIGHT, WIDTH, ROW, TOP = 410, 90, 1200, 22, 26
"""Units of the drawing: where the scale begins, what stands beside it, the whole, a row, the place of the scale."""


class Mark(NamedTuple):
    """A median and its interval, as places on the scale, and in words."""

    x: float
    low: float
    high: float
    words: str


class Bar(NamedTuple):
    """One row."""

    y: int
    label: str
    handwritten: Mark | None
    declarative: Mark | None
    ratio: str


class Plot(NamedTuple):
    """A drawing of `width` by `height`. `left_out` counts rows beyond `MOST`."""

    width: int
    height: int
    bars: list[Bar]
    ticks: list[tuple[float, str]]
    left_out: int


def table(cost: Cost) -> list[CostRow]:
    """Return one row per kind and operation, of a valid object of typical size, those first to which rules add most."""
    found: dict[tuple[str, str, str], CostRow] = {}
    for row in cost.rows:
        key = row.subject, row.name, row.operation
        if row.valid and "declarative" in row.parts and (key not in found or row.size == "typical"):
            found[key] = row
    return sorted(found.values(), key=lambda row: -row.added)


def plot(rows: Sequence[CostRow]) -> Plot | None:
    """Draw rows; None when there is nothing to draw."""
    told = rows[:MOST]
    times = [
        interval
        for row in told
        for name in ("handwritten", "declarative")
        if (interval := _interval(row, name)) is not None
    ]
    if not times:
        return None
    first = math.floor(math.log10(max(1.0, min(time.low for time in times))))
    last = max(first + 1, math.ceil(math.log10(max(time.high for time in times))))
    scale = (WIDTH - LABEL - RIGHT) / (last - first)

    def place(nanoseconds: float) -> float:
        return round(LABEL + scale * (math.log10(max(nanoseconds, 10**first)) - first), 1)

    def mark(row: CostRow, name: str) -> Mark | None:
        time = _interval(row, name)
        if time is None:
            return None
        return Mark(place(time.median), place(time.low), place(time.high), words(row.parts[name]))

    bars = [
        Bar(
            TOP + ROW * number + ROW // 2,
            f"{row.name} {row.operation}",
            mark(row, "handwritten"),
            mark(row, "declarative"),
            _ratio(row),
        )
        for number, row in enumerate(told)
    ]
    ticks = [(place(10**power), duration(10**power)) for power in range(first, last + 1)]
    return Plot(WIDTH, TOP + ROW * len(told) + 4, bars, ticks, len(rows) - len(told))


def words(part: PartCost | None) -> str:
    """Write a median with its interval: `4.1 µs (4.0 µs to 4.3 µs)`."""
    if part is None:
        return "–"
    time = part.nanoseconds
    return f"{duration(time.median)} ({duration(time.low)} to {duration(time.high)})"


def _interval(row: CostRow, name: str) -> Interval | None:
    return row.parts[name].nanoseconds if name in row.parts else None


def _ratio(row: CostRow) -> str:
    return f"{row.ratio.median:.2f}×" if row.ratio else "–"
