"""Writes exceptions for findings of a report: one for a finding, or one with named rules for a group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from harness.diagnostics import Position, UsageError
from harness.errormatch.exceptionentry import (
    BOTH,
    PLACE,
    SCOPE,
    SEVERITIES,
    ExceptionSpec,
    GroupRule,
    identity,
    rule_of,
    worst,
)
from harness.reporting.document import Report, ReportedFinding
from harness.reporting.grouping import Group
from harness.reporting.text import visible

NOWHERE = Position("")


@dataclass(frozen=True, slots=True)
class Words:
    """What people say of a new entry."""

    reason: str
    owner: str
    until: date
    link: str = ""


def suite_of(finding: ReportedFinding, report: Report) -> str:
    """Name the subject of a finding without the settings of the gates: a part of a run has them behind its name."""
    part = next((part for part in report.parts if part.subject == finding.subject), None)
    if part is not None and part.reach.kind == "kubernetes":
        return "kubernetes"
    return finding.subject


def entry_of(finding: ReportedFinding, report: Report, words: Words) -> ExceptionSpec:
    """Write the exception for one finding: every kind of value is named."""
    suite, scope = suite_of(finding, report), {key: str(getattr(finding, key)) for key in SCOPE}
    return _entry(suite, scope, str(finding.severity), (), words)


def group_entry(found: Group, report: Report, words: Words) -> ExceptionSpec:
    """Write the exception for a group: of every type, cause and side that it has. Raises: UsageError."""
    first, rules = found.first, rules_of(found)
    scope = {name: BOTH.join(sorted({str(getattr(one, name)) for one in found.findings})) for name in PLACE.values()}
    return _entry(suite_of(first, report), scope, worst(tuple(r.severity for r in rules)), rules, words)


def rules_of(found: Group) -> tuple[GroupRule, ...]:
    """Return the rules of a group, each with the worst severity it has. Raises: UsageError."""
    if not all(one.owner and one.side for one in found.findings):
        raise UsageError(
            f"group {found.id} has no type, so its findings are named one by one\n"
            f"  fix: harness exceptions add {' '.join(f.fingerprint for f in found.findings[:3])} ..."
        )
    rules = []
    for finding in found.findings:
        rule = rule_of(finding)
        if rule is None:
            raise UsageError(
                f"finding {finding.fingerprint} does not fit into a line: {visible(finding.path)[:80]}\n"
                f"  fix: harness exceptions add {finding.fingerprint}"
            )
        rules.append(rule)
    return merged(rules)


def merged(rules: Iterable[GroupRule]) -> tuple[GroupRule, ...]:
    """Keep of rules that differ in nothing but their severity the one that tolerates the worst."""
    found: dict[tuple[str, ...], GroupRule] = {}
    for rule in rules:
        key = (rule.member, rule.type, rule.origin, rule.mismatch)
        found[key] = min(found.get(key, rule), rule, key=lambda one: SEVERITIES.index(one.severity))
    return tuple(sorted(found.values()))


def _entry(
    suite: str, scope: dict[str, str], severity: str, rules: tuple[GroupRule, ...], words: Words
) -> ExceptionSpec:  # fmt: skip
    return ExceptionSpec(
        identity(suite, scope, severity, bool(rules)), suite, scope, severity, rules, words.reason, words.owner,
        words.until, words.link, NOWHERE,
    )  # fmt: skip
