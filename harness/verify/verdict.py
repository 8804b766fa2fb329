"""The verdict for each touched field, from what the searches found and saw. Pure: nothing is asked or opened here.

A finding belongs to a field when its path is the field's or lies below it, and else when it is told at a struct or list
around the field; what belongs to no touched field is told as being elsewhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from harness.compare.finding import Finding
from harness.engine.focus import ObjectKind
from harness.jsonpath import is_within, without_subscripts
from harness.reporting.assembly import sums_of
from harness.reporting.coverage import RuleEntry
from harness.reporting.document import KindEntry, Report, Verdict
from harness.reporting.verification import (
    Effort,
    FieldEntry,
    FieldVerdict,
    KindPath,
    LintEntry,
    ReasonEntry,
    RevisionEntry,
    StaleEntry,
    UserChange,
    Verification,
)
from harness.verify.change import Change, Event, FieldPath, Reason, Revision, TouchedField, TouchedKind
from harness.verify.focus import Place, total_of
from harness.verify.replaying import is_no_worse

_CLAIMS: frozenset[Event] = frozenset({"level raised", "mark added", "check removed"})
"""What a change does to a field when it says that the two sides of it agree."""


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """What the searches came to beside the report of the head's.

    `known` has the severity at the base of every finding that shows there too, `uncompared` are the fingerprints of
    those that there was no time to ask the base about, `unsearched` why something was not
    searched, as sentences.
    """

    known: Mapping[str, str] = dataclasses.field(default_factory=dict)
    uncompared: Collection[str] = ()
    changes: Sequence[UserChange] = ()
    efforts: Mapping[Place, Effort] = dataclasses.field(default_factory=dict)
    unsearched: Sequence[str] = ()


def verified(report: Report, change: Change, seen: SearchEvidence, told: Verification) -> Report:
    """Put the verdict into the report of the searches, and leave what the base has already to its own list.

    Where the change raises a level, marks an error as covered or removes a handwritten check, it claims that both sides
    agree: then it answers for what the base has too.
    `told` has what does not depend on the searches.
    """
    known = [
        one for one in report.findings if is_no_worse(one, seen.known.get(one.fingerprint)) and not claims(change, one)
    ]
    open_ = [one for one in report.findings if one.fingerprint in seen.uncompared and not claims(change, one)]
    names = {one.fingerprint for one in (*known, *open_)}
    new = tuple(one for one in report.findings if one.fingerprint not in names)
    fields = fields_of(change, report, new, known, seen)
    told = msgspec.structs.replace(
        told, fields=fields, changes=tuple(seen.changes), known=tuple(map(_bare, known)),
        uncompared=tuple(map(_bare, open_)), unsearched=(*told.unsearched, *_uncompared(open_)),
        elsewhere=elsewhere_of(change, new),
    )  # fmt: skip
    # Entries that are idle or expired are the business of a run: a change has nothing to do with them.
    exceptions = msgspec.structs.replace(report.exceptions, unused=(), expired=())
    sums = sums_of(report.parts, report.kinds, new, exceptions, report.excluded, report.policy)
    report = msgspec.structs.replace(report, **sums)
    return msgspec.structs.replace(report, verdict=_of_report(report, told), verification=told)


def claims(change: Change, finding: Finding) -> bool:
    """Whether a change says that there is no such finding: of a field it claims something of, about the rule it raises.

    Where it raises no rule of the field, what it says is about all of them.
    """
    owners = _Owners([one for one in change.fields if _CLAIMS & {why.event for why in one.reasons}])
    if not owners.of(finding):
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


def _of_report(report: Report, told: Verification) -> Verdict:
    if report.verdict == "equivalent" and not told.is_clean:
        return "different"
    if report.verdict == "equivalent" and not told.is_complete:
        return "incomplete"
    return report.verdict


def _uncompared(findings: Sequence[Finding]) -> Iterator[str]:
    """Say how many findings may be new or not, and what helps."""
    if findings:
        names = ", ".join(one.fingerprint for one in findings[:3]) + (", ..." if len(findings) > 3 else "")
        yield (
            f"{len(findings)} finding{'s' * (len(findings) != 1)} not compared with the base: budget ({names}); give "
            "the command more time (--max-time), or a budget in cases (--max-cases)"
        )


def _bare(finding: Finding) -> Finding:
    return Finding(**{name: getattr(finding, name) for name in Finding.__struct_fields__})


def revision(one: Revision, asked: str) -> RevisionEntry:
    """Write one end of the change for the report; `asked` is what the command line called it."""
    return RevisionEntry(asked, one.commit, one.subject)


def reason(one: Reason) -> ReasonEntry:
    """Write why something counts as touched."""
    return ReasonEntry(one.cause, one.event, one.sentence, place_of(one.position), one.in_base, one.certain)


def place_of(position: object) -> str:
    """Write a position as `file:line`, empty where there is none."""
    file, line = getattr(position, "file", ""), getattr(position, "line", 0)
    return f"{file}:{line}" if line else str(file)


def stale_of(change: Change) -> tuple[StaleEntry, ...]:
    """Write what was not generated anew."""
    return tuple(
        StaleEntry(
            f"{one.type_name.rpartition('.')[2]}.{one.go_field}".rstrip("."), one.file, one.sentence,
            place_of(one.position), one.command, one.edited,
        )
        for one in change.not_regenerated
    )  # fmt: skip


def lint_of(change: Change) -> tuple[LintEntry, ...]:
    """Write what the linter says of touched tags."""
    return tuple(LintEntry(one.code, place_of(one.position), one.message, one.fix) for one in change.diagnostics)


def fields_of(
    change: Change, report: Report, new: Sequence[Finding], known: Sequence[Finding], seen: SearchEvidence
) -> tuple[FieldEntry, ...]:
    """Give every touched field its verdict, and every kind that is touched as a whole."""
    owners = _owners(change)
    return tuple(_Judge(report, new, known, seen, owners).entry(one) for one in owners.fields)


def elsewhere_of(change: Change, findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the fingerprints of what belongs to no touched field."""
    owners = _owners(change)
    return tuple(one.fingerprint for one in findings if not owners.of(one))


