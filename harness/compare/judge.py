"""Explains a mismatch by experiments on the reduced case, and grades it.

Tries all causes, in four steps, until one explains the mismatch:

1. The two lists by themselves. That one error appears in two forms is a guess, which experiments may disprove.
2. One batch of cases that each change one thing: in mode served, as a create, with another old object, with an option
   inverted, through other versions.
3. Searches that ask several batches.
4. Causes that remain when no experiment explains the mismatch.

All experiments of one mismatch together have a budget; the detail says what it left out. Where the target answers no
experiment, nothing is known of what it would say, and no cause is told that needs one.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

import msgspec

from harness.case import Answer, Case, Failure
from harness.compare import causes
from harness.compare.cause import NO_HINTS, Experiment, Explanation, Hints, Question
from harness.compare.causes import unknown
from harness.compare.causes.unreachable import UNREACHABLE
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding, fingerprint
from harness.compare.mismatch import Mismatch
from harness.compare.severity import severity_of, why_unreachable
from harness.jsonpath import canonical_path

_MAX_OTHERS = 100
"""At most this many other mismatches of its case are stored in a finding, since a case may have thousands."""
BUDGET = 1_500
"""At most this many cases are asked in experiments on one mismatch."""

_UNCOVERED = "other errors repaired or fields beside it left out: then the lists show the two forms"

R = TypeVar("R")


def judge(
    case: Case,
    answer: Answer,
    mismatch: Mismatch,
    comparator: Comparator,
    *,
    subject: str,
    hints: Hints = NO_HINTS,
) -> Experiment[Finding]:
    """Explain and grade a mismatch on a reduced case. `subject` is the suite, or `kubernetes`."""
    found = yield from find_cause(case, answer, mismatch, comparator, hints)
    return conclude(case, answer, mismatch, comparator, found, subject)


def conclude(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, found: Explanation, subject: str
) -> Finding:
    """Return the finding of a mismatch whose cause was found, on the case that shows the cause."""
    if found.shown is not None:
        case, answer = found.shown
        again = (one for one in comparator.compare(case, answer) if one.signature == mismatch.signature)
        mismatch = next(again, mismatch)
    detail = comparator.comparison.describe(mismatch, answer)
    if found.detail and found.detail != mismatch.detail:
        detail = f"{detail}; {found.detail}"
    return grade(case, answer, mismatch, comparator, found._replace(detail=detail), subject)


def grade(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, found: Explanation, subject: str
) -> Finding:
    """Grade a mismatch and return the finding. `found` has its cause, detail and fix; no more cases are asked."""
    severity = severity_of(case, answer, mismatch, comparator)
    unreachable = why_unreachable(case, answer, mismatch, comparator)
    if found.cause == UNREACHABLE.code:
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
        experiment=found.experiment,
        certainty=found.certainty,
        change=found.change,
        fix_tried=found.tried,
        severity_note=f"no request shows it: {unreachable}" if unreachable else "",
        occurrences=1,
        case=case,
        answer=answer,
        between=comparator.comparison.names,
        others=tuple(
            islice((m for m in comparator.compare(case, answer) if m.signature != mismatch.signature), _MAX_OTHERS)
        ),
    )


def find_cause(
    case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, hints: Hints = NO_HINTS
) -> Experiment[Explanation]:
    """Return the explanation of a mismatch. Asks one batch, and more only if it does not explain the mismatch."""
    finders = tuple((one.code, comparator.comparison.finder_of(one)) for one in causes.CAUSES)
    question = Question(case, answer, mismatch, comparator, finders, hints)
    found = yield from _within_budget(question, _find(question))
    cause = next((one for one in causes.CAUSES if one.code == found.cause), None)
    if not found.experiment and found.certainty in ("experiment", "remains") and cause is not None:
        found = found._replace(experiment=cause.experiment)
    if question.unasked:
        detail = f"{question.unasked:,} more cases of experiments were not asked, which have a budget of {BUDGET:,}"
        found = found._replace(detail=f"{found.detail}; {detail}" if found.detail else detail)
    return found


def _find(question: Question) -> Experiment[Explanation]:
    shown = question.show()
    certain = shown if shown is not None and not shown.is_guess else None
    found = yield from _try_batch(question, is_certain=certain is not None)
    if found is not None:
        return found._replace(certainty="experiment")
    if certain is not None:
        return certain._replace(certainty="observed")
    question.guess = shown
    if not question.is_refused:
        found = yield from _search(question)
    if found is not None:
        return found._replace(certainty=found.certainty or "experiment")
    found = _remain(question)
    is_tried = question.answered or not question.asked
    return found._replace(certainty=found.certainty or ("remains" if is_tried else ""))


def _within_budget(question: Question, steps: Experiment[R]) -> Experiment[R]:
    """Drive the experiments of a question and count their cases; those beyond the budget get a failure as an answer."""
    answers: list[Answer] | None = None
    while True:
        try:
            cases = next(steps) if answers is None else steps.send(answers)
        except StopIteration as end:
            found: R = end.value
            return found
        allowed = cases[: BUDGET - question.asked]
        answers = list((yield allowed)) if allowed else []
        question.asked += len(allowed)
        question.answered += sum(one.failure is None for one in answers)
        rest = cases[len(allowed) :]
        question.unasked += len(rest)
        answers += [Answer(one.id, failure=Failure("worker", "the budget of experiments is used up")) for one in rest]


def _try_batch(question: Question, *, is_certain: bool) -> Experiment[Explanation | None]:
    """Ask the cases of the first batch; the first proof counts."""
    trials = [
        (code, trial)
        for code, finder in question.finders
        if finder.overrules or not is_certain
        for trial in finder.trials(question)
    ]
    if not trials:
        return None
    # Each case has its own id, so that logs show which answer belongs to which case.
    asked = [msgspec.structs.replace(trial.case, id=number) for number, (_, trial) in enumerate(trials)]
    answers = yield asked
    question.answers = answers
    # A create through the main resource fails where that is of another kind, which says nothing of requests like this.
    own = [answer for one, answer in zip(asked, answers, strict=True) if one.operation is question.case.operation]
    question.is_refused = bool(own) and all(one.failure is not None for one in answers)
    proofs = [
        (code, trial.case, answer, found)
        for (code, trial), answer in zip(trials, answers, strict=True)
        if answer.failure is None and (found := trial.proves(answer)) is not None
    ]
    if not proofs:
        return None
    first, _, question.proven, found = proofs[0]
    question.proofs = [case for code, case, *_ in proofs if code == first]
    refined = yield from dict(question.finders)[first].refine(question, found)
    return refined._replace(cause=refined.cause or first)


def _search(question: Question) -> Experiment[Explanation | None]:
    """Run the searches; a guess is accepted when repairing the other errors did not contradict it."""
    for code, finder in question.finders:
        found = yield from finder.search(question)
        if found is not None:
            return found._replace(cause=found.cause or code)
        unmasked = question.unmasked
        is_confirmed = unmasked is not None and not unmasked.speaks and not unmasked.contradicted
        if is_confirmed and question.guess is not None:
            return _confirm(question, question.guess)
    uncovered = question.unmasked.uncovered if question.unmasked is not None and question.guess is None else None
    return uncovered and uncovered._replace(experiment=_UNCOVERED)


def _confirm(question: Question, guess: Explanation) -> Explanation:
    """Say what stood behind a guess that no repair contradicted: the lists alone, where no change showed both forms."""
    seen = question.unmasked.seen if question.unmasked is not None else frozenset()
    how = next((how for how in ("repaired", "left out") if any(how == one for one, _ in seen)), "")
    if not how:
        return guess._replace(certainty="observed")
    changed = "other errors repaired" if how == "repaired" else "the fields beside it left out"
    forms = "come and go together" if (how, "go") in seen else "stay"
    return guess._replace(experiment=f"{changed}: the two forms {forms}")


def _remain(question: Question) -> Explanation:
    if question.asked and not question.answered:
        return unknown.describe_no_answer(question)._replace(cause=unknown.UNKNOWN.code)
    for code, finder in question.finders:
        found = finder.remain(question)
        if found is not None:
            return found._replace(cause=code)
    raise AssertionError("no cause remains")
