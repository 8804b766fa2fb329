"""What was met and not explained is told as it was met, with little work and in little room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.case import Answer, Failure
from harness.compare.comparator import Comparator
from harness.compare.composition import Served
from harness.engine.explain import MOST_KEPT, UNEXPLAINED, Explainer, count_others
from harness.errormatch.matcher import Matcher
from harness.field import FieldError
from harness.fuzzers.shape import Shape
from tests.compare.builders import answer, case, errors, info

MANY = 400
ANSWER = answer(
    errors(*(f"TooMany@spec.a{n}/maxItems covered" for n in range(MANY))),
    errors(*(f"TooMany@spec.b{n}/maxItems" for n in range(MANY))),
)


def test_an_unexplained_finding_keeps_its_errors_and_few_others() -> None:
    """The last error of a list is there, the count of what is left out is told, and a short answer is kept whole."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    mismatch = next(m for m in comparator.compare(case(), ANSWER) if m.path == f"spec.a{MANY - 1}")
    found = explainer.leave_unexplained(case(), ANSWER, mismatch, comparator)
    assert (MOST_KEPT + 1, MOST_KEPT) == (len(found.answer.handwritten), len(found.answer.declarative))
    assert ANSWER.handwritten[-1] == found.answer.handwritten[-1]
    assert found.detail.startswith(f"{mismatch.detail}; {UNEXPLAINED}; {2 * (MANY - MOST_KEPT) - 1} other errors")
    short = answer(ANSWER.handwritten[:1], ANSWER.declarative[:1])
    mismatch = comparator.compare(case(), short)[0]
    found = explainer.leave_unexplained(case(), short, mismatch, comparator)
    assert (short, f"{mismatch.detail}; {UNEXPLAINED}") == (found.answer, found.detail)


def test_many_findings_of_one_answer_compare_no_two_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each would look at every pair of errors, and nobody would be told what it found."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    mismatches = comparator.compare(case(), ANSWER)
    asked = list[FieldError]()

    def matches(matcher: Matcher, want: FieldError, got: FieldError) -> bool:
        asked.append(got)
        return False

    monkeypatch.setattr(Matcher, "matches", matches)
    found = {explainer.leave_unexplained(case(), ANSWER, one, comparator).fingerprint for one in mismatches}
    assert len(mismatches) >= MANY
    assert (len(mismatches), 0) == (len(found), len(asked))


def test_the_lists_of_one_answer_are_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many differences of it are graded, until another answer comes."""
    comparator, composed = Comparator(info()), list[int]()
    original = comparator._lists.served_of

    def served_of(handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> list[Served]:
        composed.append(1)
        return original(handwritten, declarative)

    monkeypatch.setattr(comparator._lists, "served_of", served_of)
    first = comparator.served(ANSWER)
    assert (first, 1) == (comparator.served(ANSWER), len(composed))
    other = answer(ANSWER.handwritten[:1], ANSWER.declarative)
    assert first != comparator.served(other)
    assert 2 == len(composed)


ONE = FieldError("FieldValueInvalid", "spec.a[0]", "one of a, b", "enum", covered=True)
ELSEWHERE = FieldError("FieldValueInvalid", "spec.a[1]", "one of b, a", "enum", covered=True)
OTHER = FieldError("FieldValueRequired", "spec.b", "")
FIRST = Answer(1, (ONE, OTHER), (ONE,))


@pytest.mark.parametrize(
    ("again", "others"),
    [
        (Answer(2, (OTHER, ONE), (ONE,)), 0),
        (
            Answer(2, (ELSEWHERE, OTHER), (ONE,)),
            0,
        ),
        (Answer(2, (ONE,), (ONE,)), 1),
        (Answer(2, (ONE, ONE, OTHER), (ONE,)), 1),
        (Answer(2, (ONE, OTHER), (OTHER,)), 1),
        (Answer(2, (ONE, OTHER), (ONE,), versions={"v2": (ONE,)}), 1),
        (Answer(2, failure=Failure("handwritten", "IndexError: 3", panic=True)), 1),
    ],
)
def test_an_answer_is_another_when_it_has_other_errors(again: Answer, others: int) -> None:
    """In any order, in any words and at any item they are the same: validators walk maps in any order."""
    assert others == count_others(FIRST, [FIRST, again])


def test_a_crash_is_the_same_whatever_address_it_names() -> None:
    """Another stage or another message is another crash."""
    first = Answer(1, failure=Failure("handwritten", "nil at 0x12af", panic=True))
    same = Answer(1, failure=Failure("handwritten", "nil at 0x99ff", panic=True))
    other = Answer(1, failure=Failure("declarative", "nil at 0x12af", panic=True))
    assert 1 == count_others(first, [same, other])
