"""Whether the findings of one part of a run show in another: asked there once, as they were found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.mismatch import canonical_path
from harness.engine.plan import key_of
from harness.errormatch.trusted import all_wordings
from harness.field import FieldError
from harness.subject import Subject

Showing: TypeAlias = Literal["shown", "agreeing", ""]
"""The difference shows too, or both sides report the error; else nothing is said."""


def showings(subject: Subject, findings: Sequence[Finding], trusted: Path | None) -> list[Showing]:
    """Ask a subject about findings of others. Returns: one for each, in order. Raises: TargetError."""
    infos = {info.key: info for info in subject.target.info.kinds}
    asked = [finding for finding in findings if key_of(finding.case) in infos]
    wordings = all_wordings(trusted)
    comparators = {
        key: Comparator(
            infos[key], is_known_path=subject.is_known_path(infos[key]), trusted=wordings, ends=subject.ends
        )
        for key in dict.fromkeys(key_of(finding.case) for finding in asked)
    }
    found: dict[int, Showing] = {}
    for finding, answer in zip(asked, subject.target.ask([_as_found(one) for one in asked]), strict=True):
        comparator = comparators[key_of(finding.case)]
        signature = (finding.mismatch, finding.path, finding.type, finding.origin, finding.side)
        if any(one.signature == signature for one in comparator.compare(finding.case, answer)):
            found[id(finding)] = "shown"
        elif _both_report(finding, answer):
            found[id(finding)] = "agreeing"
    return [found.get(id(finding), "") for finding in findings]


def _as_found(finding: Finding) -> Case:
    kind = finding.mismatch
    return msgspec.structs.replace(
        finding.case, served=kind == "composition", versions=kind == "version", repeat=kind == "self"
    )


def _both_report(finding: Finding, answer: Answer) -> bool:
    def reports(errors: Sequence[FieldError]) -> bool:
        wanted = (finding.type, finding.origin, finding.path)
        return any((error.type, error.origin, canonical_path(error.field)) == wanted for error in errors)

    return answer.failure is None and reports(answer.handwritten) and reports(answer.declarative)
