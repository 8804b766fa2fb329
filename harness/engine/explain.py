"""From a reduced case to a finding: asked once more with the target's own composition, judged, and put in its place."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import islice

import msgspec

from harness.case import Answer, Case, Failure, Json
from harness.compare.cause import judge
from harness.compare.comparator import Comparator
from harness.compare.finding import Cause, Finding
from harness.compare.means import Means, Mend
from harness.compare.mismatch import Mismatch
from harness.engine.placing import in_place
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.mend import Fix, at_once, fixes
from harness.fuzzers.places import put
from harness.fuzzers.shape import Shape
from harness.targets.target import drive

MOST_REPAIRS = 12
"""Repairs of one error: those that come later are seldom what the message means."""

Explained = tuple[Finding, list[Mismatch]]


class Explainer:
    """Explains mismatches of one type of object."""

    def __init__(self, shape: Shape, subject: str) -> None:
        self.shape, self.subject = shape, subject
        self.means = Means(mender(shape))

    def explained(
        self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, served: bool
    ) -> Generator[list[Case], list[Answer], Explained]:
        """Explain and grade a mismatch. Returns the finding, and what the check of the composition said of its case."""
        plain = msgspec.structs.replace(case, id=0)
        composition: list[Mismatch] = []
        if served and not case.served and answer.failure is None:
            (again,) = yield [msgspec.structs.replace(case, served=True)]
            if again.failure is None:
                composition = comparator.recomposed(again)
                answer = msgspec.structs.replace(answer, served=again.served)
        found = [one for one in comparator.compare(plain, answer) if one.signature == mismatch.signature]
        mismatch = found[0] if found else mismatch
        answer = msgspec.structs.replace(answer, id=0)
        finding = yield from judge(plain, answer, mismatch, comparator, subject=self.subject, means=self.means)
        return in_place(finding, self.shape), composition

    def unstable(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Finding:
        """Tell of a mismatch that did not show when the same case was asked again: no experiment can be trusted."""
        finding = self._untried(case, msgspec.structs.replace(answer, id=0), mismatch, comparator, "unstable")
        detail = f"{mismatch.detail}; it does not show when the same case is asked again"
        fix = "look for a clock, a counter or a walk over a map that the answer depends on"
        return msgspec.structs.replace(finding, detail=detail, fix=fix)

    def unexplained(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator) -> Finding:
        """Tell of a mismatch as it was met: the run ended before it could be reduced and judged."""
        return self._untried(case, answer, mismatch, comparator, "unknown")

    def _untried(self, case: Case, answer: Answer, mismatch: Mismatch, comparator: Comparator, cause: Cause) -> Finding:
        """Grade and place a mismatch whose cause is found by no experiment."""
        steps = judge(msgspec.structs.replace(case, id=0), answer, mismatch, comparator, subject=self.subject)
        finding = drive(steps, _unanswered)
        return in_place(msgspec.structs.replace(finding, code=cause, cause=cause), self.shape)


def _unanswered(experiments: list[Case]) -> list[Answer]:
    """Answer no experiment any more: each gets a failure, which proves nothing."""
    return [Answer(one.id, failure=Failure("worker", "the run has ended")) for one in experiments]


def mender(shape: Shape) -> Mend:
    """Return the repairs that a type and an error's own message suggest."""
    return lambda case, error: repairs(case, [error], shape)


def repairs(case: Case, errors: Sequence[FieldError], shape: Shape) -> Iterator[tuple[Json, Json]]:
    """Yield new and old with errors repaired: all at once, then one after the other, in both objects or in new alone.

    A harvest of its own, so that a cause does not depend on what the search has met before.
    """
    harvest = Harvest()
    if len(errors) > 1:
        yield from _with(case, at_once(errors, case.object, shape, harvest))
    for error in errors:
        for fix in islice(fixes(error, case.object, shape, harvest), MOST_REPAIRS):
            yield from _with(case, [fix])


def _with(case: Case, changes: Sequence[Fix]) -> Iterator[tuple[Json, Json]]:
    new, old = case.object, case.old
    for place, value in changes:
        new, old = put(new, place, value), old if old is None else put(old, place, value)
    if old is not None:
        yield new, old
    yield new, case.old
