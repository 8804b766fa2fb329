"""Computes the verdict for each touched field from the findings of the searches. It asks no cases and opens nothing.

A finding belongs to the touched fields whose path is the finding's path or a parent of it. When there are none, it
belongs to those below its path: the error may be reported at the enclosing struct or list. A finding that belongs to no
touched field is listed as `elsewhere`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from harness.compare.finding import Finding
from harness.engine.focus import ObjectKind
from harness.jsonpath import is_within, without_subscripts
from harness.report.model.assembly import compute_sums
from harness.report.model.coverage import RuleEntry
from harness.report.model.document import KindEntry, Report
from harness.report.model.verification import (
    Effort,
    FieldEntry,
    KindPath,
    LintEntry,
    ReasonEntry,
    RevisionEntry,
    StaleEntry,
    UserChange,
    Verification,
)
from harness.report.words import FieldVerdict, Verdict
from harness.verify.change import Change, Event, FieldPath, Reason, Revision, TouchedField, TouchedKind
from harness.verify.focus import EffortKey, total_of
from harness.verify.replaying import is_no_worse

_CLAIMING_EVENTS: frozenset[Event] = frozenset({"level raised", "mark added", "check removed"})
"""Events by which a change claims that the handwritten and the declarative validators agree on a field."""


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """The results of the searches, in addition to the report of the head.

    `known` is the severity at the base of every finding that the base has too, `uncompared` are the fingerprints of
    findings that were not replayed at the base in time, `unsearched` the reasons, as sentences, why something was not
    searched.
    """

    known: Mapping[str, str] = dataclasses.field(default_factory=dict)
    uncompared: Collection[str] = ()
    changes: Sequence[UserChange] = ()
    efforts: Mapping[EffortKey, Effort] = dataclasses.field(default_factory=dict)
    unsearched: Sequence[str] = ()


def add_verdict(report: Report, change: Change, seen: SearchEvidence, verification: Verification) -> Report:
    """Add the verdict to the report of the searches, and list findings that the base has too separately.

    A change that raises a level, marks an error as covered or removes a handwritten check claims that both validators
    agree, so findings of the base count for it too. `verification` is the part that does not depend on the searches.
    """
    known = [
        one
        for one in report.findings
        if is_no_worse(one, seen.known.get(one.fingerprint)) and not claims_agreement(change, one)
    ]
    uncompared = [
        one for one in report.findings if one.fingerprint in seen.uncompared and not claims_agreement(change, one)
    ]
    names = {one.fingerprint for one in (*known, *uncompared)}
    new = tuple(one for one in report.findings if one.fingerprint not in names)
    fields = field_entries(change, report, new, known, seen)
    verification = msgspec.structs.replace(
        verification, fields=fields, changes=tuple(seen.changes), known=tuple(map(_as_plain_finding, known)),
        uncompared=tuple(map(_as_plain_finding, uncompared)),
        unsearched=(*verification.unsearched, *_uncompared_notes(uncompared)),
        elsewhere=findings_without_field(change, new),
    )  # fmt: skip
    # Unused and expired exceptions are reported by a run: they do not depend on the change.
    exceptions = msgspec.structs.replace(report.exceptions, unused=(), expired=())
    sums = compute_sums(report.parts, report.kinds, new, exceptions, report.excluded, report.policy)
    report = msgspec.structs.replace(report, **sums)
    return msgspec.structs.replace(report, verdict=_report_verdict(report, verification), verification=verification)


def claims_agreement(change: Change, finding: Finding) -> bool:
    """Whether a change claims that there is no such finding: it belongs to a field with a claim, and to a raised rule.

    When the change raises no rule of the field, the claim is about all its rules.
    """
    owners = _FieldOwners([one for one in change.fields if _CLAIMING_EVENTS & {why.event for why in one.reasons}])
    if not owners.find(finding):
        return False
    here = (finding.case.group, finding.version, finding.kind)
    raised = [
        rule.after
        for kind in change.kinds
        for rule in kind.rules
        if (kind.name.group, kind.name.version, kind.name.kind) == here
        and (rule.event, rule.path) == ("level raised", finding.path)
        and rule.after is not None
    ]
    return not raised or any(one.type == finding.type and finding.origin in ("", one.origin) for one in raised)


def _report_verdict(report: Report, verification: Verification) -> Verdict:
    if report.verdict == "equivalent" and not verification.is_clean:
        return "different"
    if report.verdict == "equivalent" and not verification.is_complete:
        return "incomplete"
    return report.verdict


def _uncompared_notes(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield a sentence with the number of findings that were not compared, and how to compare them."""
    if findings:
        names = ", ".join(one.fingerprint for one in findings[:3]) + (", ..." if len(findings) > 3 else "")
        yield (
            f"{len(findings)} finding{'s' * (len(findings) != 1)} not compared with the base: budget ({names}); give "
            "the command more time (--max-time), or a budget in cases (--max-cases)"
        )


