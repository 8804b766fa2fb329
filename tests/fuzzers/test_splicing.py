from __future__ import annotations

from collections.abc import Callable

from harness.case import Json
from harness.field import FieldError
from harness.fuzzers.donors import Donor, name_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.growth import Growth
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.splicing import splice_in
from harness.targets.target import drive
from tests.fuzzers.test_growth import PLAIN, SHAPE, Judge, ask, spec_of
from tests.fuzzers.toys import error

FULL: Json = {"mode": "Slow", "title": "a", "replicas": 1, "labels": {"a": "b"}, "ports": [{"name": "a", "number": 1}]}
OTHER: Json = {**FULL, "selector": {"matchLabels": {"a": "b"}}}
SPEC = frozenset({name_of(SHAPE.child("spec"))})


def grow_from_donors(
    rules: Callable[[Json], list[FieldError]], refused: dict[str, str] | None = None
) -> tuple[Growth, Judge]:
    """Splice two specs into the plain widget."""
    seeds = [SeedObject({"spec": FULL}), SeedObject({"spec": OTHER}, ("spec", "selector"))]
    donor = Donor(SHAPE, SPEC, seeds, refused or {}, is_ready=True)
    growth, judge = Growth(SHAPE, ask, Harvest(), 1000, PLAIN), Judge(rules)
    drive(splice_in(growth, [donor]), judge.ask)
    return growth, judge


def test_what_is_accepted_as_it_is_takes_one_question_each() -> None:
    """The fullest value becomes the object, the other one a variant of it."""
    growth, judge = grow_from_donors(lambda obj: [])
    assert FULL == growth.main["spec"]
    assert [(OTHER, ("spec", "selector"))] == [(base.obj["spec"], base.focus) for base in growth.variants]
    assert 2 == judge.asked
    assert {"spec.replicas", "spec.selector.matchLabels[*]", "spec.ports[*].number"} <= growth.accepted


def test_what_a_kind_forbids_is_left_out_of_every_value() -> None:
    """A kind without titles, in another mode, gets all the rest; the second value needs no question more for it."""

    def rules(obj: Json) -> list[FieldError]:
        spec = spec_of(obj)
        found = [error("Forbidden", "spec.title", "no titles")] if "title" in spec else []
        return found or ([] if spec.get("mode") == "Fast" else [error("NotSupported", "spec.mode", 'one of "Fast"')])

    growth, judge = grow_from_donors(rules)
    expected = {**FULL, "mode": "Fast"}
    del expected["title"]
    assert expected == growth.main["spec"]
    assert [{**expected, "selector": OTHER["selector"]}] == [base.obj["spec"] for base in growth.variants]
    assert 4 == judge.asked


def test_another_value_is_taken_where_the_fullest_cannot_be() -> None:
    """A kind that wants a certain selector takes the value that has it."""

    def rules(obj: Json) -> list[FieldError]:
        return [] if OTHER["selector"] == spec_of(obj).get("selector") else [error("Invalid", "spec", "odd")]

    growth, _ = grow_from_donors(rules)
    assert OTHER == growth.main["spec"]


def test_where_nothing_can_be_borrowed_growth_starts_from_its_own() -> None:
    """A kind that refuses every value keeps its object."""
    growth, _ = grow_from_donors(lambda obj: [error("Invalid", "spec", "never")])
    assert PLAIN == growth.main
    assert [] == growth.variants


def test_what_the_donor_gave_up_is_tried_once_and_told_with_its_error() -> None:
    """A path that another search could not bring in costs no repair here."""

    def rules(obj: Json) -> list[FieldError]:
        return [error("Forbidden", "spec.parent", "not here")] if "parent" in spec_of(obj) else []

    costs = []
    for refused in ({}, {"spec.parent": "spec.parent: Forbidden: not there"}):
        growth, judge = grow_from_donors(rules, refused)
        drive(growth.run(), judge.ask)
        assert "spec.parent: Forbidden: not here" == growth.rejected["spec.parent"]
        costs.append(judge.asked)
    assert costs[1] < costs[0] - 10
