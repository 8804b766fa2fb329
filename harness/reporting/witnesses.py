"""Makes witnesses of exceptions from the findings of reports: the smallest case for each rule that an entry names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from harness.case import Operation
from harness.errormatch.exceptionentry import UNEXPLAINED, ExceptionSpec
from harness.errormatch.witness import Shown, Witness, WitnessCase
from harness.reporting.document import Part, Report, ReportedFinding

Seen: TypeAlias = tuple[str, WitnessCase]
"""The release that was asked, and a case that shows one difference."""


def seen_in(report: Report, entry: ExceptionSpec) -> list[Seen]:
    """Return the cases of a report that show what an entry tolerates, under the gates of the part that found them.

    A finding that was not explained may be of another cause: it is tolerated, and no witness.
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


def held_by(witness: Witness | None) -> list[Seen]:
    """Return the cases that a witness has already, each as one that shows a single difference."""
    if witness is None:
        return []
    return [
        (witness.release, msgspec.structs.replace(case, shows=(shown,)))
        for case in witness.cases
        for shown in case.shows
    ]


def witness_of(entry: ExceptionSpec, suite: str, cases: Iterable[Seen]) -> Witness | None:
    """Make the witness of an entry: for each of its rules the smallest case; None where no case shows any.

    Cases of the newest release win: those of another one cannot be asked together with them.
    """
    every = [(release, case) for release, case in cases if entry.speaks_of(case.shows[0])]
    if not every:
        return None
    newest = max((release for release, _ in every), key=_as_release)
    ordered = sorted((case for release, case in every if release == newest), key=_smallest)
    found: dict[bytes, WitnessCase] = {}
    for fits in [rule.speaks_of for rule in entry.rules] or [entry.speaks_of]:
        first = next((case for case in ordered if fits(case.shows[0])), None)
        if first is not None:
            name = msgspec.json.encode(msgspec.structs.replace(first, shows=()), order="deterministic")
            before = found.get(name)
            shows = (*before.shows, *first.shows) if before is not None else first.shows
            found[name] = msgspec.structs.replace(first, shows=tuple(dict.fromkeys(shows)))
    return Witness(entry.id, suite, newest, tuple(sorted(found.values(), key=_in_order)))


def unseen(entry: ExceptionSpec, witness: Witness | None) -> Sequence[str]:
    """Return the rules of an entry that no case of its witness shows."""
    shown = [one for case in witness.cases for one in case.shows] if witness is not None else []
    return [str(rule) for rule in entry.rules if not any(map(rule.speaks_of, shown))]


def _as_release(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((1, int(part), "") if part.isdecimal() else (0, 0, part) for part in text.split("."))


def _smallest(case: WitnessCase) -> tuple[object, ...]:
    """Order cases: the gates as they are set by default first, then by size, then for good."""
    return bool(case.gates), case.size, _in_order(case)


def _in_order(case: WitnessCase) -> tuple[object, ...]:
    return (
        case.group, case.resource, case.version, case.subresource, case.operation, sorted(case.gates.items()),
        msgspec.json.encode(case, order="deterministic"),
    )  # fmt: skip
