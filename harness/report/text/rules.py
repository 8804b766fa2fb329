"""Describes rule coverage for readers: the sums of a run, the rules that lost coverage, and each rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from harness.field.unaccepted import Reason, Unaccepted
from harness.report.escaping import count, cut, visible
from harness.report.model.coverage import EARLY_SECONDS, Coverage, RatchetEntry, RuleEntry, UncoveredEntry
from harness.report.model.document import Report
from harness.report.text.code import code_rows

_REASONS: Mapping[Reason, str] = {
    "rejected": "rejected for other errors", "failed": "failed to be validated", "untried": "not tried",
}  # fmt: skip


def rule_rows(report: Report) -> list[str]:
    """Return sentences on the declared rules that fired, limits, handwritten checks without a rule, and ratchets."""
    sums, branches = report.coverage, [*_branches(report), *code_rows(report)]
    if sums is None or not sums.declared:
        return [*map(_ratchet, sums.ratchets if sums is not None else ()), *branches]
    rows = [_fired_rules(sums)]
    if sums.limits:
        rows.append(
            f"limits: {sums.at_limit:,} of {sums.limits:,} accepted at it, {sums.beyond:,} rejected just beyond"
        )
        if sums.unaccepted:
            parts = [f"{number:,} {_REASONS[reason]}" for reason, number in sums.unaccepted.items()]
            rows.append(f"limits not accepted: {', '.join(parts)}: harness rules --report REPORT --unseen")
    if report.uncovered:
        errors = sum(one.count for one in report.uncovered)
        checks = count(len(report.uncovered), "handwritten check")
        rows.append(f"{checks} without a rule ({count(errors, 'error')}): harness rules --report REPORT --uncovered")
    return [*rows, *map(_ratchet, sums.ratchets), *branches]


def _branches(report: Report, most: int = 10) -> Iterator[str]:
    """Yield how many branches of handwritten validators the search took, and at most `most` that it never took."""
    branches = report.branches
    if branches is None:
        return
    yield f"branches of handwritten validators: {branches.total - len(branches.missed):,} of {branches.total:,} taken"
    for one in branches.missed[:most]:
        yield f"  never taken: {visible(one.file)}:{one.line} -> {one.to or 'end of the function'}"
    if len(branches.missed) > most:
        yield f"  … {len(branches.missed) - most:,} more; the report has them all"


def _ratchet(ratchet: RatchetEntry) -> str:
    name = f"{visible(ratchet.file)}, {count(ratchet.rules, ratchet.of)}"
    if ratchet.skipped:
        return f"{name}: not compared: {visible(ratchet.skipped)}"
    if ratchet.updated:
        return f"{name}: raised"
    return f"{name}: {len(ratchet.lost)} lost coverage" if ratchet.lost else f"{name}: none lost coverage"


def _fired_rules(sums: Coverage) -> str:
    parts = [f"rules: {sums.fired:,} of {sums.declared:,} fired"]
    if sums.fired:
        parts[0] += f" ({sums.early / sums.declared:.1%} within {EARLY_SECONDS:.0f} s)"
        parts.append(f"{sums.handwritten:,} on the handwritten side as well")
    if sums.asked < sums.declared:
        parts.append(f"{sums.declared - sums.asked:,} belong to kinds that were not asked")
    if sums.cannot:
        parts.append(f"{sums.cannot:,} cannot fire")
    return ", ".join(parts)


def lost_rows(ratchet: RatchetEntry, most: int = 10) -> Iterator[str]:
    """Yield the rules that lost coverage, at most `most` of them."""
    if not ratchet.lost:
        return
    yield f"{count(len(ratchet.lost), ratchet.of)} of {visible(ratchet.file)} lost coverage:"
    for one in ratchet.lost[:most]:
        since = f", as it was since {visible(one.since)}" if one.since else ""
        yield f"  {visible(one.rule)}: no longer {', '.join(one.marks)}{since}"
    if len(ratchet.lost) > most:
        yield f"  … {len(ratchet.lost) - most:,} more; the report has them all"


def describe_rule(rule: RuleEntry | UncoveredEntry) -> str:
    """Return the name of a rule, or of an error without a rule, as coverage ratchets write it."""
    kind = rule.type.removeprefix("FieldValue")
    return f"{rule.name} {rule.path or '(object)'} {kind}" + (f"/{rule.origin}" if rule.origin else "")


def coverage_table(rules: Sequence[RuleEntry | UncoveredEntry]) -> Iterator[str]:
    """Yield a line for each rule, or for each error without a rule, by kind."""
    for name, own in groupby(rules, lambda rule: rule.name):
        yield visible(name)
        for rule in own:
            label = describe_rule(rule).removeprefix(f"{name} ")
            yield visible(f"  {label}: {_rule_state(rule) if isinstance(rule, RuleEntry) else _error_state(rule)}")
        yield ""


def _rule_state(rule: RuleEntry) -> str:
    limit = "" if rule.limit is None else f" at {rule.limit}"
    if rule.cannot:
        unaccepted = f", not accepted{limit}{_why(rule.unaccepted)}" if rule.unaccepted else ""
        return f"cannot fire: {rule.cannot}{unaccepted}"
    if not rule.asked:
        return "not asked"
    parts = [
        f"declarative {' '.join(rule.declarative)}" if rule.declarative else "never fired",
        f"handwritten {' '.join(rule.handwritten)}" if rule.handwritten else "no handwritten counterpart",
        f"accepted{limit}" if rule.accepted else f"not accepted{limit}{_why(rule.unaccepted)}",
    ]
    if rule.limit is not None and rule.declarative:
        parts.append("rejected just beyond" if rule.rejected else "not rejected just beyond")
    if rule.unserved:
        parts.append("only on what no server hands to it")
    return ", ".join(parts)


def _why(unaccepted: Unaccepted | None) -> str:
    """Return in brackets why no object at the limit was accepted."""
    if unaccepted is None:
        return ""
    details = [f"{one.path or '(object)'} {one.type.removeprefix('FieldValue')}" for one in unaccepted.errors]
    more = unaccepted.count - len(details)
    details += [f"{more} more"] if more else []
    details += [cut(unaccepted.message, 160)] if unaccepted.message else []
    return f" ({_REASONS[unaccepted.reason]}{': ' if details else ''}{', '.join(details)})"


def _error_state(one: UncoveredEntry) -> str:
    notes = ["marked as covered"] if one.covered else []
    notes += [f"a rule is near, with the origin {one.near}"] if one.near else []
    return f"{count(one.count, 'error')}{''.join(f', {note}' for note in notes)}: {cut(one.message, 160)}"