def names_of(change: Change, finding: Finding) -> tuple[str, ...]:
    """Return the names of the touched fields that a finding is about."""
    return tuple(dict.fromkeys(owner.name for owner in _owners(change).of(finding)))


def _owners(change: Change) -> _Owners:
    return _Owners([*change.fields, *(_as_field(kind) for kind in change.kinds if kind.whole)])


def _as_field(kind: TouchedKind) -> TouchedField:
    """Make the whole of a kind a field of no type, so that it has a verdict too."""
    return TouchedField(kind.name.kind, "", "", (FieldPath(kind.name, ""),), kind.reasons)


class _Owners:
    """Which touched fields a finding belongs to."""

    def __init__(self, fields: Sequence[TouchedField]) -> None:
        self.fields = fields

    def of(self, finding: Finding) -> list[TouchedField]:
        """Return the fields whose path the finding names, else those below its path, the nearest."""
        named = [one for one in self.fields if self._is_at(one, finding)]
        if named:
            longest = max(_depth(one, finding) for one in named)
            return [one for one in named if _depth(one, finding) == longest]
        return [one for one in self.fields if any(is_within(path, finding.path) for path in _paths(one, finding))]

    def _is_at(self, field: TouchedField, finding: Finding) -> bool:
        return _owns(field, finding) or any(is_within(finding.path, path) for path in _paths(field, finding))


def _owns(field: TouchedField, finding: Finding) -> bool:
    """Whether the finding was placed at this member of this type; versions of a type are told alike there."""
    package, _, name = field.type_name.rpartition(".")
    return bool(field.json_name) and finding.member == field.json_name and finding.owner in (
        field.type_name, f"{package.rpartition('/')[0]}.{name}"
    )  # fmt: skip


def _paths(field: TouchedField, finding: Finding) -> Iterator[str]:
    """Yield where the kind of the finding has the field."""
    group = finding.case.group if not finding.subresource else None
    for one in field.paths:
        same = (one.kind.version, one.kind.kind) == (finding.version, finding.kind)
        if same and group in (None, one.kind.group):
            yield one.path


def _depth(field: TouchedField, finding: Finding) -> int:
    return max((len(path) for path in _paths(field, finding) if is_within(finding.path, path)), default=0)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Gives verdicts. `new` are findings that only the head has, `known` those that the base has too."""

    report: Report
    new: Sequence[Finding]
    known: Sequence[Finding]
    seen: SearchEvidence
    owners: _Owners

    def entry(self, field: TouchedField) -> FieldEntry:
        """Return the field with its verdict."""
        findings = self._fingerprints(field, self.new)
        opened = self._fingerprints(field, [one for one in self.new if one.exception is None])
        changes = [one for one in self.seen.changes if self._is_of(field, one.finding)]
        effort = total_of(self.seen.efforts, [(_kind(path), path.path) for path in field.paths])
        verdict = _verdict(opened, changes, effort)
        uncompared = [
            one for one in self.report.findings if one.fingerprint in self.seen.uncompared and self._is_of(field, one)
        ]
        untried = next(_uncompared(uncompared), "") if verdict == "equivalent" else ""
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
            reasons=tuple(map(reason, field.reasons)),
            paths=tuple(KindPath(*_kind(one), one.path) for one in field.paths),
            tags_before=field.tags_before,
            tags_after=field.tags_after,
            place=place_of(field.position or field.position_before),
            effort=effort,
            rules=tuple(_rules(field, self.report.rules)),
            versions=tuple(_versions(field, self.report.kinds)),
            findings=findings,
            known=self._fingerprints(field, self.known),
            changes=tuple(one.fingerprint for one in changes),
        )

    def _basis(self, field: TouchedField, findings: Sequence[str]) -> str:
        """Say what a verdict rests on where the two sides of the head alone cannot say it."""
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
                f"({', '.join(sorted(events & _CLAIMS))}), so it answers for them"
            )
        return ""

    def _fingerprints(self, field: TouchedField, findings: Iterable[Finding]) -> tuple[str, ...]:
        return tuple(one.fingerprint for one in findings if self._is_of(field, one))

    def _is_of(self, field: TouchedField, finding: Finding) -> bool:
        return any(owner is field for owner in self.owners.of(finding))


def _kind(path: FieldPath) -> ObjectKind:
    return path.kind.group, path.kind.version, path.kind.kind


def _verdict(findings: Sequence[str], changes: Sequence[UserChange], effort: Effort) -> FieldVerdict:
    if findings or any(one.is_verdict for one in changes):
        return "different"
    return "equivalent" if effort.cases else "not-tried"


def _rules(field: TouchedField, rules: Iterable[RuleEntry]) -> Iterator[RuleEntry]:
    """Yield the rules of a field and of its items, but not of the members of its struct; all those of a whole kind."""
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
