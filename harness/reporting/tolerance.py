"""Exceptions applied to a report: what is tolerated, what is not needed any more, and what a run cannot say.

An entry is idle when all cases of its witness were asked again and none shows what it speaks of. That depends neither
on the budget of a search nor on the machine: what a search happens to meet decides only what is tolerated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from harness.errormatch.exceptionentry import ANY, ExceptionSpec, GroupRule
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.witness import Witness
from harness.reporting.assembly import sums_of, worst_first
from harness.reporting.document import ExceptionEntry as Entry
from harness.reporting.document import Exceptions, Part, ReplayedWitness, Report, ReportedFinding

State: TypeAlias = Literal["used", "idle", "not tried", "expired", "no witness", "unknown"]
"""Of an entry, by a report: its witness shows it, or a finding needs it; its witness shows it no more; the witness was
not asked; its day has passed; there is nothing that could be asked; and there is no report to tell."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry beside a report: its state, how many findings need it, and why it was not tried.

    Of the cases of its witness so many were `asked`, and so many are `shown` to show it.
    """

    entry: ExceptionSpec
    state: State
    findings: int = 0
    why: str = ""
    asked: int = 0
    shown: int = 0


def tolerate(report: Report, entries: ExceptionFile | None, file: str) -> Report:
    """Mark what the entries tolerate, and say which of them must go. `file` is what the report calls theirs."""
    if entries is None:
        return report
    valid = [entry for entry in entries.entries if entry.until >= entries.today]
    findings = tuple(sorted((_marked(finding, valid) for finding in report.findings), key=worst_first))
    report = msgspec.structs.replace(report, findings=findings)
    subjects = [part.subject for part in report.parts]
    states: dict[State, list[Entry]] = {"used": [], "idle": [], "expired": [], "no witness": []}
    for standing in standings(entries, report):
        if standing.state in states and any(map(standing.entry.of, subjects)):
            states[standing.state].append(_entry(standing, findings))
    exceptions = Exceptions(file, *(tuple(entries) for entries in states.values()))
    sums = sums_of(report.parts, report.kinds, findings, exceptions, report.excluded, report.policy)
    return msgspec.structs.replace(report, **sums)


def _marked(finding: ReportedFinding, valid: list[ExceptionSpec]) -> ReportedFinding:
    entry = next((entry for entry in valid if entry.tolerates(finding, finding.subject)), None)
    return msgspec.structs.replace(finding, exception=entry.id if entry else None)


def _entry(standing: Standing, findings: tuple[ReportedFinding, ...]) -> Entry:
    entry = standing.entry
    own = tuple(f.fingerprint for f in findings if f.exception == entry.id)
    return Entry(
        entry.id, entry.suite, entry.reason, entry.owner, entry.until.isoformat(), entry.link, own, standing.asked,
        standing.shown,
    )  # fmt: skip


def must_go(word: str, entry: Entry) -> str:
    """Say why an exception fails a run, and what to do."""
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


def standings(entries: ExceptionFile, report: Report | None) -> list[Standing]:
    """Say of every entry how it stands beside a report, in the order of the file."""
    return [_standing(entry, entries, report) for entry in entries.entries]


def _standing(entry: ExceptionSpec, entries: ExceptionFile, report: Report | None) -> Standing:
    late, witness = entry.until < entries.today, entries.witnesses.get(entry.id)
    has_none = witness is None and entry.suite != ANY
    if report is None:
        return Standing(entry, "expired" if late else "no witness" if has_none else "unknown")
    needed = sum(entry.tolerates(finding, finding.subject) for finding in report.findings)
    asked = _asked(entry, report)
    shown = sum(any(map(entry.speaks_of, one.shown)) for one in asked)
    if late:
        return Standing(entry, "expired", needed, "", len(asked), shown)
    if has_none and report.narrowed:  # a part of a whole, or base against head: it judges no entry
        return Standing(entry, "used" if needed else "not tried", needed, "" if needed else "it has no witness")
    if has_none:
        return Standing(entry, "no witness", needed)
    if witness is not None and len(asked) == len(witness.cases) and not shown:
        return Standing(entry, "idle", needed, "", len(asked))
    if needed or shown:
        return Standing(entry, "used", needed, "", len(asked), shown)
    return Standing(entry, "not tried", 0, untried(entry, witness, report), len(asked))


def _asked(entry: ExceptionSpec, report: Report) -> list[ReplayedWitness]:
    return [one for one in report.witnesses if one.exception == entry.id and not one.failure]


def untried(entry: ExceptionSpec, witness: Witness | None, report: Report) -> str:
    """Say why a run did not ask the witness of an entry, or not all of it."""
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
    return next(filter(None, map(_other, parts)), "") or "the run did not ask all of its witness"


def _other(part: Part) -> str:
    if part.shard:
        return "this is a shard; harness merge brings all of them together"
    reach = part.reach
    if reach.against or reach.handwritten or reach.declarative != "target" or reach.mode != "served":
        return "the run asked another question"
    return ""


def gone(entries: ExceptionFile, reports: Sequence[Report]) -> list[Standing]:
    """Return the entries that are idle by some report and used by none."""
    rows = zip(*(standings(entries, report) for report in reports), strict=True)
    return [
        next(one for one in row if one.state == "idle")
        for row in rows
        if {one.state for one in row} <= {"idle", "not tried"} and any(one.state == "idle" for one in row)
    ]


def idle_rules(entry: ExceptionSpec, witness: Witness | None, reports: Sequence[Report]) -> tuple[GroupRule, ...]:
    """Return the rules of a group whose witness shows them no more: it has cases for them, and all were asked."""
    if witness is None:
        return ()
    asked = {one.case: one for report in reports for one in _asked(entry, report)}
    idle = []
    for rule in entry.rules:
        own = [number for number, case in enumerate(witness.cases) if any(map(rule.speaks_of, case.shows))]
        shown = any(entry.speaks_of(one) and rule.speaks_of(one) for case in asked.values() for one in case.shown)
        if own and not shown and all(number in asked for number in own):
            idle.append(rule)
    return tuple(idle)
