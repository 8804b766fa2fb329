"""What is refused for a reason that was not met before."""

from __future__ import annotations

from harness.case import Answer
from harness.engine.reasons import Reasons
from harness.field import FieldError


def test_a_reason_is_new_once_at_each_place() -> None:
    """By type, origin and path with any index, of either side; nothing refused is no reason."""
    reasons = Reasons()
    first = Answer(0, (FieldError("FieldValueInvalid", "spec.a[0]"),))
    again = Answer(0, (), (FieldError("FieldValueInvalid", "spec.a[7]"),))
    more = Answer(0, again.declarative, (FieldError("FieldValueInvalid", "spec.a[0]", origin="minimum"),))
    asked = [((), Answer(0)), ((), first), ((), again), (("status",), again), ((), more), ((), more)]
    assert [reasons.is_new(at, answer) for at, answer in asked] == [False, True, False, True, True, False]
