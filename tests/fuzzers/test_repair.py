from __future__ import annotations

import pytest

from harness.case import Answer, Case, Json, Operation
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.fixes import fixes
from harness.fuzzers.growth import Growth
from harness.fuzzers.repair import Repair, first_candidates, is_accepted
from harness.jsonpath import put
from harness.targets.target import drive
from tests.fuzzers.toys import ToyTarget, declarative, error, handwritten, named_ports_shape, widget_shape

ROOT: Json = {"apiVersion": "toys.example.com/v1", "kind": "Widget", "metadata": {"name": "a"}}


def ask(objects: list[Json]):  # type: ignore[no-untyped-def]  # a generator of batches, as `Ask` says
    """Ask about creates."""
    cases = [Case(index, "", "v1", "Widget", Operation.CREATE, obj) for index, obj in enumerate(objects)]
    return (yield cases)


def nobody(objects: list[Json]):  # type: ignore[no-untyped-def]  # as above
    """Ask nothing: there is nothing left to ask with."""
    return (yield [])


def test_an_object_that_both_sides_accept_is_found_by_repair() -> None:
    """From a name alone, within two hundred questions: enum, list, number and matching selector are learned."""
    target = ToyTarget()
    repaired = drive(Repair(widget_shape(), ask, Harvest()).run(first_candidates(widget_shape(), ROOT)), target.ask)
    assert repaired.accepted
    assert handwritten(repaired.obj, None) + declarative(repaired.obj, None) == []
    assert target.asked <= 200


def test_what_cannot_be_repaired_says_what_remained() -> None:
    """Without an accepted object the errors of the best candidate are returned."""

    class Stubborn(ToyTarget):
        def _answer(self, case: Case) -> Answer:
            answer = super()._answer(case)
            no = error("Invalid", "metadata.name", "never")
            return type(answer)(answer.id, (*answer.handwritten, no), answer.declarative, failure=answer.failure)

    repair = Repair(widget_shape(), ask, Harvest(), limit=600)
    repaired = drive(repair.run(first_candidates(widget_shape(), ROOT)), Stubborn().ask)
    assert not repaired.accepted
    assert repaired.remaining == ("metadata.name: Invalid value: never",)
    assert ("handwritten",) == repaired.sides
    assert repaired.asked <= 700


def test_what_nothing_silences_is_told_first_with_who_reports_it() -> None:
    """An error that some change took away blocks nothing, however early its path in the object is."""
    never, also_never = error("Invalid", "spec.zone", "never"), error("Invalid", "api", "never")

    def answer(cases: list[Case]) -> list[Answer]:
        kept = [
            () if "spec" in case.object else (error("Required", "apiVersion", "spec comes first"),) for case in cases
        ]
        return [Answer(case.id, (never, *first), (never, also_never)) for case, first in zip(cases, kept, strict=True)]

    repair = Repair(widget_shape(), ask, Harvest(), limit=60)
    repaired = drive(repair.run([ROOT]), answer)
    assert ("api: Invalid value: never", "spec.zone: Invalid value: never") == repaired.remaining[:2]
    assert ("declarative", "both") == repaired.sides[:2]


def test_what_was_never_asked_says_nothing() -> None:
    """A share that is used up before the first question leaves no error to tell."""
    assert () == drive(Repair(widget_shape(), nobody, Harvest()).run([ROOT]), ToyTarget().ask).remaining


def test_first_candidates_are_asked_about_few_at_once_until_one_is_accepted() -> None:
    """Of five, two and two are asked about; the fourth is accepted, so that the fifth is never asked about."""
    first: list[Json] = [{**ROOT, "spec": {"mode": f"Odd{number}"}} for number in range(5)]
    target = ToyTarget()
    first[3] = drive(Repair(widget_shape(), ask, Harvest()).run(first_candidates(widget_shape(), ROOT)), target.ask).obj
    batches: list[int] = []

    def told(cases: list[Case]) -> list[Answer]:
        batches.append(len(cases))
        return target.ask(cases)

    repaired = drive(Repair(widget_shape(), ask, Harvest(), first_batch=2).run(first), told)
    assert [2, 2] == batches
    assert first[3] == repaired.obj


