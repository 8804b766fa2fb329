"""From samples to rows, from rows to sums, from sums to a sentence.

Medians have intervals of order statistics: nothing is assumed about how samples are distributed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import comb
from statistics import median

from harness.case import KindInfo
from harness.cost.measuring import Measured
from harness.report.model.cost import PARTS, SIZES, CostRow, CostSum, Interval, PartCost, duration

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


def row_of(one: Measured, info: KindInfo, subject: str) -> CostRow:
    """Return what one measured object says."""
    chosen, samples = one.chosen, one.samples
    parts: dict[str, PartCost] = {}
    for name in PARTS:
        spent, times = one.last.get(name), interval(samples.get(name, ()))
        if spent is not None and times is not None:
            parts[name] = PartCost(times, spent.objects, spent.bytes)
    handwritten, declarative = samples.get("handwritten", []), samples.get("declarative", [])
    added = [a + b for a, b in zip(declarative, samples.get("convert", []), strict=False)]
    return CostRow(
        subject=subject, group=info.group, version=info.version, kind=info.kind, resource=info.resource,
        subresource=info.subresource, operation=str(chosen.case.operation), valid=chosen.valid, size=chosen.size,
        length=chosen.length, errors=chosen.errors, samples=len(handwritten or declarative), parts=parts,
        ratio=interval(ratios(declarative, handwritten), 3), total=interval(ratios(added, handwritten), 3),
    )  # fmt: skip


def sums_of(rows: Sequence[CostRow]) -> tuple[CostSum, ...]:
    """Return medians over kinds and operations, for each sort of object. Rows without rules say nothing."""
    sums = []
    for valid in (True, False):
        for size in SIZES:
            some = [row for row in rows if row.valid == valid and row.size == size and "declarative" in row.parts]
            if some:
                sums.append(_sum(some))
    return tuple(sums)


def _sum(rows: Sequence[CostRow]) -> CostSum:
    parts: dict[str, PartCost] = {}
    for name in PARTS:
        some = [row.parts[name] for row in rows if name in row.parts]
        times = interval(part.nanoseconds.median for part in some)
        if times is not None:
            parts[name] = PartCost(times, _middle(p.objects for p in some), _middle(p.bytes for p in some))
    return CostSum(
        valid=rows[0].valid,
        size=rows[0].size,
        count=len(rows),
        parts=parts,
        ratio=interval((row.ratio.median for row in rows if row.ratio), 3),
        total=interval((row.total.median for row in rows if row.total), 3),
        share=interval((share for row in rows if (share := share_of(row)) is not None), 3),
    )


def share_of(row: CostRow) -> float | None:
    """Return the part of validating that is not handwritten: rules, conversion, composing; None if it is unknown."""
    both, handwritten = row.parts.get("both"), row.parts.get("handwritten")
    if both is None or handwritten is None or both.nanoseconds.median <= 0:
        return None
    return max(0.0, 1 - handwritten.nanoseconds.median / both.nanoseconds.median)


def _middle(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return round(median(known)) if known else None


def answer_of(sums: Sequence[CostSum]) -> str:
    """Say in a sentence or two what declarative validation costs."""
    by_sort = {(one.valid, one.size): one for one in sums}
    main = by_sort.get((True, "typical"))
    if main is None:
        return "no valid object of a kind with rules was measured"
    text = f"declarative validation costs {_part(main, 'declarative')}{_times(main.ratio)}"
    if "convert" in main.parts and main.parts["convert"].nanoseconds.median:
        text += f"; conversion for it adds {_part(main, 'convert')}, which makes{_times(main.total, ' ')} in all"
    ends = "95 % intervals" if main.count >= FEWEST else "smallest to largest"
    text += f" (valid objects of typical size, medians over {main.count} kinds and operations, {ends})"
    wrong = by_sort.get((False, "typical"))
    if wrong is not None and "declarative" in wrong.parts:
        text += f". Of invalid objects: {_part(wrong, 'declarative')}{_times(wrong.ratio)}"
    return text


def _part(one: CostSum, name: str) -> str:
    part = one.parts[name]
    text = duration(part.nanoseconds.median)
    return text if part.objects is None else f"{text} and {part.objects} allocations ({part.bytes:,} bytes)"


def _times(ratio: Interval | None, before: str = ", ") -> str:
    if ratio is None:
        return ""
    return f"{before}{ratio.median:.2f} times handwritten ({ratio.low:.2f} to {ratio.high:.2f})"