def _as_plain_finding(finding: Finding) -> Finding:
    return Finding(**{name: getattr(finding, name) for name in Finding.__struct_fields__})


def revision_entry(one: Revision, asked: str) -> RevisionEntry:
    """Make the report's entry of base or head; `asked` is its name on the command line."""
    return RevisionEntry(asked, one.commit, one.subject)


def reason_entry(one: Reason) -> ReasonEntry:
    """Make the report's entry of a reason."""
    return ReasonEntry(one.cause, one.event, one.sentence, resolve_path(one.position), one.in_base, one.certain)


def resolve_path(position: object) -> str:
    """Format a position as `file:line`, empty for none."""
    file, line = getattr(position, "file", ""), getattr(position, "line", 0)
    return f"{file}:{line}" if line else str(file)


def stale_entries(change: Change) -> tuple[StaleEntry, ...]:
    """Make the report's entries of stale generated code."""
    return tuple(
        StaleEntry(
            f"{one.type_name.rpartition('.')[2]}.{one.go_field}".rstrip("."), one.file, one.sentence,
            resolve_path(one.position), one.command, one.edited,
        )
        for one in change.not_regenerated
    )  # fmt: skip


def lint_entries(change: Change) -> tuple[LintEntry, ...]:
    """Make the report's entries of the linter's diagnostics."""
    return tuple(LintEntry(one.code, resolve_path(one.position), one.message, one.fix) for one in change.diagnostics)


def field_entries(
    change: Change, report: Report, new: Sequence[Finding], known: Sequence[Finding], seen: SearchEvidence
) -> tuple[FieldEntry, ...]:
    """Make the entry, with its verdict, of every touched field, and of every kind that is touched as a whole."""
    owners = _owners(change)
    return tuple(_Judge(report, new, known, seen, owners).entry(one) for one in owners.fields)


