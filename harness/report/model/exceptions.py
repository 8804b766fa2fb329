"""Creates entries of the exceptions file, and their witnesses, from the findings of a report.

An entry tolerates one finding, or a group with a list of its rules. Its witness is the smallest case of each rule;
later runs replay it to check that the entry is still needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypeAlias

import msgspec

from harness.case import Operation
from harness.diagnostics import Position, UsageError
from harness.errormatch.exceptionentry import (
    BOTH,
    PLACE,
    SCOPE,
    SEVERITIES,
    UNEXPLAINED,
    ExceptionSpec,
    GroupRule,
    identity,
    rule_of,
    worst,
)
from harness.errormatch.witness import Shown, Witness, WitnessCase
from harness.report.escaping import visible
from harness.report.model.document import Part, Report, ReportedFinding
from harness.report.model.grouping import Group

NOWHERE = Position("")


@dataclass(frozen=True, slots=True)
class AuthorFields:
    """The fields of a new exception that its author provides."""

    reason: str
    owner: str
    until: date
    link: str = ""


def suite_of(finding: ReportedFinding, report: Report) -> str:
    """Return the subject of a finding without the gate settings that the name of a part ends in."""
    part = next((part for part in report.parts if part.subject == finding.subject), None)
    if part is not None and part.reach.kind == "kubernetes":
        return "kubernetes"
    return finding.subject


def create_exception(finding: ReportedFinding, report: Report, fields: AuthorFields) -> ExceptionSpec:
    """Create the entry for one finding, with a value for every key of the scope."""
    suite, scope = suite_of(finding, report), {key: str(getattr(finding, key)) for key in SCOPE}
    return _entry(suite, scope, str(finding.severity), (), fields)


def create_group_exception(found: Group, report: Report, fields: AuthorFields) -> ExceptionSpec:
    """Create the entry for a group, with all its types, causes and sides.

    Raises: UsageError when a finding of the group cannot be part of a group entry.
    """
    first, rules = found.first, rules_of(found)
    scope = {name: BOTH.join(sorted({str(getattr(one, name)) for one in found.findings})) for name in PLACE.values()}
    return _entry(suite_of(first, report), scope, worst(tuple(r.severity for r in rules)), rules, fields)


def rules_of(found: Group) -> tuple[GroupRule, ...]:
    """Return the rules of a group, each with its worst severity.

    Raises: UsageError when a finding has no type, or its path cannot be written in a rule.
    """
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
    return merge_rules(rules)


def merge_rules(rules: Iterable[GroupRule]) -> tuple[GroupRule, ...]:
    """Merge rules that differ only in severity: the worst one is kept."""
    found: dict[tuple[str, ...], GroupRule] = {}
    for rule in rules:
        key = (rule.member, rule.type, rule.origin, rule.mismatch)
        found[key] = min(found.get(key, rule), rule, key=lambda one: SEVERITIES.index(one.severity))
    return tuple(sorted(found.values()))


def _entry(
    suite: str, scope: dict[str, str], severity: str, rules: tuple[GroupRule, ...], fields: AuthorFields
) -> ExceptionSpec:  # fmt: skip
    return ExceptionSpec(
        identity(suite, scope, severity, bool(rules)), suite, scope, severity, rules, fields.reason, fields.owner,
        fields.until, fields.link, NOWHERE,
    )  # fmt: skip


ReleaseCase: TypeAlias = tuple[str, WitnessCase]
"""The release of the target, and a case that shows one difference."""


def find_witness_cases(report: Report, entry: ExceptionSpec) -> list[ReleaseCase]:
    """Return the cases of a report that show a tolerated difference, under the gates of the part that found them.

    An unexplained finding may have another cause, so it is tolerated but never a witness.
    """
    parts = {part.subject: part for part in report.parts}
    return [
        (parts[finding.subject].target.release, _case(finding, parts[finding.subject]))
        for finding in report.findings
        if finding.cause != UNEXPLAINED and finding.subject in parts and entry.tolerates(finding, finding.subject)
    ]


def _case(finding: ReportedFinding, part: Part) -> WitnessCase:
    shown = Shown(
        finding.kind, finding.path, finding.mismatch, finding.type, finding.origin, finding.side, finding.owner,
        finding.member, finding.cause, finding.severity,
    )  # fmt: skip
    case = finding.case
    return WitnessCase(
        (shown,), case.group, case.version, case.kind, case.resource, Operation(case.operation), case.subresource,
        dict(part.reach.gates), case.mode, case.options, case.object, case.old,
    )  # fmt: skip


def split_witness(witness: Witness | None) -> list[ReleaseCase]:
    """Return the cases of a witness, split so that each shows a single difference."""
    if witness is None:
        return []
    return [
        (witness.release, msgspec.structs.replace(case, shows=(shown,)))
        for case in witness.cases
        for shown in case.shows
    ]


def create_witness(entry: ExceptionSpec, suite: str, cases: Iterable[ReleaseCase]) -> Witness | None:
    """Create the witness of an entry: the smallest case for each rule; None if no case shows any.

    Only cases of the newest release are kept, because a witness is replayed on one release.
    """
    matching = [(release, case) for release, case in cases if entry.matches_finding(case.shows[0])]
    if not matching:
        return None
    newest = max((release for release, _ in matching), key=_as_release)
    ordered = sorted((case for release, case in matching if release == newest), key=_size_order)
    found: dict[bytes, WitnessCase] = {}
    for matches in [rule.matches_finding for rule in entry.rules] or [entry.matches_finding]:
        first = next((case for case in ordered if matches(case.shows[0])), None)
        if first is not None:
            name = msgspec.json.encode(msgspec.structs.replace(first, shows=()), order="deterministic")
            before = found.get(name)
            shows = (*before.shows, *first.shows) if before is not None else first.shows
            found[name] = msgspec.structs.replace(first, shows=tuple(dict.fromkeys(shows)))
    return Witness(entry.id, suite, newest, tuple(sorted(found.values(), key=_stable_order)))


def rules_without_case(entry: ExceptionSpec, witness: Witness | None) -> Sequence[str]:
    """Return the rules of an entry that no case of its witness shows."""
    shown = [one for case in witness.cases for one in case.shows] if witness is not None else []
    return [str(rule) for rule in entry.rules if not any(map(rule.matches_finding, shown))]


def _as_release(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in text.split("."))


def _size_order(case: WitnessCase) -> tuple[object, ...]:
    """Return the key that sorts cases: default gates first, then by size; the rest makes the order deterministic."""
    return bool(case.gates), case.size, _stable_order(case)


def _stable_order(case: WitnessCase) -> tuple[object, ...]:
    return (
        case.group, case.resource, case.version, case.subresource, case.operation, sorted(case.gates.items()),
        msgspec.json.encode(case, order="deterministic"),
    )  # fmt: skip
