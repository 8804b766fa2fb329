"""Rule coverage in words, for a terminal and for the head of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.reporting.coverage import EARLY, Coverage, RatchetEntry, RuleEntry, UncoveredEntry
from harness.reporting.document import Report
from harness.reporting.text import count, visible


def rule_rows(report: Report) -> list[str]:
    """Say how many of the declared rules were seen at work, and what no rule covers."""
    sums, branches = report.coverage, list(_branches(report))
    if sums is None or not sums.declared:
        return branches
    rows = [_fired(sums)]
    if sums.limits:
        rows.append(
            f"limits: {sums.at_limit:,} of {sums.limits:,} accepted at it, {sums.beyond:,} rejected just beyond"
        )
    if report.uncovered:
        errors = sum(one.count for one in report.uncovered)
        places = count(len(report.uncovered), "handwritten check")
        rows.append(f"{places} without a rule ({count(errors, 'error')}): harness rules --report REPORT --uncovered")
    return [*rows, *map(_ratchet, sums.ratchets), *branches]


def _branches(report: Report, most: int = 10) -> Iterator[str]:
    """Say which branches of handwritten validators the search never took."""
    told = report.branches
    if told is None:
        return
    yield f"branches of handwritten validators: {told.total - len(told.missed):,} of {told.total:,} taken"
    for one in told.missed[:most]:
        yield f"  never taken: {visible(one.file)}:{one.line} -> {one.to or 'end of the function'}"
    if len(told.missed) > most:
        yield f"  … {len(told.missed) - most:,} more; the report has them all"


def _ratchet(ratchet: RatchetEntry) -> str:
    name = f"{visible(ratchet.file)}, {count(ratchet.rules, 'rule')}"
    if ratchet.skipped:
        return f"{name}: not compared: {visible(ratchet.skipped)}"
    if ratchet.updated:
        return f"{name}: raised"
    return f"{name}: {len(ratchet.lost)} lost coverage" if ratchet.lost else f"{name}: none lost coverage"


def _fired(sums: Coverage) -> str:
    parts = [f"rules: {sums.fired:,} of {sums.declared:,} fired"]
    if sums.fired:
        parts[0] += f" ({sums.early / sums.declared:.1%} within {EARLY:.0f} s)"
        parts.append(f"{sums.handwritten:,} on the handwritten side as well")
    if sums.asked < sums.declared:
        parts.append(f"{sums.declared - sums.asked:,} belong to kinds that were not asked")
    if sums.cannot:
        parts.append(f"{sums.cannot:,} cannot fire")
    return ", ".join(parts)


def lost_rows(ratchet: RatchetEntry, most: int = 10) -> Iterator[str]:
    """Say which rules lost their cover."""
    if not ratchet.lost:
        return
    yield f"{count(len(ratchet.lost), 'rule')} of {visible(ratchet.file)} lost coverage:"
    for one in ratchet.lost[:most]:
        since = f", as it was since {visible(one.since)}" if one.since else ""
        yield f"  {visible(one.rule)}: no longer {', '.join(one.marks)}{since}"
    if len(ratchet.lost) > most:
        yield f"  … {len(ratchet.lost) - most:,} more; the report has them all"


def describe_rule(rule: RuleEntry | UncoveredEntry) -> str:
    """Name a rule, or an error without one, as the ratchet does."""
    kind = rule.type.removeprefix("FieldValue")
    return f"{rule.name} {rule.path or '(object)'} {kind}" + (f"/{rule.origin}" if rule.origin else "")


def coverage_table(rules: Sequence[RuleEntry | UncoveredEntry]) -> Iterator[str]:
    """Write what was seen of rules, or errors without a rule, by kind."""
    for name, own in groupby(rules, lambda rule: rule.name):
        yield visible(name)
        for rule in own:
            what = describe_rule(rule).removeprefix(f"{name} ")
            yield visible(f"  {what}: {_seen(rule) if isinstance(rule, RuleEntry) else _met(rule)}")
        yield ""


def _seen(rule: RuleEntry) -> str:
    if rule.cannot:
        return f"cannot fire: {rule.cannot}"
    if not rule.asked:
        return "not asked"
    limit = "" if rule.limit is None else f" at {rule.limit}"
    parts = [
        f"declarative {' '.join(rule.declarative)}" if rule.declarative else "never fired",
        f"handwritten {' '.join(rule.handwritten)}" if rule.handwritten else "no handwritten counterpart",
        f"accepted{limit}" if rule.accepted else f"not accepted{limit}",
    ]
    if rule.limit is not None and rule.declarative:
        parts.append("rejected just beyond" if rule.rejected else "not rejected just beyond")
    if rule.unserved:
        parts.append("only on what no server hands to it")
    return ", ".join(parts)


def _met(one: UncoveredEntry) -> str:
    notes = ["marked as covered"] if one.covered else []
    notes += [f"a rule is near, with the origin {one.near}"] if one.near else []
    return f"{count(one.count, 'error')}{''.join(f', {note}' for note in notes)}: {cut(one.message)}"


def cut(text: str, most: int = 160) -> str:
    """Shorten a message."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
