"""Why the two sides differ, found by experiment on the reduced case.

First what the two lists show by themselves (`obvious`), then one batch of questions that differ from the case in one
thing each (`experiments`): asked in mode served, as a create, with another old object, with an option turned, through
other versions. Then, as long as nothing explains the mismatch: with the other errors repaired (`masking`), with
the value made larger and smaller (`boundary`). That two lists look like one error in two forms is
a guess, which the experiments may disprove. What nothing explains is `no-rule` or `no-counterpart`. Knows no rule; the
remedies only name tags.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import islice
from typing import TypeAlias, TypeVar

import msgspec

from harness.case import Answer, Case
from harness.compare import remedies
from harness.compare.boundary import find_boundary
from harness.compare.comparator import Comparator
from harness.compare.ends import direction_of, served_after, served_before, told
from harness.compare.experiments import experiments, served_mode, silent_side
from harness.compare.finding import Finding, fingerprint
from harness.compare.masking import NO_MEANS, Means, Unmasking
from harness.compare.mismatch import Mismatch
from harness.compare.moves import find_move
from harness.compare.obvious import CauseFound, error_of, obvious, short_circuit
from harness.compare.severity import severity_of
from harness.field import FieldError
from harness.jsonpath import canonical_path, is_below

__all__ = ["CauseFound", "Experiment", "find_cause", "graded", "judge"]

R = TypeVar("R")
Experiment: TypeAlias = Generator[list[Case], list[Answer], R]
"""Yields batches of cases, is sent their answers, returns what was learned."""

_GUESSES = ("path", "type", "origin")
_OTHERS = 100
"""Mismatches on the case of a finding that are told with it: of thousands each would come with all the others."""


def judge(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, *, subject: str, means: Means = NO_MEANS
) -> Experiment[Finding]:
    """Explain and grade a mismatch on a reduced case. `subject` is the suite, or `kubernetes`."""
    if comparator.ends is None:
        found = yield from find_cause(case, answer, mismatch, comparator, means)
        if found.shown is not None:
            case, answer = found.shown
            again = (one for one in comparator.compare(case, answer) if one.signature == mismatch.signature)
            mismatch = next(again, mismatch)
        detail = mismatch.detail
    else:
        found = yield from find_move(case, answer, mismatch, comparator, comparator.ends, means)
        direction = direction_of(served_before(answer), served_after(answer))
        detail = f"{told(direction, comparator.ends)}: {mismatch.detail}"
    return graded(case, answer, mismatch, comparator, found._replace(detail=_joined(detail, found, mismatch)), subject)


def _joined(detail: str, found: CauseFound, mismatch: Mismatch) -> str:
    return f"{detail}; {found.detail}" if found.detail and found.detail != mismatch.detail else detail


def graded(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, found: CauseFound, subject: str
) -> Finding:
    """Grade a mismatch and make a finding of it, of whose cause nothing more is asked; `found` has all of its words."""
    severity = severity_of(case, answer, mismatch, comparator)
    if found.cause == "unreachable":
        severity = "unreachable"
    return Finding(
        fingerprint=fingerprint(subject, case, mismatch),
        code=found.cause,
        cause=found.cause,
        severity=severity,
        mismatch=mismatch.kind,
        group=case.group,
        version=case.version,
        kind=case.kind,
        resource=case.resource,
        subresource=case.subresource,
        operation=str(case.operation),
        path=canonical_path(mismatch.path),
        type=mismatch.type,
        origin=mismatch.origin,
        side=mismatch.side,
        gates=mismatch.gates,
        detail=found.detail,
        fix=found.fix,
        occurrences=1,
        case=case,
        answer=answer,
        between=tuple(comparator.ends or ()),
        others=tuple(
            islice((m for m in comparator.compare(case, answer) if m.signature != mismatch.signature), _OTHERS)
        ),
    )


def find_cause(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, means: Means = NO_MEANS
) -> Experiment[CauseFound]:
    """Say why the two sides differ on this case.

    Asks one batch; only when nothing in it explains the mismatch, a few more.
    """
    known = obvious(answer, mismatch, comparator)
    certain = known is not None and not known.is_guess and known.cause not in _GUESSES
    trials = list(served_mode(case, mismatch, comparator))
    trials += [] if certain else experiments(case, mismatch, comparator, silent_side(answer, mismatch, comparator))
    # Ids say which answer belongs to which question, should two targets ever share a log.
    asked = [msgspec.structs.replace(trial.case, id=number) for number, trial in enumerate(trials)]
    answers = (yield asked) if asked else []
    for trial, said in zip(trials, answers, strict=True):
        found = None if said.failure is not None else trial.proves(said)
        if found is not None:
            return found
    if known is not None and certain:
        return known
    nobody_answers = bool(answers) and all(said.failure for said in answers)
    further = None if nobody_answers else (yield from _further(case, answer, mismatch, comparator, means, known))
    return further or _remains(answer, mismatch, comparator)


def _further(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, means: Means, guess: CauseFound | None
) -> Experiment[CauseFound | None]:
    """Ask what takes more than one batch, the cheapest first; a guess stands until it is contradicted."""
    if mismatch.kind not in ("unmatched", "extra", "served"):
        return guess
    unmasking = Unmasking(mismatch, comparator, means.mend, guess.partner if guess else None)
    found = yield from unmasking.run(case, answer)
    if found is None and guess is not None and not unmasking.contradicted:
        return guess
    if found is None and mismatch.kind != "served":
        found = yield from find_boundary(case, mismatch, comparator)
    return found or (unmasking.uncovered if guess is None else None)


def _remains(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> CauseFound:
    if mismatch.side != "handwritten":
        fix = remedies.write_check(mismatch, comparator.facts)
        return CauseFound("no-counterpart", "the handwritten side never reports it", fix)
    if mismatch.kind == "served":
        return CauseFound("unknown", "", "compare the two lists of the report")
    error = error_of(mismatch, answer.handwritten, comparator, covered=True)
    stop = next((other for other in answer.declarative if error and _may_stop(other, error, comparator)), None)
    if stop is not None:  # before 1.37 no error says whether it stops others
        return short_circuit(stop)
    return CauseFound("no-rule", "no rule of this version declares it", remedies.declare(mismatch, comparator.facts))


def _may_stop(other: FieldError, error: FieldError, comparator: Comparator) -> bool:
    place = comparator.matcher.normalize(other.field)
    known = comparator.info.composition == "levels"
    return not known and (place == error.field or is_below(error.field, place))
