"""Exceptions applied to a report: what is tolerated, what is not needed any more, and what a run cannot say.

An entry that no finding needed is only known to be idle when the run tried: it asked the same subject the usual
question, all of it, to the end, and as many cases as the entry says. What was not tried is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from harness.errormatch.exceptionentry import ANY, ExceptionEntry, Rule
from harness.errormatch.exceptionfile import ExceptionFile
from harness.events import LOST
from harness.reporting.assembly import sums_of, worst_first
from harness.reporting.document import ExceptionEntry as Entry
from harness.reporting.document import Exceptions, Part, Report, ReportedFinding
from harness.reporting.text import count

SEARCHES = 3
"""Whole searches with different seeds that must all miss what occurs only sometimes before it is called gone."""

State: TypeAlias = Literal["used", "idle", "not tried", "expired", "unknown"]
"""Of an entry, by a report: some finding needs it; it was tried and none does; it was not tried; its day has passed;
and there is no report to tell."""


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry beside a report: its state, how many findings need it, and why it was not tried."""

    entry: ExceptionEntry
    state: State
    findings: int = 0
    why: str = ""


def tolerate(report: Report, entries: ExceptionFile | None, file: str) -> Report:
    """Mark what the entries tolerate, and say which of them must go. `file` is what the report calls theirs."""
    if entries is None:
        return report
    valid = [entry for entry in entries.entries if entry.until >= entries.today]
    findings = tuple(sorted((_marked(finding, valid) for finding in report.findings), key=worst_first))
    report = msgspec.structs.replace(report, findings=findings)
    used = {finding.exception for finding in findings}
    idle = [entry for entry in valid if entry.id not in used and not untried(entry, report)]
    subjects = [part.subject for part in report.parts]
    expired = [e for e in entries.entries if e.until < entries.today and any(map(e.of, subjects))]
    exceptions = Exceptions(
        file,
        tuple(_entry(entry, findings) for entry in valid if entry.id in used),
        tuple(_entry(entry, findings) for entry in idle),
        tuple(_entry(entry, findings) for entry in expired),
    )
    sums = sums_of(report.parts, report.kinds, findings, exceptions, report.excluded, report.policy)
    return msgspec.structs.replace(report, **sums)


def _marked(finding: ReportedFinding, valid: list[ExceptionEntry]) -> ReportedFinding:
    entry = next((entry for entry in valid if entry.tolerates(finding, finding.subject)), None)
    return msgspec.structs.replace(finding, exception=entry.id if entry else None)


def _entry(entry: ExceptionEntry, findings: tuple[ReportedFinding, ...]) -> Entry:
    own = tuple(f.fingerprint for f in findings if f.exception == entry.id)
    return Entry(entry.id, entry.suite, entry.reason, entry.owner, entry.until.isoformat(), entry.link, own)


def standings(entries: ExceptionFile, report: Report | None) -> list[Standing]:
    """Say of every entry how it stands beside a report, in the order of the file."""
    return [_standing(entry, entries, report) for entry in entries.entries]


def _standing(entry: ExceptionEntry, entries: ExceptionFile, report: Report | None) -> Standing:
    late = entry.until < entries.today
    if report is None:
        return Standing(entry, "expired" if late else "unknown")
    needed = sum(entry.tolerates(finding, finding.subject) for finding in report.findings)
    if late:
        return Standing(entry, "expired", needed)
    if needed:
        return Standing(entry, "used", needed)
    why = untried(entry, report)
    return Standing(entry, "not tried", why=why) if why else Standing(entry, "idle")


def untried(entry: ExceptionEntry, report: Report) -> str:
    """Say why a run that met no finding of an entry does not prove that there is none; empty when it does."""
    if entry.suite == ANY:
        return "it is of every suite, and no run asks them all"
    if entry.occurs.sometimes:
        return "it occurs only sometimes"
    return whole(entry, report)


def whole(entry: ExceptionEntry, report: Report) -> str:
    """Say why a run did not ask all that an entry speaks of; empty when it did."""
    parts = [part for part in report.parts if entry.of(part.subject)]
    if not parts:
        return f"the run did not ask {entry.suite}"
    if report.narrowed:
        return f"the run was narrowed: {' '.join(report.narrowed)}"
    return next(filter(None, (_broken(part) for part in parts)), "") or _short(entry, report, parts)


def _broken(part: Part) -> str:
    if part.stopped == "interrupted" or part.stopped in LOST:
        return "the search was broken off"
    if part.shard:
        return "this is a shard; harness merge brings all of them together"
    reach = part.reach
    if reach.against or reach.handwritten or reach.declarative != "target" or reach.mode != "served":
        return "the run asked another question"
    return ""


def _short(entry: ExceptionEntry, report: Report, parts: list[Part]) -> str:
    occurs, asked = entry.occurs, sum(part.cases for part in parts)
    if occurs.release and any(part.target.release != occurs.release for part in parts):
        return f"it is known of {occurs.release}, and the run asked {parts[0].target.release or 'no release'}"
    if asked < occurs.cases:
        return f"it occurs within {occurs.cases:,} cases, and these were {asked:,}"
    kind = entry.scope.get("kind", ANY)
    own = [one for one in report.kinds if entry.of(one.subject) and kind in (ANY, one.kind)]
    lost = [one for one in own if one.error or one.cases == one.failures]
    if lost:
        more = f" and {count(len(lost) - 1, 'other')}" if len(lost) > 1 else ""
        return f"{lost[0].name} {lost[0].operation}{more} was not compared"
    return ""


def gone(entries: ExceptionFile, reports: Sequence[Report]) -> list[Standing]:
    """Return the entries that were tried and not needed in any of the reports.

    What occurs only sometimes is gone when SEARCHES whole searches with different seeds missed it.
    """
    found = []
    for entry in entries.entries:
        needed = any(entry.tolerates(f, f.subject) for report in reports for f in report.findings)
        tries = {report.seed for report in reports if not whole(entry, report)}
        if not needed and len(tries) >= (SEARCHES if entry.occurs.sometimes else 1) and entry.suite != ANY:
            found.append(Standing(entry, "idle"))
    return found


def idle_rules(entry: ExceptionEntry, reports: Sequence[Report]) -> tuple[Rule, ...]:
    """Return the rules of a group that SEARCHES whole searches with different seeds missed."""
    if len({report.seed for report in reports if not whole(entry, report)}) < SEARCHES:
        return ()
    findings = [f for report in reports for f in report.findings if entry.tolerates(f, f.subject)]
    return tuple(rule for rule in entry.rules if not any(rule.tolerates(finding) for finding in findings))
