"""Which answers to one case are the same."""

from __future__ import annotations

import pytest

from harness.case import Answer, Failure
from harness.compare.repeating import count_others
from harness.field import FieldError

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
