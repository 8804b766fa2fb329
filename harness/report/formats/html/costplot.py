"""Computes the plot of validation cost: per kind and operation, the time of handwritten and of declarative validation.

The result is coordinates and labels, which a template of the page draws. The scale is logarithmic, because the times of
kinds differ by a factor of a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from harness.report.model.cost import Cost, CostRow, Interval, PartCost, duration

MAX_ROWS = 60
"""At most this many rows of the plot; the table next to it has all rows."""
LABEL, RIGHT, WIDTH, ROW, TOP = 410, 90, 1200, 22, 26
"""Width of the labels, of the margin for ratios, and of the plot; height of a row and of the scale. Units: pixels."""


class Mark(NamedTuple):
    """A median and its interval as horizontal coordinates, and as text."""

    x: float
    low: float
    high: float
    words: str


class Bar(NamedTuple):
    """A row of the plot."""

    y: int
    label: str
    handwritten: Mark | None
    declarative: Mark | None
    ratio: str


class Plot(NamedTuple):
    """A plot of `width` by `height`. `left_out` counts the rows beyond `MAX_ROWS`."""

    width: int
    height: int
    bars: list[Bar]
    ticks: list[tuple[float, str]]
    left_out: int


def select_rows(cost: Cost) -> list[CostRow]:
    """Return one row per kind and operation, of a valid object, preferably of typical size; most added time first."""
    found: dict[tuple[str, str, str], CostRow] = {}
    for row in cost.rows:
        key = row.subject, row.name, row.operation
        if row.valid and "declarative" in row.parts and (key not in found or row.size == "typical"):
            found[key] = row
    return sorted(found.values(), key=lambda row: -row.added)


def draw(rows: Sequence[CostRow]) -> Plot | None:
    """Compute the plot of rows; None if they have no times."""
    plotted = rows[:MAX_ROWS]
    times = [
        interval
        for row in plotted
        for name in ("handwritten", "declarative")
        if (interval := _interval(row, name)) is not None
    ]
    if not times:
        return None
    first = math.floor(math.log10(max(1.0, min(time.low for time in times))))
    last = max(first + 1, math.ceil(math.log10(max(time.high for time in times))))
    scale = (WIDTH - LABEL - RIGHT) / (last - first)

    def position(nanoseconds: float) -> float:
        return round(LABEL + scale * (math.log10(max(nanoseconds, 10**first)) - first), 1)

    def mark(row: CostRow, name: str) -> Mark | None:
        time = _interval(row, name)
        if time is None:
            return None
        return Mark(position(time.median), position(time.low), position(time.high), write_time(row.parts[name]))

    bars = [
        Bar(
            TOP + ROW * number + ROW // 2,
            f"{row.name} {row.operation}",
            mark(row, "handwritten"),
            mark(row, "declarative"),
            _ratio(row),
        )
        for number, row in enumerate(plotted)
    ]
    ticks = [(position(10**power), duration(10**power)) for power in range(first, last + 1)]
    return Plot(WIDTH, TOP + ROW * len(plotted) + 4, bars, ticks, len(rows) - len(plotted))


def write_time(part: PartCost | None) -> str:
    """Return a median with its interval: `4.1 µs (4.0 µs to 4.3 µs)`."""
    if part is None:
        return "–"
    time = part.nanoseconds
    return f"{duration(time.median)} ({duration(time.low)} to {duration(time.high)})"


def _interval(row: CostRow, name: str) -> Interval | None:
    return row.parts[name].nanoseconds if name in row.parts else None


def _ratio(row: CostRow) -> str:
    return f"{row.ratio.median:.2f}×" if row.ratio else "–"
