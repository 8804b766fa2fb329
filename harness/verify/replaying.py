"""Replays the findings of the head at the base, under the gates that each was found with, to see which are new."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.case import Case
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.mismatch import TURNED
from harness.compare.severity import severity_of
from harness.diagnostics import HarnessError
from harness.engine.plan import key_of
from harness.errormatch.trusted import Wordings, all_wordings
from harness.events import Result
from harness.subject import Subject, SubjectSpec, open_subject

Note = Callable[[str], None]
BATCH = 100
NAMES: tuple[str, ...] = SEVERITIES


class BaseFindings(NamedTuple):
    """The findings of the head that the base has too.

    `known` is their severity at the base, by fingerprint; `uncompared` are the fingerprints of findings that were not
    replayed within the time limit.
    """

    known: Mapping[str, str]
    uncompared: frozenset[str] = frozenset()


def replay_on_base(
    found: Sequence[tuple[Result, SubjectSpec]], trusted: Path | None, note: Note, is_over: Callable[[], bool]
) -> BaseFindings:
    """Replay every finding at the base. Each result comes with the specification that opens the base under its gates.

    A finding that cannot be replayed counts as new; one for which `is_over` left no time is neither new nor known.
    """
    by_spec: dict[str, tuple[SubjectSpec, list[Finding]]] = {}
    for result, spec in found:
        _, findings = by_spec.setdefault(repr(spec), (spec, []))
        findings += [one for one in result.findings if one.case.object is not None]
    known: dict[str, str] = {}
    uncompared: set[str] = set()
    for spec, findings in by_spec.values():
        if not findings:
            continue
        try:
            with open_subject(spec, note) as base:
                uncompared |= _ask_base(base, findings, all_wordings(trusted), is_over, known)
        except HarnessError as error:
            note(f"the base was not asked about {len(findings)} findings, so they count as new: {error}")
    return BaseFindings(known, frozenset(uncompared - known.keys()))


def _ask_base(
    base: Subject, findings: Sequence[Finding], wordings: Wordings, is_over: Callable[[], bool], known: dict[str, str]
) -> set[str]:
    """Add the findings that the base has to `known`. Returns: the fingerprints that were not replayed in time."""
    infos = {info.key: info for info in base.target.info.kinds}
    rest = iter([one for one in findings if key_of(one.case) in infos])
    while not is_over() and (batch := list(islice(rest, BATCH))):
        answers = base.target.ask([_as_replayed_case(finding, number) for number, finding in enumerate(batch)])
        for finding, answer in zip(batch, answers, strict=True):
            info = infos[key_of(finding.case)]
            comparator = base.comparator(info, wordings)
            for mismatch in comparator.compare(finding.case, answer):
                if mismatch.signature == _signature(finding):
                    known[finding.fingerprint] = severity_of(finding.case, answer, mismatch, comparator)
                    break
    return {finding.fingerprint for finding in rest}


def _signature(finding: Finding) -> tuple[str, ...]:
    return finding.mismatch, finding.path, finding.type, finding.origin, finding.side


def _as_replayed_case(finding: Finding, number: int) -> Case:
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case, id=number, served=kind == "composition", versions=kind == "version", repeat=kind == "self",
        compiled=kind == "generated", round_trip=kind in TURNED,
    )  # fmt: skip


def is_no_worse(finding: Finding, at_base: str | None) -> bool:
    """Whether the base has a finding with at least the severity that it has at the head."""
    if at_base is None:
        return False
    return finding.severity == "unreachable" or SEVERITIES.index(finding.severity) >= NAMES.index(at_base)
