"""The cost of validation for people: one screen at a terminal, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from harness.reporting.cost import Cost, CostRow, CostSum, Interval, PartCost, duration
from harness.reporting.text import count, visible

WORST = 8
"""Kinds and operations of each list on the one screen."""
MANY = 40
"""Those of each list of the tables."""
_HEAD = ("objects", "number", "handwritten", "rules", "conversion", "all", "rules/handwritten", "added", "allocations")
_ROW = "{:<15} {:>6} {:>12} {:>9} {:>11} {:>9}   {:<19} {:>6} {:>12}"
_WORST = "  {:<62} {:>9} {:>9} {:>9} {:>10}"
_WIDTH = 62


def cost_screen(cost: Cost) -> list[Text]:
    """Tell what validation costs on one screen: the answer, medians, the kinds that cost most, how it was measured."""
    rows = [Text(visible(cost.answer), style="bold"), Text()]
    if cost.sums:
        rows += [Text(_ROW.format(*_HEAD), style="dim"), *(Text(_ROW.format(*_cells(one))) for one in cost.sums)]
    for title, some in _lists(cost, WORST):
        head = _WORST.format(title, "handwr.", "rules", "convert", "ratio")[2:]
        rows += [Text(), Text(head, style="dim")]
        rows += [Text(_WORST.format(_cut(row), *_times(row))) for row in some]
    return [*rows, Text(), *(Text(line, style="dim") for line in cost_method(cost))]


def cost_tables(cost: Cost) -> Iterator[tuple[Sequence[str], list[tuple[str, ...]]]]:
    """Yield the same as tables with longer lists: a heading, and rows of as many cells."""
    if cost.sums:
        yield _HEAD, [_cells(one) for one in cost.sums]
    for title, some in _lists(cost, MANY):
        yield (title, "handwritten", "rules", "conversion", "ratio"), [(_label(row), *_times(row)) for row in some]


def _lists(cost: Cost, most: int) -> list[tuple[str, list[CostRow]]]:
    """Return the rows of valid objects that cost most, in time and against the handwritten side."""
    ruled = [row for row in cost.rows if row.valid and "declarative" in row.parts]
    grown: dict[tuple[str, ...], CostRow] = {}
    for row in ruled:  # sizes come in order: the largest of each stays
        grown[row.subject, row.name, row.operation] = row
    orders: tuple[tuple[str, Callable[[CostRow], float]], ...] = (
        ("most time added, by rules and conversion", lambda row: row.added),
        ("most against the handwritten side", lambda row: row.ratio.median if row.ratio else 0.0),
    )
    return [(title, sorted(grown.values(), key=key, reverse=True)[:most]) for title, key in orders if grown]


def _cells(one: CostSum) -> tuple[str, ...]:
    share = f"{one.share.median:.0%}" if one.share else "–"
    return (
        f"{'valid' if one.valid else 'invalid'} {one.size}", f"{one.count:,}",
        *(_time(one.parts.get(name)) for name in ("handwritten", "declarative", "convert", "both")),
        _ratio(one.ratio), share, _allocations(one),
    )  # fmt: skip


def _allocations(one: CostSum) -> str:
    known = [one.parts[name].objects for name in ("declarative", "convert") if name in one.parts]
    return " + ".join(f"{objects:,}" for objects in known if objects is not None) or "–"


def _times(row: CostRow) -> tuple[str, ...]:
    ratio = f"{row.ratio.median:.2f}" if row.ratio else "–"
    return (*(_time(row.parts.get(name)) for name in ("handwritten", "declarative", "convert")), ratio)


def _time(part: PartCost | None) -> str:
    return duration(part.nanoseconds.median) if part else "–"


def _ratio(ratio: Interval | None) -> str:
    return f"{ratio.median:.2f} ({ratio.low:.2f}–{ratio.high:.2f})" if ratio else "–"


def _label(row: CostRow) -> str:
    return visible(f"{row.name} {row.operation}, {row.length:,} bytes")


def _cut(row: CostRow) -> str:
    label = _label(row)
    return label if len(label) <= _WIDTH else label[: _WIDTH - 1] + "…"


def cost_method(cost: Cost) -> list[str]:
    """Say how the cost was measured, and what to doubt."""
    kinds = len({(row.subject, row.name, row.operation) for row in cost.rows})
    clock = "processor time of one thread" if cost.clock == "cpu" else "time that passed"
    lines = [
        f"measured: {count(len(cost.rows), 'object')} of {count(kinds, 'kind and operation', 'kinds and operations')}, "
        f"each part up to {cost.rounds * cost.passes} times for {duration(cost.sample)} or more, {clock}; "
        f"intervals: order statistics, {cost.confidence:.0%}",
        "all: everything a server does between preparing and storing; added: the part of it that is not handwritten; "
        "allocations: of rules + conversion",
    ]
    if cost.unmeasured:
        some = "; ".join(visible(f"{one.name} {one.operation}: {one.reason}") for one in cost.unmeasured[:3])
        more = f"; and {len(cost.unmeasured) - 3} more" if len(cost.unmeasured) > 3 else ""
        lines.append(f"not measured: {some}{more}")
    if max(cost.busy) > 0.7 * cost.cores:
        busy = " and ".join(f"{one:.1f}" for one in cost.busy)
        lines.append(
            f"the machine was busy ({busy} processes wanted {count(cost.cores, 'core')}): measure again on a quiet one"
        )
    return lines
