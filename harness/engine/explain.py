"""From a reduced case to a finding: asked once more with the target's own composition, judged, and put in its place.

Asked again, a case must get the same answer: it is before a cause is told. Else no experiment means anything.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import msgspec

from harness import tuning
from harness.case import Answer, Case, Failure, Json
from harness.compare.cause import CauseFound, graded, judge
from harness.compare.comparator import Comparator
from harness.compare.finding import Cause, Finding
from harness.compare.masking import Means
from harness.compare.mismatch import Mismatch, MismatchKind, failed
from harness.engine.fieldsource import add_field_source
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.mend import at_once, fixes
from harness.fuzzers.shape import Shape
from harness.gotypes.literals import NO_LITERALS, Literals
from harness.jsonpath import Edit, apply_all, canonical_path
from harness.targets.target import drive

UNEXPLAINED = "not explained: budget"
_CERTAIN: dict[MismatchKind, Cause] = {"panic": "panic", "self": "unstable", "composition": "composition"}
"""Causes that no experiment on a served case can change."""
_MORE_TIME = "give the run more time, or a budget in cases, which has everything explained"
MOST_KEPT = 100
"""Errors of each list that are kept with a finding that is not explained, besides those that it is about: thousands of
findings may come from one answer with thousands of errors."""
_STEADY = "look for a clock, a counter or a walk over a map that the answer depends on"


class Explainer:
    """Explains mismatches of one type of object."""

    def __init__(
        self, shape: Shape, subject: str, literals: Literals = NO_LITERALS, examples: Sequence[Json] = ()
    ) -> None:
        self.shape, self.subject, self.literals, self.examples = shape, subject, literals, examples
        self.means = Means(lambda case, error: self.repairs(case, [error]))

    def repairs(self, case: Case, errors: Sequence[FieldError]) -> Iterator[tuple[Json, Json]]:
        """Yield new and old with errors repaired, as the type, the sources, examples and the messages suggest."""
        return repairs(case, errors, self.shape, Harvest(literals=self.literals, examples=self.examples))

    def explain(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, served: bool, repetitions: int
    ) -> Generator[list[Case], list[Answer], Finding]:
        """Explain and grade a mismatch, after the case was asked again so often."""
        plain = msgspec.structs.replace(case, id=0)
        composed = [msgspec.structs.replace(case, served=True)] if served and not case.served else []
        if answer.failure is not None:
            composed = []
        again = repeat(plain, repetitions) if mismatch.kind != "self" else []
        said = (yield [*composed, *again]) if composed or again else []
        if composed and said[0].failure is None:
            answer = msgspec.structs.replace(answer, served=said[0].served)
        if count_others(answer, said[len(composed) :]):
            return self.explain_unstable(plain, answer, mismatch, comparator)
        found = [one for one in comparator.compare(plain, answer) if one.signature == mismatch.signature]
        mismatch = found[0] if found else mismatch
        answer = msgspec.structs.replace(answer, id=0)
        finding = yield from judge(plain, answer, mismatch, comparator, subject=self.subject, means=self.means)
        return add_field_source(finding, self.shape)

    def explain_unstable(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, is_gone: bool = False
    ) -> Finding:
        """Tell of a mismatch on a case that gets different answers: no experiment can be trusted.

        With `is_gone` it did not show again at all.
        """
        finding = self._finding(case, msgspec.structs.replace(answer, id=0), mismatch, comparator, "unstable")
        return mark_unstable(msgspec.structs.replace(finding, detail=mismatch.detail), is_gone=is_gone)

    def leave_unexplained(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Finding:
        """Tell of a mismatch as it was met: the run ended before it could be reduced and judged.

        What is known without an experiment is told: nothing else is, and never what looks likely.
        """
        certain = _CERTAIN.get(mismatch.kind) if case.mode == "served" else None
        if certain is not None:
            return self._finding(case, answer, mismatch, comparator, certain)
        # There may be thousands of them on one answer: no list is searched for a cause that nobody is told.
        found = CauseFound("not-explained", f"{mismatch.detail}; {UNEXPLAINED}", _MORE_TIME)
        finding = graded(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, found, self.subject)
        kept, left = _cut(answer, mismatch, comparator)
        if left:
            detail = f"{finding.detail}; {left:,} other errors of this answer are not kept with this finding"
            finding = msgspec.structs.replace(finding, answer=kept, detail=detail)
        return add_field_source(finding, self.shape)

    def _finding(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, cause: Cause) -> Finding:
        """Grade and place a mismatch whose cause is found by no experiment."""
        steps = judge(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, subject=self.subject)
        finding = drive(steps, _no_answers)
        return add_field_source(msgspec.structs.replace(finding, code=cause, cause=cause), self.shape)


def mark_unstable(finding: Finding, is_gone: bool = False) -> Finding:
    """Take back the cause of a finding whose case gets different answers."""
    how = "it does not show" if is_gone else "there is another answer"
    detail = f"{finding.detail}; {how} when the same case is asked again"
    return msgspec.structs.replace(finding, code="unstable", cause="unstable", detail=detail, fix=_STEADY)


def _cut(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> tuple[Answer, int]:
    """Leave out errors beyond what is kept. Returns: the answer, and how many errors of its lists are left out."""
    both = answer.handwritten, answer.declarative
    if max(map(len, both)) <= MOST_KEPT:
        return answer, 0
    handwritten, declarative = (_cut_list(errors, mismatch, comparator) for errors in both)
    left = sum(map(len, both)) - len(handwritten) - len(declarative)
    return msgspec.structs.replace(answer, handwritten=handwritten, declarative=declarative), left


def _cut_list(errors: tuple[FieldError, ...], mismatch: Mismatch, comparator: Comparator) -> tuple[FieldError, ...]:
    about = comparator.concerned(mismatch, errors[MOST_KEPT:])
    return (*errors[:MOST_KEPT], *about)


def _no_answers(experiments: list[Case]) -> list[Answer]:
    """Answer no experiment any more: each gets a failure, which proves nothing."""
    return [Answer(one.id, failure=Failure("worker", "the run has ended")) for one in experiments]


def repairs(case: Case, errors: Sequence[FieldError], shape: Shape, harvest: Harvest) -> Iterator[tuple[Json, Json]]:
    """Yield new and old with errors repaired: all at once, then one after the other, in both objects or in new alone.

    The harvest is one of its own, so that a cause does not depend on what the search has met before.
    """
    if len(errors) > 1:
        yield from _with(case, at_once(errors, case.object, shape, harvest))
    for error in errors:
        for fix in islice(fixes(error, case.object, shape, harvest), tuning.MOST_REPAIRS):
            yield from _with(case, [fix])


def _with(case: Case, edits: Sequence[Edit]) -> Iterator[tuple[Json, Json]]:
    new, old = apply_all(edits, case.object), case.old if case.old is None else apply_all(edits, case.old)
    if old is not None:
        yield new, old
    yield new, case.old


REPETITIONS, DOUBTED = 8, 24
"""How often a reduced case is asked again: where three answers in ten are others, one of twenty such cases gets
through, and one of five thousand once the validators of its kind are known to change their mind."""

ANEW = -1
"""The id of a case that is asked whatever was answered before."""

_Said: TypeAlias = tuple[object, ...]


def repeat(case: Case, times: int) -> list[Case]:
    """Return the questions that ask a case again."""
    return [msgspec.structs.replace(case, id=ANEW)] * times


def count_others(answer: Answer, again: Iterable[Answer]) -> int:
    """Count the answers that say something else. Words, values and order are nobody's: maps are walked in any order."""
    first = _answer_key(answer)
    return sum(_answer_key(one) != first for one in again)


def _answer_key(answer: Answer) -> _Said:
    if answer.failure is not None:
        return answer.failure.stage, answer.failure.panic, *(one.signature for one in failed(answer.failure))
    others = [(version, _keys(errors)) for version, errors in sorted(answer.versions.items())]
    return _keys(answer.handwritten), _keys(answer.declarative), *others


def _keys(errors: Sequence[FieldError]) -> _Said:
    return tuple(sorted((e.type, canonical_path(e.field), e.origin, e.covered, e.level) for e in errors))
