"""Renders the cost of validation as tables, and describes how it was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from harness.report.escaping import count, visible
from harness.report.model.cost import Cost, CostRow, CostSum, Interval, PartCost, duration

MAX_TABLE_ROWS = 40
"""At most this many rows of each table of the most expensive objects."""
_HEAD = ("objects", "number", "handwritten", "rules", "conversion", "all", "rules/handwritten", "added", "allocations")


CostTable: TypeAlias = tuple[Sequence[str], list[tuple[str, ...]]]
"""The cells of the heading, and the rows with one cell per column."""


def cost_tables(cost: Cost) -> Iterator[CostTable]:
    """Yield all tables: the medians, and the most expensive objects."""
    yield from sum_tables(cost)
    yield from worst_tables(cost, MAX_TABLE_ROWS)


def sum_tables(cost: Cost) -> Iterator[CostTable]:
    """Yield the table of medians, if something was measured."""
    if cost.sums:
        yield _HEAD, [_cells(one) for one in cost.sums]


def worst_tables(cost: Cost, most: int) -> Iterator[CostTable]:
    """Yield tables of at most `most` valid objects: those with the most time added, and those with the highest ratio.

    The ratio is that of the declarative to the handwritten validators.
    """
    measured = [row for row in cost.rows if row.valid and "declarative" in row.parts]
    largest: dict[tuple[str, ...], CostRow] = {}
    for row in measured:  # rows are ordered by size, so the largest object of each kind and operation is kept
        largest[row.subject, row.name, row.operation] = row
    orders: tuple[tuple[str, Callable[[CostRow], float]], ...] = (
        ("most time added, by rules and conversion", lambda row: row.added),
        ("most against the handwritten side", lambda row: row.ratio.median if row.ratio else 0.0),
    )
    for title, key in orders if largest else ():
        rows = sorted(largest.values(), key=key, reverse=True)[:most]
        yield (title, "handwritten", "rules", "conversion", "ratio"), [(_label(row), *_times(row)) for row in rows]


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


def cost_method(cost: Cost) -> list[str]:
    """Return sentences on how the cost was measured, what was not measured, and what makes the numbers uncertain."""
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