def test_growth_brings_every_optional_member_into_an_accepted_object() -> None:
    """After growth each member that a validator allows stands in some base, and all seeds are accepted."""
    target, shape = ToyTarget(), widget_shape()
    repaired = drive(Repair(shape, ask, Harvest()).run(first_candidates(shape, ROOT)), target.ask)
    seeds = drive(Growth(shape, ask, Harvest(), 900, repaired.obj).run(), target.ask)
    assert {"replicas", "mode", "title", "ports", "labels", "selector", "parent", "ceiling"} == set(
        seeds[0].obj["spec"]
    )
    cases = [Case(0, "", "v1", "Widget", Operation.CREATE, base.obj) for base in seeds]
    assert all(is_accepted(answer) for answer in target.ask(cases))


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (error("NotSupported", "spec.mode", 'supported values: "Fast", "Slow"'), (("spec", "mode"), "Fast")),
        (error("Forbidden", "spec.title"), (("spec", "title"), None)),
        (error("TooLong", "spec.title", "may not be more than 3 bytes"), (("spec", "title"), "lon")),
        (error("TooMany", "spec.ports", "must have at most 1 items"), (("spec", "ports"), [{"name": "x"}])),
        (error("Duplicate", "spec.ports[1].name"), (("spec", "ports", 1), None)),
        (error("Invalid", "spec.replicas", "must be at least 3"), (("spec", "replicas"), 3)),
        (error("Invalid", "spec.title", "a name (e.g. 'my-name')"), (("spec", "title"), "my-name")),
        (error("Required", "spec", "must specify one of: `parent`, `selector`"), (("spec", "parent"), {})),
        (error("Invalid", "spec.labels", "no match"), (("spec", "labels"), {"b": "c"})),
    ],
)
def test_the_first_fix_is_what_the_message_says(problem: FieldError, expected: tuple[Json, Json]) -> None:
    """Each sort of error leads to the likeliest change first, or early."""
    spec = {
        "mode": "Odd", "title": "long title", "ports": [{"name": "x"}, {"name": "x"}], "replicas": 1, "labels": {},
    }  # fmt: skip
    if problem.field == "spec.labels":
        spec["selector"] = {"matchLabels": {"b": "c"}}
    obj = {**ROOT, "spec": spec}
    early = [put(obj, *fix) for fix, _ in zip(fixes(problem, obj, widget_shape(), Harvest()), range(4), strict=False)]
    path, value = expected
    wanted = put(obj, path, value) if value is not None else None
    if wanted is None:
        assert len(early[0]["spec"].get("ports", [])) < 2 or "title" not in early[0]["spec"]
    else:
        assert wanted in early


def test_a_name_that_is_not_found_becomes_a_key() -> None:
    """A map of structs around the value gets an entry with it; an empty name is none, and a map of texts gets none."""
    obj = {**ROOT, "spec": {"title": "some", "ports": {"a": {}}, "labels": {"a": "b"}}}
    wrong = error("NotFound", "spec.title")
    first = next(fixes(wrong, obj, named_ports_shape(), Harvest()))
    assert ("spec", "ports", "some") == first.path
    nameless = put(obj, ("spec", "title"), "")
    assert ("spec", "ports", "") not in {one.path for one in fixes(wrong, nameless, named_ports_shape(), Harvest())}
    assert ("spec", "labels", "some") not in {one.path for one in fixes(wrong, obj, widget_shape(), Harvest())}


def test_two_fields_that_must_be_equal_are_made_equal() -> None:
    """A message that names another field speaks of the value that stands there."""
    root = {**ROOT, "metadata": {"name": "a", "namespace": "quite-elsewhere"}}

    def answer(cases: list[Case]) -> list[Answer]:
        equal = [case.object.get("spec", {}).get("mode") == case.object["metadata"]["namespace"] for case in cases]
        no = error("Invalid", "spec.mode", "must match metadata.namespace")
        return [Answer(case.id, () if is_equal else (no,)) for case, is_equal in zip(cases, equal, strict=True)]

    repaired = drive(Repair(widget_shape(), ask, Harvest(), limit=60).run([root]), answer)
    assert (True, "quite-elsewhere") == (repaired.accepted, repaired.obj["spec"]["mode"])
