from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import msgspec

from harness.case import Answer, Case, Json, Operation, Validated
from harness.field import FieldError
from harness.fuzzers.additions import absent_members, possible_changes
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.growth import Growth
from harness.fuzzers.insertions import MAX_FIRST_CASES, MAX_QUICK_CASES, MAX_SECOND_CASES, second_items
from harness.fuzzers.pathbits import PathBits
from harness.fuzzers.typepaths import type_paths
from harness.jsonpath import look
from harness.targets.target import drive
from tests.fuzzers.toys import error, widget_shape

PLAIN: Json = {
    "apiVersion": "toys.example.com/v1",
    "kind": "Widget",
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast"},
}
SHAPE = widget_shape()
Rules = Callable[[Json], list[FieldError]]


class Judge:
    """A target that says what a function says of an object."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.asked = rules, 0

    def ask(self, cases: list[Case]) -> list[Answer]:
        """Answer a batch."""
        self.asked += len(cases)
        return [Answer(case.id, tuple(self.rules(case.object))) for case in cases]


def ask(objects: list[Json]) -> Generator[list[Case], list[Answer], list[Answer]]:
    """Ask about creates."""
    return (yield [Case(number, "", "v1", "Widget", Operation.CREATE, obj) for number, obj in enumerate(objects)])


def grown(rules: Rules, limit: int = 3000, **more: Any) -> tuple[Growth, list[Json], Judge]:
    """Grow the plain widget under these rules."""
    judge = Judge(rules)
    growth = Growth(SHAPE, ask, Harvest(), limit, more.pop("main", PLAIN), **more)
    seeds = drive(growth.run(), judge.ask)
    assert [] == [one for base in seeds for one in rules(base.obj)]
    return growth, [base.obj for base in seeds], judge


def held(obj: Json) -> set[str]:
    """Return the paths that an object has."""
    path_bits = PathBits(SHAPE)
    return set(path_bits.names(path_bits.of(obj)))


def spec_of(obj: Json) -> Json:
    """Return the spec."""
    return obj.get("spec") or {}


def test_with_nothing_forbidden_every_place_is_reached_in_few_questions() -> None:
    """A validator that accepts everything is asked fewer times than there are paths."""
    growth, seeds, judge = grown(lambda obj: [])
    assert set() == set(type_paths(SHAPE)) - growth.accepted
    assert judge.asked < len(type_paths(SHAPE)) / 4
    assert 2 == len(look(seeds[-1], ("spec", "ports")))


def test_members_that_exclude_each_other_stand_in_bases_of_their_own() -> None:
    """Of parent and selector one may be there: both are reached, and no base has both."""

    def rules(obj: Json) -> list[FieldError]:
        both = {"parent", "selector"} <= set(spec_of(obj))
        return [error("Invalid", "spec.parent", "may not be set with `selector`")] if both else []

    growth, seeds, _ = grown(rules)
    assert {"spec.parent", "spec.selector", "spec.selector.matchLabels[*]", "spec.parent.title"} <= growth.accepted
    assert [] == [base for base in seeds if {"parent", "selector"} <= set(spec_of(base))]


def test_another_mode_is_entered_for_a_member_that_needs_it() -> None:
    """A title is for slow widgets alone: the mode changes with it, although the message does not say how."""

    def rules(obj: Json) -> list[FieldError]:
        spec = spec_of(obj)
        return [error("Forbidden", "spec.title", "not now")] if "title" in spec and spec.get("mode") != "Slow" else []

    growth, _, _ = grown(rules)
    assert "spec.title" in growth.accepted


def test_what_is_refused_in_every_way_is_told_with_its_error() -> None:
    """A path that nothing brings in keeps the error, and the rest grows all the same."""

    def rules(obj: Json) -> list[FieldError]:
        return [error("Forbidden", "spec.title", "never")] if "title" in spec_of(obj) else []

    growth, _, _ = grown(rules)
    assert "spec.title: Forbidden: never" == growth.rejected["spec.title"]
    assert "spec.title" not in growth.accepted
    assert {"spec.replicas", "spec.labels[*]"} <= growth.accepted


def test_second_items_differ_where_they_must() -> None:
    """Where names of ports are unique, the second port is another."""

    def rules(obj: Json) -> list[FieldError]:
        names = [port.get("name") for port in spec_of(obj).get("ports") or []]
        twice = [number for number, name in enumerate(names) if name in names[:number]]
        return [error("Duplicate", f"spec.ports[{number}].name") for number in twice]

    growth, seeds, _ = grown(rules)
    assert "spec.ports[1]" in growth.accepted
    assert {"spec.ports", "spec.ports[*]", "spec.ports[1]"} <= held(seeds[-1])


def test_growth_ends_at_its_limit_and_is_the_same_every_time() -> None:
    """Few questions give the same seeds twice; the limit is passed by no more than what was on its way."""

    def rules(obj: Json) -> list[FieldError]:
        return [error("Invalid", f"spec.{name}", "no") for name in ("title", "labels") if name in spec_of(obj)]

    one, other = grown(rules, 40), grown(rules, 40)
    assert one[1] == other[1]
    assert 40 <= one[2].asked < 300


def test_what_the_server_puts_aside_is_not_reached() -> None:
    """An update whose validators never see the title has not reached it."""

    class Forgetful(Judge):
        def ask(self, cases: list[Case]) -> list[Answer]:
            answers = super().ask(cases)
            return [
                msgspec.structs.replace(answer, validated={"v1": Validated("", _without_title(case.object))})
                for case, answer in zip(cases, answers, strict=True)
            ]

    growth = Growth(
        SHAPE, ask, Harvest(), 500, PLAIN, frozenset(), ("spec",), lambda answer, sent: answer.validated["v1"].object,
        frozenset({"spec.title", "spec.replicas"}),
    )  # fmt: skip
    drive(growth.run(), Forgetful(lambda obj: []).ask)
    assert "spec.replicas" in growth.accepted
    assert "spec.title" not in growth.accepted


def _without_title(obj: Json) -> Json:
    return {**obj, "spec": {name: value for name, value in obj["spec"].items() if name != "title"}}


def test_absent_members_take_what_stands_elsewhere_with_the_same_type() -> None:
    """A second struct of a type is like the first one."""
    obj = {**PLAIN, "spec": {"parent": {"selector": {"matchLabels": {"x": "y"}}}}}
    found = {change.path: change.apply(obj) for change in absent_members(obj, SHAPE, (), lambda path: True)}
    assert {"matchLabels": {"x": "y"}} == look(found["spec", "selector"], ("spec", "selector"))
    assert ("metadata", "name") not in found


def test_second_items_are_offered_renamed_first() -> None:
    """The first offer differs in its name, the last one is the same item again."""
    offers = list(second_items({"name": "a", "number": 1}, SHAPE.child("spec").child("ports").elem))
    assert {"name": "ab", "number": 1} == offers[0]
    assert {"name": "a", "number": 1} == offers[-1]


def test_an_update_changes_what_does_not_name_the_object() -> None:
    """Every change leaves name and version alone and lies within no other."""
    obj = {
        **PLAIN,
        "metadata": {"name": "a", "uid": "b", "labels": {"a": "b"}},
        "spec": {"mode": "Fast", "replicas": 1},
    }
    paths = [change.path for change in possible_changes(obj, SHAPE)]
    assert {("spec", "mode"), ("spec", "replicas"), ("spec", "title"), ("metadata", "labels", "a")} <= set(paths)
    assert [] == [path for path in paths if path[-1] in ("name", "uid", "kind", "apiVersion")]
    assert len(set(paths)) == len(paths)


def test_what_is_refused_for_one_lasting_reason_is_given_up_soon() -> None:
    """A member that is forbidden whatever else is said costs a fraction of what a repair without end would."""

    def rules(obj: Json) -> list[FieldError]:
        return [error("Forbidden", "spec.parent", "not here")] if "parent" in spec_of(obj) else []

    growth, _, judge = grown(rules)
    assert "spec.parent" not in growth.accepted
    free = grown(lambda obj: [])[2]
    assert judge.asked - free.asked < MAX_FIRST_CASES + MAX_SECOND_CASES + MAX_QUICK_CASES


def test_a_place_that_cannot_stand_in_the_full_object_is_brought_into_the_plain_one() -> None:
    """A parent is refused where there are labels, which growth has added: it stands in a base without them."""

    def rules(obj: Json) -> list[FieldError]:
        spec = spec_of(obj)
        is_odd = "parent" in spec and len({"labels", "title", "replicas", "ceiling", "ports"} & set(spec)) > 1
        return [error("Invalid", "spec", "odd")] if is_odd else []

    growth, seeds, _ = grown(rules)
    assert {"spec.parent", "spec.labels", "spec.title", "spec.ports[*].name"} <= growth.accepted
    assert any(look(base, ("spec", "parent")) for base in seeds)


def test_the_error_of_the_place_itself_is_told() -> None:
    """A list that is forbidden is told as forbidden, and not by what its item lacks."""

    def rules(obj: Json) -> list[FieldError]:
        ports = spec_of(obj).get("ports")
        if not ports:
            return []
        return [error("Forbidden", "spec.ports", "none here"), error("Required", "spec.ports[0].name", "name it")]

    growth, _, _ = grown(rules)
    assert "spec.ports: Forbidden: none here" == growth.rejected["spec.ports"]
