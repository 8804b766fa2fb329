"""Applies the exceptions file to a report: marks tolerated findings, and determines the state of every entry.

An entry is idle if all cases of its witness were replayed and none shows the tolerated difference. This depends on the
replay only, not on the findings of the search, so that it does not depend on the budget or the machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from harness.errormatch.exceptionentry import ANY, ExceptionSpec, GroupRule
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.witness import Witness
from harness.report.model.assembly import compute_sums, report_order
from harness.report.model.document import ExceptionEntry as Entry
from harness.report.model.document import Exceptions, Part, ReplayedWitness, Report, ReportedFinding

State: TypeAlias = Literal["used", "idle", "not tried", "expired", "no witness", "unknown"]
"""The state of an entry. `used`: its witness or a finding shows the difference. `idle`: its witness no longer does.
`not tried`: its witness was not replayed. `expired`: its date has passed. `unknown`: there is no report."""


@dataclass(frozen=True, slots=True)
class ExceptionStatus:
    """The state of an entry in a report.

    `findings` is the number of findings that it tolerates, `why` the reason if it was not tried. `asked` is the number
    of replayed cases of its witness, `shown` of those that still show the difference.
    """

    entry: ExceptionSpec
    state: State
    findings: int = 0
    why: str = ""
    asked: int = 0
    shown: int = 0


def tolerate(report: Report, entries: ExceptionFile | None, file: str) -> Report:
    """Mark tolerated findings, and add the states of the entries. `file` is the name of their file in the report."""
    if entries is None:
        return report
    valid = [entry for entry in entries.entries if entry.until >= entries.today]
    findings = tuple(sorted((_mark_tolerated(finding, valid) for finding in report.findings), key=report_order))
    report = msgspec.structs.replace(report, findings=findings)
    subjects = [part.subject for part in report.parts]
    states: dict[State, list[Entry]] = {"used": [], "idle": [], "expired": [], "no witness": []}
    for status in determine_statuses(entries, report):
        if status.state in states and any(map(status.entry.of, subjects)):
            states[status.state].append(_entry(status, findings))
    exceptions = Exceptions(file, *(tuple(entries) for entries in states.values()))
    sums = compute_sums(report.parts, report.kinds, findings, exceptions, report.excluded, report.policy)
    return msgspec.structs.replace(report, **sums)


def _mark_tolerated(finding: ReportedFinding, valid: list[ExceptionSpec]) -> ReportedFinding:
    entry = next((entry for entry in valid if entry.tolerates(finding, finding.subject)), None)
    return msgspec.structs.replace(finding, exception=entry.id if entry else None)


def _entry(status: ExceptionStatus, findings: tuple[ReportedFinding, ...]) -> Entry:
    entry = status.entry
    own = tuple(f.fingerprint for f in findings if f.exception == entry.id)
    return Entry(
        entry.id, entry.suite, entry.reason, entry.owner, entry.until.isoformat(), entry.link, own, status.asked,
        status.shown,
    )  # fmt: skip


def describe_failing_exception(word: str, entry: Entry) -> str:
    """Describe why an entry fails the run, with the fix. `word` is its state in the report."""
    name = f"{word} exception {entry.id} ({entry.owner}, until {entry.until}): {entry.reason}"
    match word:
        case "unused" if entry.findings:
            fix = "its witness shows it no more, and findings need it: harness exceptions witness --report REPORT"
        case "unused":
            fix = "its witness shows it no more: harness exceptions prune --report REPORT"
        case "unwitnessed":
            fix = "nothing says whether it is still needed: harness exceptions witness --report REPORT"
        case _:
            fix = "mend the difference, or agree on a new date with the owner"
    return f"{name}\n  fix: {fix}"


def determine_statuses(entries: ExceptionFile, report: Report | None) -> list[ExceptionStatus]:
    """Return the state of every entry, in the order of the file."""
    return [_determine_status(entry, entries, report) for entry in entries.entries]


def _determine_status(entry: ExceptionSpec, entries: ExceptionFile, report: Report | None) -> ExceptionStatus:
    is_expired, witness = entry.until < entries.today, entries.witnesses.get(entry.id)
    lacks_witness = witness is None and entry.suite != ANY
    if report is None:
        return ExceptionStatus(entry, "expired" if is_expired else "no witness" if lacks_witness else "unknown")
    needed = sum(entry.tolerates(finding, finding.subject) for finding in report.findings)
    asked = _answered_cases(entry, report)
    shown = sum(any(map(entry.matches_finding, one.shown)) for one in asked)
    if is_expired:
        return ExceptionStatus(entry, "expired", needed, "", len(asked), shown)
    if lacks_witness and report.narrowed:  # a narrowed search cannot show that the entry is not needed
        return ExceptionStatus(entry, "used" if needed else "not tried", needed, "" if needed else "it has no witness")
    if lacks_witness:
        return ExceptionStatus(entry, "no witness", needed)
    if witness is not None and len(asked) == len(witness.cases) and not shown:
        return ExceptionStatus(entry, "idle", needed, "", len(asked))
    if needed or shown:
        return ExceptionStatus(entry, "used", needed, "", len(asked), shown)
    return ExceptionStatus(entry, "not tried", 0, explain_not_tried(entry, witness, report), len(asked))


def _answered_cases(entry: ExceptionSpec, report: Report) -> list[ReplayedWitness]:
    return [one for one in report.witnesses if one.exception == entry.id and not one.failure]


def explain_not_tried(entry: ExceptionSpec, witness: Witness | None, report: Report) -> str:
    """Return why a run did not replay the witness of an entry, or not all of it."""
    if witness is None:
        return "it is of every suite, and no run asks them all"
    parts = [part for part in report.parts if entry.of(part.subject)]
    if not parts:
        return f"the run did not ask {entry.suite}"
    failures = [one.failure for one in report.witnesses if one.exception == entry.id and one.failure]
    if failures:
        return f"its witness was not answered: {failures[0]}"
    if witness.release and all(part.target.release != witness.release for part in parts):
        return f"its witness is of {witness.release}, and the run asked {parts[0].target.release or 'no release'}"
    if report.narrowed:
        return f"the run was narrowed: {' '.join(report.narrowed)}"
    return next(filter(None, map(_explain_other_question, parts)), "") or "the run did not ask all of its witness"


def _explain_other_question(part: Part) -> str:
    if part.shard:
        return "this is a shard; harness merge brings all of them together"
    reach = part.reach
    if reach.against or reach.handwritten or reach.declarative != "target" or reach.mode != "served":
        return "the run asked another question"
    return ""


def find_idle(entries: ExceptionFile, reports: Sequence[Report]) -> list[ExceptionStatus]:
    """Return the entries that are idle in at least one report, and idle or not tried in all others."""
    rows = zip(*(determine_statuses(entries, report) for report in reports), strict=True)
    return [
        next(one for one in row if one.state == "idle")
        for row in rows
        if {one.state for one in row} <= {"idle", "not tried"} and any(one.state == "idle" for one in row)
    ]


def idle_rules(entry: ExceptionSpec, witness: Witness | None, reports: Sequence[Report]) -> tuple[GroupRule, ...]:
    """Return the rules of a group entry whose cases were all replayed and no longer show them."""
    if witness is None:
        return ()
    asked = {one.case: one for report in reports for one in _answered_cases(entry, report)}
    idle = []
    for rule in entry.rules:
        own = [number for number, case in enumerate(witness.cases) if any(map(rule.matches_finding, case.shows))]
        shown = any(
            entry.matches_finding(one) and rule.matches_finding(one) for case in asked.values() for one in case.shown
        )
        if own and not shown and all(number in asked for number in own):
            idle.append(rule)
    return tuple(idle)
