"""Updates between empty and absent values: where they are asked, and what counts as heard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, Json, KindInfo, Operation
from harness.errormatch.trusted import NO_WORDINGS
from harness.field import FieldError
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.graduate.empties import LateProbes, ask_empties, compared_at, effects_of, patterns_below, updates_of
from harness.graduate.empties import write_pattern as text
from harness.graduate.observer import Asked, Watched
from harness.jsonpath import look
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule
from tests.graduate.test_observer import STATUS

TYPES = """package v1
type Toy struct {
	Spec Spec `json:"spec"`
}
type Spec struct {
	Name string `json:"name"`
	Parts []Part `json:"parts"`
	Labels map[string]string `json:"labels"`
}
type Part struct {
	Names []string `json:"names"`
	Inner *Part `json:"inner"`
}
"""
INFO = KindInfo(group="toys", version="v1", kind="Toy", resource="toys", api_version="toys/v1", type="toys/v1.Toy")
KNOWN = KnownRule(
    DeclaredRule("toys", "v1", "Toy", "spec", "FieldValueInvalid", "immutable", "beta", "k8s:immutable"),
    "toys/v1.Toy", ("spec",), ("spec",), "unchanged", update=True,
)  # fmt: skip
RULE = FieldError("FieldValueInvalid", "spec", "field is immutable", "immutable", level="beta")
CHECK = FieldError("FieldValueInvalid", "spec", "field is immutable", "immutable", covered=True)
OTHER = FieldError("FieldValueRequired", "spec.name", "")
BASE = {"spec": {"parts": [{"names": ["a"]}]}}
PATHS = ["spec", "spec.labels", "spec.parts", "spec.parts[*].inner", "spec.parts[*].names"]

Judge = Callable[[Case], tuple[list[FieldError], list[FieldError]]]


@pytest.fixture
def shape(tmp_path: Path) -> Shape:
    """The shape of a kind with a list of structs, and a type within itself."""
    file = tmp_path / "types.go"
    file.write_text(TYPES, encoding="utf-8")
    return shape_of(Universe.from_files({"toys/v1": [file]}), "toys/v1.Toy")


def probes(shape: Shape, judge: Judge, known: KnownRule = KNOWN, **answer: Any) -> LateProbes:
    """What the updates show to validators that judge so."""

    def ask(cases: Sequence[Case]) -> list[Answer]:
        found = []
        for one in cases:
            handwritten, declarative = judge(one)
            found.append(Answer(one.id, tuple(handwritten), tuple(declarative), **answer))
        return found

    target = SimpleNamespace(ask=ask, info=SimpleNamespace(kinds=(INFO, STATUS)))
    subject: Any = SimpleNamespace(target=target, shape=lambda info: shape, spec=SimpleNamespace(mode="served"))
    update = Asked("toys/v1 toys update", "v1", "", "update")
    seen = Watched({"update": update}, {}, compared=[INFO.case(Operation.CREATE, BASE)])
    return ask_empties(subject, known, seen, NO_WORDINGS)


def alike(one: Case) -> tuple[list[FieldError], list[FieldError]]:
    """Both sides let it through."""
    return [], []


def test_every_list_map_and_struct_is_asked_about(shape: Shape) -> None:
    """The value itself and all below, with a type within itself once."""
    assert PATHS == sorted(map(text, patterns_below(shape, ("spec",))))


def test_updates_go_both_ways_at_each_path(shape: Shape) -> None:
    """In the object that was accepted, and in one with nothing beside the empty value."""
    found = list(updates_of(BASE, ("spec",), {("spec", "parts", "[*]", "inner")}, shape))
    first: Json = {"spec": {"parts": [{"names": ["a"], "inner": {}}]}}
    alone: Json = {"spec": {"parts": [{"inner": {}}]}}
    assert [(True, first, BASE), (False, BASE, first)] == [one[1:] for one in found[:2]]
    assert [(True, alone, {"spec": {"parts": [{}]}}), (False, {"spec": {"parts": [{}]}}, alone)] == [
        one[1:] for one in found[2:]
    ]


def test_what_is_not_there_is_made(shape: Shape) -> None:
    """A list that no accepted object has gets an item."""
    [(_, _, new, old), _] = updates_of({"spec": {}}, ("spec",), {("spec", "parts", "[*]", "names")}, shape)
    assert ({"spec": {"parts": [{"names": []}]}}, {"spec": {"parts": [{}]}}) == (new, old)


def test_sides_that_compare_alike_show_nothing(shape: Shape) -> None:
    """Whether both let it through, or both reject it."""
    for judge in (alike, lambda one: ([CHECK], [RULE])):
        found = probes(shape, judge)
        assert ([], set()) == (found.shown, found.unheard)


def test_a_check_that_compares_otherwise_is_shown(shape: Shape) -> None:
    """The smallest update of each effect, as one that leaves the value alone."""
    empty: Json = {"spec": {"parts": [{"names": []}]}}
    found = effects_of(probes(shape, lambda one: ([CHECK] if one.object == empty else [], [])))
    assert ["accepted (ratcheting)"] == list(found)
    assert (empty, {"spec": {"parts": [{}]}}) == (
        found["accepted (ratcheting)"].case.object,
        found["accepted (ratcheting)"].case.old,
    )


def test_one_direction_is_not_enough(shape: Shape) -> None:
    """An error of something else may have come before those of the rule."""
    found = probes(shape, lambda one: ([OTHER] if look(one.object, ("spec", "labels")) == {} else [], []))
    assert {"spec.labels"} == found.unheard


def test_errors_of_others_that_hide_nothing_are_no_gap(shape: Shape) -> None:
    """Both report a value that goes, beside the same errors."""

    def judge(one: Case) -> tuple[list[FieldError], list[FieldError]]:
        return ([OTHER, CHECK], [RULE]) if ("spec" in one.object) != ("spec" in one.old) else ([OTHER], [])

    assert set() == probes(shape, judge).unheard


@pytest.mark.parametrize("answer", [{"unreachable": "409"}, {"failure": Failure("decode", "no")}])
def test_requests_that_reach_no_validator_show_nothing(shape: Shape, answer: dict[str, Any]) -> None:
    """A server answers them itself."""
    found = probes(shape, lambda one: ([CHECK], []), **answer)
    assert ([], set(PATHS)) == (found.shown, found.unheard)


def test_other_rules_need_no_update_that_is_heard(shape: Shape) -> None:
    """What ratchets is asked from its first list on, and other errors of bad objects are no gap."""
    known = msgspec.structs.replace(KNOWN, update=False, steps=("spec", "parts", "[*]", "names"))
    assert ("spec", "parts") == compared_at(known)
    found = probes(shape, lambda one: ([OTHER], []), known)
    assert (True, set()) == (found.asked > 0, found.unheard)
