"""What was met and not explained is told as it was met, with little work and in little room."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from harness.compare.comparator import Comparator
from harness.compare.served import Served
from harness.engine.explain import MOST_KEPT, UNEXPLAINED, Explainer
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
    found = explainer.unexplained(case(), ANSWER, mismatch, comparator)
    assert (MOST_KEPT + 1, MOST_KEPT) == (len(found.answer.handwritten), len(found.answer.declarative))
    assert ANSWER.handwritten[-1] == found.answer.handwritten[-1]
    assert found.detail.startswith(f"{mismatch.detail}; {UNEXPLAINED}; {2 * (MANY - MOST_KEPT) - 1} other errors")
    short = answer(ANSWER.handwritten[:1], ANSWER.declarative[:1])
    mismatch = comparator.compare(case(), short)[0]
    found = explainer.unexplained(case(), short, mismatch, comparator)
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
    found = {explainer.unexplained(case(), ANSWER, one, comparator).fingerprint for one in mismatches}
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
