"""Which findings of the head the base has already: each is asked of the base, under the gates it was found with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from harness.case import Case
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES, Finding
from harness.compare.severity import severity_of
from harness.diagnostics import HarnessError
from harness.engine.plan import key_of
from harness.errormatch.trusted import Wordings, all_wordings
from harness.events import Result
from harness.subject import Subject, SubjectSpec, open_subject

Note = Callable[[str], None]
BATCH = 100
NAMES: tuple[str, ...] = SEVERITIES


class AtBase(NamedTuple):
    """What the base says of findings of the head.

    `known` has the severity there of each that shows there too, by fingerprint; `uncompared` are the fingerprints of
    those that there was no time to ask about.
    """

    known: Mapping[str, str]
    uncompared: frozenset[str] = frozenset()


def known_at_base(
    found: Sequence[tuple[Result, SubjectSpec]], trusted: Path | None, note: Note, is_over: Callable[[], bool]
) -> AtBase:
    """Return what the base says of every finding.

    Each result comes with how to open the base under its gates. What the base cannot be asked about counts as new; what
    there is no time for is neither new nor known.
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
                uncompared |= _asked(base, findings, all_wordings(trusted), is_over, known)
        except HarnessError as error:
            note(f"the base was not asked about {len(findings)} findings, so they count as new: {error}")
    return AtBase(known, frozenset(uncompared - known.keys()))


def _asked(
    base: Subject, findings: Sequence[Finding], wordings: Wordings, is_over: Callable[[], bool], known: dict[str, str]
) -> set[str]:
    """Add what is known. Returns: the fingerprints that there was no time for."""
    infos = {info.key: info for info in base.target.info.kinds}
    rest = iter([one for one in findings if key_of(one.case) in infos])
    while not is_over() and (batch := list(islice(rest, BATCH))):
        answers = base.target.ask([_as_found(finding, number) for number, finding in enumerate(batch)])
        for finding, answer in zip(batch, answers, strict=True):
            info = infos[key_of(finding.case)]
            comparator = Comparator(info, is_known_path=base.is_known_path(info), trusted=wordings)
            for mismatch in comparator.compare(finding.case, answer):
                if mismatch.signature == _signature(finding):
                    known[finding.fingerprint] = severity_of(finding.case, answer, mismatch, comparator)
                    break
    return {finding.fingerprint for finding in rest}


def _signature(finding: Finding) -> tuple[str, ...]:
    return finding.mismatch, finding.path, finding.type, finding.origin, finding.side


def _as_found(finding: Finding, number: int) -> Case:
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case, id=number, served=kind == "composition", versions=kind == "version", repeat=kind == "self"
    )


def is_no_worse(finding: Finding, at_base: str | None) -> bool:
    """Whether the base has a finding already, and the head makes it no worse."""
    if at_base is None:
        return False
    return finding.severity == "unreachable" or SEVERITIES.index(finding.severity) >= NAMES.index(at_base)
