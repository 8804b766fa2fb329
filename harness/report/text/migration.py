"""Renders how much of each kind is migrated, by category of error: how many handwritten checks met have a rule.

A check is a type of error at a field, as in rule coverage; its category is its type. Rules without a handwritten
counterpart are left out: nothing was migrated to them. Checks that no object of the run failed are not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from harness.report.escaping import visible
from harness.report.model.coverage import RuleEntry, UncoveredEntry

Check = tuple[str, str, str, str]
"""Name of a kind, path, type and origin."""


def migrated_table(rules: Iterable[RuleEntry], uncovered: Iterable[UncoveredEntry]) -> Iterator[str]:
    """Yield a row for each category, then for each kind: migrated checks, all checks, their share."""
    migrated = {_check(rule) for rule in rules if rule.handwritten}
    checks = migrated | {_check(one) for one in uncovered}
    for title, position in (("CATEGORY", 2), ("KIND", 0)):
        done, every = (Counter(_name(one, position) for one in some) for some in (migrated, checks))
        counts = [(name, done[name], every[name]) for name in sorted(every)]
        counts.append(("all", len(migrated), len(checks)))
        rows = [(name, f"{part:,}", f"{whole:,}", _share(part, whole)) for name, part, whole in counts]
        yield from _columns([(title, "MIGRATED", "CHECKS", "SHARE"), *rows])
        yield ""


def _check(one: RuleEntry | UncoveredEntry) -> Check:
    return one.name, one.path, one.type, one.origin


def _name(check: Check, position: int) -> str:
    return check[position].removeprefix("FieldValue") if position else check[position]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        cells = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        yield visible(f"{name.ljust(widths[0])}  {'  '.join(cells)}")
