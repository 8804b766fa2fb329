"""Computes the charts of a history: lines over campaigns, as coordinates which a template draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.campaign.site.history import ReachedCount, SiteCounts
from harness.compare.finding import SEVERITIES

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 220, 60, 130, 14, 26
"""The size of a chart, and its margins. Units: pixels."""
_LABEL = 15
"""How far names of lines are apart, so that they do not overlap. Units: pixels."""


class ChartLine(NamedTuple):
    """A line: its name and tone, its points from left to right, and where its name stands."""

    name: str
    tone: str
    points: tuple[tuple[float, float], ...]
    label: float


class HistoryChart(NamedTuple):
    """A chart: its lines, and the heights and words of its scale."""

    title: str
    lines: tuple[ChartLine, ...]
    ticks: tuple[tuple[float, str], ...]


def draw_charts(history: Sequence[SiteCounts]) -> list[HistoryChart]:
    """Compute the charts of counts, oldest first. What no campaign counted has none."""
    shares = [
        ("rules", "graduation", [_percent(one.rules) for one in history]),
        ("blocks", "shadow", [_percent(one.blocks) for one in history]),
        ("mutants killed", "visible", [_percent(one.mutants) for one in history]),
    ]
    numbers = [
        (name, name, [float(one.severities.get(name, 0)) for one in history])
        for name in SEVERITIES
        if any(name in one.severities for one in history)
    ]
    known = [one for one in shares if any(value is not None for value in one[2])]
    charts = [_draw("Coverage in percent", known, 100.0)] if known else []
    if numbers:
        charts.append(_draw("Open findings", numbers, max(max(values) for _, _, values in numbers)))
    speeds = [one.speed for one in history]
    if fastest := max((one for one in speeds if one is not None), default=0.0):
        charts.append(_draw("Cases a second of a worker", [("cases", "shadow", speeds)], fastest))
    return charts


def _draw(title: str, rows: Sequence[tuple[str, str, Sequence[float | None]]], most: float) -> HistoryChart:
    top = max(most, 1.0)
    lines = []
    for name, tone, values in rows:
        points = tuple((_x(n, len(values)), _y(value / top)) for n, value in enumerate(values) if value is not None)
        lines.append(ChartLine(name, tone, points, points[-1][1]))
    ticks = tuple((_y(share), f"{top * share:,.0f}") for share in ((0.0, 0.5, 1.0) if top > 1 else (0.0, 1.0)))
    return HistoryChart(title, tuple(_spread(lines)), ticks)


def _spread(lines: Sequence[ChartLine]) -> list[ChartLine]:
    """Move the names of lines down until none stands on another; if that leads below the chart, all move up."""
    placed: list[ChartLine] = []
    for line in sorted(lines, key=lambda one: one.label):
        lowest = placed[-1].label + _LABEL if placed else line.label
        placed.append(line._replace(label=max(line.label, lowest)))
    over = max(0.0, placed[-1].label - (HEIGHT - BOTTOM)) if placed else 0.0
    return [line._replace(label=round(line.label - over, 1)) for line in placed]


def _percent(count: ReachedCount) -> float | None:
    return 100.0 * count.reached / count.total if count.total else None


def _x(number: int, of: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * (number / (of - 1) if of > 1 else 0.5), 1)


def _y(share: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share), 1)
