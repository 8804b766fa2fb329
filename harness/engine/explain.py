"""From a reduced case to a finding: asked once more with the target's own composition, then judged."""

from __future__ import annotations

from collections.abc import Generator

import msgspec

from harness.case import Answer, Case, Failure
from harness.compare.cause import judge
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.mismatch import Mismatch

Explained = tuple[Finding, list[Mismatch]]


def explained(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, subject: str, served: bool
) -> Generator[list[Case], list[Answer], Explained]:
    """Explain and grade a mismatch. Returns the finding, and what the check of the composition said of its case."""
    plain = msgspec.structs.replace(case, id=0)
    composition: list[Mismatch] = []
    if served and not case.served and answer.failure is None:
        (again,) = yield [msgspec.structs.replace(case, served=True)]
        if again.failure is None:
            composition = [one for one in comparator.compare(case, again) if one.kind == "composition"]
            answer = msgspec.structs.replace(answer, served=again.served)
    found = [one for one in comparator.compare(plain, answer) if one.signature == mismatch.signature]
    mismatch = found[0] if found else mismatch
    finding = yield from judge(plain, msgspec.structs.replace(answer, id=0), mismatch, comparator, subject=subject)
    return finding, composition


def unexplained(case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, subject: str) -> Finding:
    """Tell of a mismatch as it was met: the run ended before it could be reduced and judged."""
    steps = judge(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, subject=subject)
    try:
        asked = next(steps)
        # No experiment answers any more: each gets a failure, which proves nothing.
        steps.send([Answer(one.id, failure=Failure("worker", "the run has ended")) for one in asked])
    except StopIteration as stop:
        finding: Finding = stop.value
        return msgspec.structs.replace(finding, code="unknown", cause="unknown")
    raise AssertionError("a judge asks one batch")
