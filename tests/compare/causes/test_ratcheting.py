"""What another old object hides is not ratcheted."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Answer, Case
from harness.jsonpath import put
from tests.compare.builders import answer, case, errors
from tests.compare.explaining import causes_with


def stops_early(origin: str) -> Any:
    """The check ends after an error about the source where the update changes which is set; the rule goes on."""

    def ask(asked: Case) -> Answer:
        new, old = asked.object["spec"], (asked.old or {}).get("spec", {})
        first = errors(f"Invalid@spec.source/{origin}") if new.get("source") != old.get("source") else ()
        wrong = new.get("size") == 0 and old.get("size") != 0
        check = first or (errors("Invalid@spec.size/o covered") if wrong else ())
        return answer(check, errors("Invalid@spec.size/o beta") if wrong else ())

    return ask


def repair(asked: Case, wrong: Any) -> Any:
    """Set what is missing in the new object."""
    yield put(asked.object, tuple(wrong.field.split(".")), {"pool": 1}), asked.old


@pytest.mark.parametrize(("origin", "cause"), [("other", "masked"), ("immutable", "ratcheting")])
def test_an_error_that_goes_with_the_old_object_may_be_what_the_check_ends_with(origin: str, cause: str) -> None:
    """Against another old object both sides agree, for then the first error is gone. One about a change is repaired by
    another old object too, which proves nothing of the check.
    """
    given = case({"spec": {"size": 0}}, {"spec": {"source": {"pool": 1}}})
    found = causes_with(repair, stops_early(origin), given)["spec.size"]
    assert cause == found.cause
    if cause == "masked":
        assert "does not get to its check because of spec.source: Invalid value" in found.detail