def findings_without_field(change: Change, findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the fingerprints of the findings that belong to no touched field."""
    owners = _owners(change)
    return tuple(one.fingerprint for one in findings if not owners.find(one))


def field_names(change: Change, finding: Finding) -> tuple[str, ...]:
    """Return the names of the touched fields that a finding belongs to."""
    return tuple(dict.fromkeys(owner.name for owner in _owners(change).find(finding)))


def _owners(change: Change) -> _FieldOwners:
    return _FieldOwners([*change.fields, *(_as_field(kind) for kind in change.kinds if kind.whole)])


def _as_field(kind: TouchedKind) -> TouchedField:
    """Make a field of a whole kind, so that it has a verdict too."""
    return TouchedField(kind.name.kind, "", "", (FieldPath(kind.name, ""),), kind.reasons)


class _FieldOwners:
    """Finds the touched fields that a finding belongs to."""

    def __init__(self, fields: Sequence[TouchedField]) -> None:
        self.fields = fields

    def find(self, finding: Finding) -> list[TouchedField]:
        """Return the fields with the longest path that contains the finding's, else those below the finding's path."""
        named = [one for one in self.fields if self._is_at(one, finding)]
        if named:
            longest = max(_depth(one, finding) for one in named)
            return [one for one in named if _depth(one, finding) == longest]
        return [one for one in self.fields if any(is_within(path, finding.path) for path in _paths(one, finding))]

    def _is_at(self, field: TouchedField, finding: Finding) -> bool:
        return _owns(field, finding) or any(is_within(finding.path, path) for path in _paths(field, finding))


def _owns(field: TouchedField, finding: Finding) -> bool:
    """Whether a finding is attributed to this member of this type, or of the type without its version."""
    package, _, name = field.type_name.rpartition(".")
    return bool(field.json_name) and finding.member == field.json_name and finding.owner in (
        field.type_name, f"{package.rpartition('/')[0]}.{name}"
    )  # fmt: skip


def _paths(field: TouchedField, finding: Finding) -> Iterator[str]:
    """Yield the paths of a field in the kind of a finding."""
    group = finding.case.group if not finding.subresource else None
    for one in field.paths:
        same = (one.kind.version, one.kind.kind) == (finding.version, finding.kind)
        if same and group in (None, one.kind.group):
            yield one.path


def _depth(field: TouchedField, finding: Finding) -> int:
    return max((len(path) for path in _paths(field, finding) if is_within(finding.path, path)), default=0)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Computes verdicts. `new` are findings that only the head has, `known` those that the base has too."""

    report: Report
    new: Sequence[Finding]
    known: Sequence[Finding]
    seen: SearchEvidence
    owners: _FieldOwners

    def entry(self, field: TouchedField) -> FieldEntry:
        """Return the field with its verdict."""
        findings = self._fingerprints(field, self.new)
        opened = self._fingerprints(field, [one for one in self.new if one.exception is None])
        changes = [one for one in self.seen.changes if self._belongs_to(field, one.finding)]
        effort = total_of(self.seen.efforts, [(_kind(path), path.path) for path in field.paths])
        verdict = _verdict(opened, changes, effort)
        uncompared = [
            one
            for one in self.report.findings
            if one.fingerprint in self.seen.uncompared and self._belongs_to(field, one)
        ]
        untried = next(_uncompared_notes(uncompared), "") if verdict == "equivalent" else ""
        verdict = "not-tried" if untried else verdict
        return FieldEntry(
            name=field.name,
            type_name=field.type_name,
            json_name=field.json_name,
            verdict=verdict,
            why=untried
            if untried
            else _why_not_tried(field, self.report.kinds, self.seen)
            if verdict == "not-tried"
            else self._basis(field, opened),
            reasons=tuple(map(reason_entry, field.reasons)),
            paths=tuple(KindPath(*_kind(one), one.path) for one in field.paths),
            tags_before=field.tags_before,
            tags_after=field.tags_after,
            place=resolve_path(field.position or field.position_before),
            effort=effort,
            rules=tuple(_rules(field, self.report.rules)),
            versions=tuple(_versions(field, self.report.kinds)),
            findings=findings,
            known=self._fingerprints(field, self.known),
            changes=tuple(one.fingerprint for one in changes),
        )

    def _basis(self, field: TouchedField, findings: Sequence[str]) -> str:
        """Return the basis of a verdict that the two validators of the head alone do not give; else empty."""
        events = {one.event for one in field.reasons}
        old = sum(name in self.seen.known for name in findings)
        if "check removed" in events and any(not rule.level for rule in field.rules_after):
            return (
                "its handwritten check is gone, so what the head serves was compared with the handwritten answers of "
                "the base (those that are served with DeclarativeValidationBeta=false)"
            )
        if "check removed" in events:
            return (
                "its handwritten check is gone while a gate may turn its rules off: put the check back until they are "
                "standard, or make them standard"
            )
        if old:
            return (
                f"the base has {old} of these too: this change says that both sides agree by now "
                f"({', '.join(sorted(events & _CLAIMING_EVENTS))}), so it answers for them"
            )
        return ""

    def _fingerprints(self, field: TouchedField, findings: Iterable[Finding]) -> tuple[str, ...]:
        return tuple(one.fingerprint for one in findings if self._belongs_to(field, one))

    def _belongs_to(self, field: TouchedField, finding: Finding) -> bool:
        return any(owner is field for owner in self.owners.find(finding))


def _kind(path: FieldPath) -> ObjectKind:
    return path.kind.group, path.kind.version, path.kind.kind


def _verdict(findings: Sequence[str], changes: Sequence[UserChange], effort: Effort) -> FieldVerdict:
    if findings or any(one.is_verdict for one in changes):
        return "different"
    return "equivalent" if effort.cases else "not-tried"


def _rules(field: TouchedField, rules: Iterable[RuleEntry]) -> Iterator[RuleEntry]:
    """Yield the rules of a field and its items, without members of its struct; for a whole kind all its rules."""
    for rule in rules:
        for one in field.paths:
            if _kind(one) == (rule.group, rule.version, rule.kind) and (
                not one.path or without_subscripts(rule.path) == without_subscripts(one.path)
            ):
                yield rule
                break


def _versions(field: TouchedField, kinds: Iterable[KindEntry]) -> Iterator[str]:
    asked = {(one.group, one.version, one.kind) for one in kinds if one.cases}
    names = (f"{one.kind.group}/{one.kind.version}".lstrip("/") for one in field.paths if _kind(one) in asked)
    yield from dict.fromkeys(names)


def _why_not_tried(field: TouchedField, kinds: Sequence[KindEntry], seen: SearchEvidence) -> str:
    wanted = {(one.kind.version, one.kind.kind) for one in field.paths}
    served = [one for one in kinds if (one.version, one.kind) in wanted]
    failed = next((one.error for one in served if one.error), "")
    if failed:
        return f"the search of {served[0].name} stopped: {failed}"
    if not served:
        names = ", ".join(dict.fromkeys(str(one.kind) for one in field.paths))
        return next(iter(seen.unsearched), "") or f"nothing that is served takes objects of {names or 'its kind'}"
    if not any(one.has_accepted for one in served):
        remaining = next((one.remaining[0] for one in served if one.remaining), "")
        return f"no object of {served[0].name} was accepted by both sides" + (f": {remaining}" if remaining else "")
    return f"no object of {served[0].name} was found that has it; give it more time (--max-time)"
