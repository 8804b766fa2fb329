"""Prints the results of mutation testing: a table by operator, then the surviving mutants with cases to kill them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.power.document import Document, Part, Row
from harness.power.mutant import Record
from harness.report.escaping import count, visible

MAX_LISTED = 40
"""At most so many rules with surviving mutants are listed; the document has them all."""
MAX_LEFT_OUT = 5
"""At most so many mutants that do not compile are listed."""
_COLUMNS = ("made", "killed", "equivalent", "tolerated", "survived")
_CODE_COLUMNS = ("unreached", "no rule")
"""The columns of mutants of Go code: what no case runs, and what of the surviving ones no rule reports."""


def lines_of(document: Document, limit: int = MAX_LISTED) -> Iterator[str]:
    """Yield the lines of the screen."""
    for part in document.parts:
        yield from map(visible, _part(part, limit))


def _part(part: Part, limit: int) -> Iterator[str]:
    states = Counter(record.state for record in part.mutants)
    judged = len(part.mutants) - states["unjudged"]
    killed = f"{states['killed']:,} of {count(judged, 'mutant')} killed"
    listed = f"{states['equivalent']:,} equivalent, {states['tolerated']:,} tolerated"
    unreached = f", {states['unreached']:,} not reached" if states["unreached"] else ""
    yield f"{part.subject}: {killed}, {listed}, {states['survived']:,} survived{unreached}"
    yield f"  seed {part.seed}, {_budget(part)}{_sample(part)}; {count(part.cases, 'case')} in {part.seconds:.0f} s"
    if states["unjudged"]:
        yield f"  {count(states['unjudged'], 'mutant')} not judged: time ran out"
    for one in part.left_out[:MAX_LEFT_OUT]:
        yield f"  left out, does not compile: {one.mutant}: {one.reason}"
    if len(part.left_out) > MAX_LEFT_OUT:
        yield f"  and {len(part.left_out) - MAX_LEFT_OUT:,} more that do not compile"
    yield ""
    yield from _table(part.operators)
    yield from _surviving(part.surviving, limit)
    for entry in part.stale:
        yield f"  stale: {entry.mutant}: no such mutant survives any more; remove the entry"
    if part.stale:
        yield ""


def _budget(part: Part) -> str:
    return count(part.max_cases, "case") if part.max_cases is not None else f"{part.max_time or 0:.0f} s"


def _sample(part: Part) -> str:
    return f", every {part.every}th mutant" if part.every > 1 else ""


def _table(rows: Sequence[Row]) -> Iterator[str]:
    names = [f"{row.side} {row.operator}" for row in rows]
    width = max(map(len, names), default=0)
    of_code = any(row.unreached or row.uncompared for row in rows)
    yield f"  {'':{width}}  " + "  ".join(f"{name:>10}" for name in _COLUMNS + _CODE_COLUMNS * of_code)
    for name, row in zip(names, rows, strict=True):
        own = (row.unreached, row.uncompared) * of_code
        cells = (row.made - row.unjudged, row.killed, row.equivalent, row.tolerated, row.survived, *own)
        yield f"  {name:{width}}  " + "  ".join(f"{cell or '-':>10}" for cell in cells)
    yield ""


def _surviving(mutants: Sequence[Record], limit: int) -> Iterator[str]:
    """List surviving mutants by location and rule: one that was never seen to fire survives in many ways."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for one in mutants:
        groups.setdefault((one.side, f"{one.location}: {one.rule}", one.reason), []).append(one)
    for (side, where, reason), members in list(groups.items())[:limit]:
        yield f"  survived: {side} {where}: {', '.join(one.operator for one in members)}"
        if reason:
            yield f"    why: {reason}"
        yield f"    would kill it: {'; '.join(dict.fromkeys(one.shown_by for one in members))}"
    if len(groups) > limit:
        yield f"  and {count(len(groups) - limit, 'rule')} more with surviving mutants; --json FILE lists them all"
    if groups:
        yield ""
