"""Ratcheting is told of what an update left as it was, and not of what another old object hides."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Operation
from harness.compare.cause import no_repairs
from harness.field import FieldError
from harness.jsonpath import put
from tests.compare.builders import answer, case, error, errors
from tests.compare.explaining import BAD, causes, causes_with, is_bad, ratcheting_target, slugs


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


@pytest.mark.parametrize("operations", [(Operation.CREATE, Operation.UPDATE), (Operation.UPDATE,)])
def test_ratcheting(operations: tuple[Operation, ...]) -> None:
    """One side ratchets what the update left alone: shown as a create, or where there is none by another old object."""
    asked = case(BAD, BAD)
    assert slugs(asked, ratcheting_target(False, True), operations=operations) == {"spec.a": "ratcheting"}
    assert slugs(asked, ratcheting_target(True, False), operations=operations) == {"+spec.a": "ratcheting"}
    assert slugs(asked, ratcheting_target(True, True), operations=operations) == {}


def test_one_of_two_values_that_was_there_before_is_no_matter_of_words() -> None:
    """Both sides reject two keys of a map at one path; of the one that an update leaves as it was, one says nothing."""

    def said(keys: list[str], mark: str) -> tuple[FieldError, ...]:
        return tuple(error(f"Invalid@spec.m/format=o {mark}", detail=f"{key} is wrong") for key in keys)

    def ask(asked: Case) -> Answer:
        new, old = (list(obj["spec"].get("m", ())) if obj else [] for obj in (asked.object, asked.old))
        return answer(said(new, "covered"), said([key for key in new if key not in old], "beta"))

    asked = case({"spec": {"m": {"A": 1, "b.c": 1}}}, {"spec": {"m": {"b.c": 1}}})
    [found] = causes(asked, ask).values()
    assert "ratcheting" == found.cause
    assert "the declarative side ratchets" in found.detail


def test_ratcheting_behind_preparation() -> None:
    """Where the server copies the value from the old object, only mode given can show who ratchets."""

    def ask(asked: Case) -> Answer:
        new = asked.object if asked.mode == "given" else {**asked.object, "spec": asked.old["spec"]}
        return ratcheting_target(False, True)(msgspec.structs.replace(asked, object=new))

    assert slugs(case(BAD, BAD), ask, operations=(Operation.UPDATE,)) == {"spec.a": "ratcheting"}


def test_ratcheting_of_what_a_request_leaves_out() -> None:
    """The server copies the whole part from the old object: that object, as a create, shows who ratchets."""

    def ask(asked: Case) -> Answer:
        kept = (asked.old or {}).get("spec") if asked.mode == "served" else None
        new = asked.object if kept is None else {**asked.object, "spec": kept}
        return ratcheting_target(False, True)(msgspec.structs.replace(asked, object=new))

    assert slugs(case({}, BAD), ask, operations=(Operation.UPDATE,)) == {"spec.a": "ratcheting"}


def test_ratcheting_says_whoratcheting_target() -> None:
    """The side that ratchets is named, and ratcheting on the declarative side is wanted."""
    asked = case(BAD, BAD)
    assert "declarative side ratchets" in causes(asked, ratcheting_target(False, True))["spec.a"].detail
    assert "handwritten side ratchets" in causes(asked, ratcheting_target(True, False))["+spec.a"].detail


def test_ratcheting_of_what_changed_is_not_told_as_left_alone() -> None:
    """A check that looks away because of another mistake in the old object: the new value was never stored."""

    def ask(asked: Case) -> Answer:
        away = asked.old is not None and "mistake" in asked.old
        return answer(() if away else errors("Required@spec.a covered"), errors("Required@spec.a beta"))

    changed = causes(case(BAD, {"mistake": 1}), ask)["+spec.a"]
    left = causes(case({**BAD, "mistake": 1}, {**BAD, "mistake": 1}), ask)["+spec.a"]
    assert ("ratcheting", "ratcheting") == (changed.cause, left.cause)
    assert "although the update adds the value with spec" in changed.detail
    assert "which leaves the value as it was" in left.detail
    assert "whether it reports a value that the update changes is not known" in left.detail


def test_no_ratcheting_where_a_create_has_no_rule_either() -> None:
    """A side that never reports it ratchets nothing."""
    asked = case(BAD, BAD)

    def only_handwritten(asked: Case) -> Answer:
        return answer(errors("Invalid@spec.a/minimum covered") if is_bad(asked.object) else ())

    assert slugs(asked, only_handwritten) == {"spec.a": "no-rule"}


def test_ratcheting_of_something_missing() -> None:
    """What is missing in both objects was ratcheted too: without its parent in the old object both sides agree."""

    def ask(asked: Case) -> Answer:
        missing, ratcheted = "a" not in asked.object["spec"], asked.old is not None and "spec" in asked.old
        hv = errors("Required@spec.a covered") if missing else ()
        return answer(hv, () if ratcheted or not missing else errors("Required@spec.a alpha"))

    asked = case({"spec": {}}, {"spec": {}})
    assert slugs(asked, ask, operations=(Operation.UPDATE,)) == {"spec.a": "ratcheting"}


def test_ratcheting_shows_before_a_guess() -> None:
    """Two errors of other types on one field are no pair when a create shows that one side ratchets."""

    def ask(asked: Case) -> Answer:
        twins = errors("Required@spec.a beta") if asked.old is None else ()
        return answer(errors("Required@spec.a covered", "Forbidden@spec.a covered"),
                      (*twins, *errors("Invalid@spec.a beta", "Forbidden@spec.a beta")))  # fmt: skip

    asked = case({"spec": {}}, {"spec": {}})
    assert causes_with(no_repairs, ask, asked)["spec.a"].cause == "ratcheting"


def test_ratcheting_of_a_subresource() -> None:
    """An object is created through the main resource, whatever the subresource of the update."""
    asked = case(BAD, BAD, subresource="status")

    def ask(asked: Case) -> Answer:
        if asked.operation is Operation.UPDATE and asked.old != asked.object:
            return answer(errors("Forbidden@spec/immutable covered"), errors("Forbidden@spec/immutable beta"))
        return ratcheting_target(False, True)(asked)

    found = causes(asked, ask, subresource="status", operations=(Operation.UPDATE,))
    assert (found["spec.a"].cause, "as a create" in found["spec.a"].detail) == ("ratcheting", True)
