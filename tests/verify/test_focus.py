"""What a search is pointed at, and how the cases of a field are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation
from harness.field import FieldError
from harness.jsonpath import pattern_of
from harness.report.model.verification import Effort
from harness.verify.change import Change, KindName, Revision, TouchedKind
from harness.verify.focus import Efforts, focus_of, patterns_of, set_values

KIND = ("g", "v1", "T")
INFO = KindInfo("g", "v1", "T", "ts", "g/v1")
SCALE = KindInfo("g", "v1", "Scale", "ts", "autoscaling/v1", subresource="scale")


def change(*kinds: TouchedKind) -> Change:
    """Make a change that touches kinds."""
    return Change(Path(), "suites", Revision("a", "1"), Revision("b", "2"), (), kinds=kinds)


def test_a_kind_as_a_whole_has_no_places_to_lean_to() -> None:
    """Its paths are left out, so that every place gets the same."""
    touched = TouchedKind(KindName(*KIND), ("spec.a", ""))
    assert {KIND: ("spec.a",)} == focus_of(change(touched)).paths
    whole = TouchedKind(KindName(*KIND), ("spec.a",), whole=True)
    assert {KIND: ()} == focus_of(change(whole)).paths


def test_resources_are_chosen_by_the_objects_they_take() -> None:
    """A subresource that takes other objects is none of the kind's."""
    focus = focus_of(change(TouchedKind(KindName(*KIND), ("spec.a",))))
    status = KindInfo("g", "v1", "T", "ts", "g/v1", subresource="status")
    assert ["g/v1/ts", "g/v1/ts/status"] == patterns_of(focus, (INFO, status, SCALE))


@pytest.mark.parametrize(
    ("path", "values"),
    [("a", [{"b": [{"c": 1}, {"c": 2}, {}]}]), ("a.b[*].c", [1, 2]), ("a.b[*]", [{"c": 1}, {"c": 2}, {}]), ("x.y", [])],
)
def test_values_at_a_path(path: str, values: list[Json]) -> None:
    """Items are gone through, what is absent has no value."""
    assert values == set_values({"a": {"b": [{"c": 1}, {"c": 2}, {}]}}, pattern_of(path))


def counted(new: Json, old: Json = None, **answer: object) -> Effort:
    """Count one case for `spec.a`."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    watch = Efforts(KIND, ("spec.a",))
    fields = {name: value for name, value in answer.items() if name != "failure"}
    case = Case(1, "g", "v1", "T", operation, new, old, resource="ts")
    failure = answer.get("failure")
    assert failure is None or isinstance(failure, Failure)
    watch.examine([case], [Answer(1, failure=failure, **fields)], 0.0)  # type: ignore[arg-type]  # lists of errors
    return watch.outcome().paths["spec.a"]


def test_a_case_without_the_field_says_nothing_of_it() -> None:
    """Neither do answers that failed."""
    assert Effort() == counted({"spec": {"b": 1}})
    assert Effort() == counted({"spec": {"a": 1}}, failure=Failure("decode", "no"))


def test_creates_updates_and_what_they_do_to_the_field_are_told_apart() -> None:
    """An update changes the field, keeps it and changes something else, or changes nothing."""
    assert Effort(cases=1, creates=1, accepted=1) == counted({"spec": {"a": 1}})
    assert Effort(cases=1, updates=1, accepted=1, changed=1) == counted({"spec": {"a": 1}}, {"spec": {"a": 2}})
    assert Effort(cases=1, updates=1, accepted=1, kept=1) == counted({"spec": {"a": 1, "b": 1}}, {"spec": {"a": 1}})
    assert Effort(cases=1, updates=1, accepted=1) == counted({"spec": {"a": 1}}, {"spec": {"a": 1}})


def test_an_error_counts_for_its_field() -> None:
    """Errors elsewhere keep a case from being accepted, and say nothing against the field."""
    at, elsewhere = FieldError("FieldValueInvalid", "spec.a[3].b", ""), FieldError("FieldValueInvalid", "spec.ab", "")
    assert Effort(cases=1, creates=1, handwritten=1) == counted({"spec": {}}, handwritten=(at,))
    assert Effort(cases=1, creates=1) == counted({"spec": {"a": 1}}, declarative=(elsewhere,))
