"""Rule coverage in words, for a terminal and for the head of a page."""

from __future__ import annotations

from collections.abc import Iterator

from harness.reporting.coverage import EARLY, Coverage, RatchetEntry, RuleEntry, UncoveredEntry
from harness.reporting.document import Report
from harness.reporting.text import count, visible


def rule_rows(report: Report) -> list[str]:
    """Say how many of the declared rules were seen at work, and what no rule covers."""
    sums = report.coverage
    if sums is None or not sums.declared:
        return []
    rows = [_fired(sums)]
    if sums.limits:
        rows.append(
            f"limits: {sums.at_limit:,} of {sums.limits:,} accepted at it, {sums.beyond:,} rejected just beyond"
        )
    if report.uncovered:
        errors = sum(one.count for one in report.uncovered)
        places = count(len(report.uncovered), "handwritten check")
        rows.append(f"{places} without a rule ({count(errors, 'error')}): harness rules --report REPORT --uncovered")
    rows += [
        f"rules of {visible(one.file)}: not compared: {visible(one.skipped)}" for one in sums.ratchets if one.skipped
    ]
    return rows


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
    yield f"{count(len(ratchet.lost), 'rule')} of {visible(ratchet.file)} lost cover:"
    for one in ratchet.lost[:most]:
        yield f"  {visible(one.rule)}: no longer {', '.join(one.marks)}"
    if len(ratchet.lost) > most:
        yield f"  … {len(ratchet.lost) - most:,} more; the report has them all"


def describe_rule(rule: RuleEntry | UncoveredEntry) -> str:
    """Name a rule, or an error without one, as the ratchet does."""
    kind = rule.type.removeprefix("FieldValue")
    return f"{rule.name} {rule.path or '(object)'} {kind}" + (f"/{rule.origin}" if rule.origin else "")
