"""A target with another declarative side: our lists in the place of its own, everything else as it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation, RuledKind, TargetInfo, Validated
from harness.compiler import compile_types
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.gotypes.packages import Universe
from harness.subject.compiledtypes import CompiledTypes
from harness.subject.declarative import PythonDeclarative
from harness.targets.target import Closing

GO = """// +k8s:validation-gen=true
type T struct {
	// +k8s:optional
	// +k8s:beta(since: "1.37")=+k8s:maxLength=3
	Name string `json:"name"`
	// +k8s:immutable
	Fixed string `json:"fixed"`
	// +k8s:subfield(x)=+k8s:required
	Nil *Inner `json:"nil,omitempty"`
}

type Inner struct {
	X string `json:"x"`
}
"""
HANDWRITTEN = FieldError("FieldValueTooLong", "name", "may not be more than 3 characters", "maxLength", covered=True)


class Inner(Closing):
    """A target that returns given answers, and records its cases."""

    def __init__(self, answer: Answer, *abilities: str, ruled: bool = True, rules: bool = True) -> None:
        kind = KindInfo("g", "v1", "T", "ts", "g/v1", type="example.T", rules=rules)
        registered = (RuledKind("g", "v1", "T", "example.T"),) if ruled else ()
        self.info = TargetInfo("inner", abilities=("declarative", *abilities), kinds=(kind,), ruled=registered)
        self.answer, self.asked, self.closed = answer, list[Case](), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        return [self.answer for _ in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        self.asked += cases
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _self: answers})()

    def close(self) -> None:
        self.closed += 1


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> CompiledTypes:
    """T, compiled."""
    file = tmp_path_factory.mktemp("go") / "types.go"
    file.write_text(f"package example\n\n{GO}")
    universe = Universe.from_files({"example": [Path(file)], "bare": [Path(file)]})
    return CompiledTypes(universe, ["example"], lambda path: compile_types(universe, path))


def validated(**members: Any) -> dict[str, Validated]:
    return {"v1": Validated("example.T", {"nil": {"x": "x"}, **members})}


def ask(types: CompiledTypes, answer: Answer, **more: Any) -> Answer:
    case = Case(1, "g", "v1", "T", Operation.CREATE, {}, resource="ts", **more)
    with PythonDeclarative(Inner(answer, "validated"), types) as target:
        [answered] = target.ask([case])
    return answered


def test_our_list_takes_the_place_of_the_targets(types: CompiledTypes) -> None:
    """The handwritten errors stay; the declarative errors and panics of the target are dropped."""
    theirs = (FieldError("FieldValueInvalid", "theirs"),)
    panic = Failure("declarative", "panic", True)
    given = Answer(1, (HANDWRITTEN,), theirs, validated=validated(name="abcd"), failure=panic)
    answer = ask(types, given)
    assert (HANDWRITTEN,) == answer.handwritten
    assert [("name", "beta")] == [(error.field, error.level) for error in answer.declarative]
    assert (None, {}, ()) == (answer.failure, answer.validated, answer.served)


def test_validated_objects_are_used_instead_of_sent_ones(types: CompiledTypes) -> None:
    """Old object, options and subresource are those that the target used, separately for each version."""
    old = Validated("example.T", {"fixed": "a", "nil": {"x": "x"}}, {"fixed": "b", "nil": {"x": "x"}})
    other = Validated("example.T", {"nil": {"x": "x"}}, subresource="status")
    given = Answer(1, validated={"v1": old, "v2": other})
    case = Case(1, "g", "v1", "T", Operation.UPDATE, {}, {}, resource="ts", versions=True)
    with PythonDeclarative(Inner(given, "validated"), types) as target:
        [answer] = target.ask([case])
    assert ["fixed"] == [error.field for error in answer.declarative]
    assert {"v2": ["InternalError"]} == {name: [e.type for e in errors] for name, errors in answer.versions.items()}


def test_served_errors_are_composed_of_both_lists(types: CompiledTypes) -> None:
    """With the beta gate, our error replaces a covered one; the target is not asked to compose."""
    given = Answer(1, (HANDWRITTEN,), validated=validated(name="abcd"))
    inner = Inner(given, "validated")
    case = Case(1, "g", "v1", "T", Operation.CREATE, {}, resource="ts", served=True)
    [answer] = PythonDeclarative(inner, types).ask([case])
    assert [False] == [asked.served for asked in inner.asked]
    counts = {served.setting: [error.covered for error in served.errors] for served in answer.served}
    assert {"beta-on": [False], "beta-off": [True], "graduated": [False]} == counts


def test_failures_of_the_target_and_of_ours_differ(types: CompiledTypes) -> None:
    """A failure of the target stays; our panic is a panic; an object that does not fit the types is not."""
    refused = Failure("decode", "no")
    assert refused == ask(types, Answer(1, failure=refused)).failure
    panicked = ask(types, Answer(1, validated={"v1": Validated("example.T", {})})).failure
    assert ("declarative", True) == (panicked and panicked.stage, panicked and panicked.panic)
    misfit = ask(types, Answer(1, validated=validated(name=1))).failure
    assert misfit is not None
    assert ("convert", False) == (misfit.stage, misfit.panic)
    assert "name: a string is needed" in misfit.message


def test_long_values_are_shortened_as_a_worker_does(types: CompiledTypes) -> None:
    """Else the same value would look like two."""
    given = Answer(1, validated=validated(name="é" * 300, fixed="x"))
    assert all(len(error.value.encode()) < 300 for error in ask(types, given).declarative)


@pytest.mark.parametrize(
    ("ruled", "rules", "expected"), [(True, True, True), (True, False, False), (False, False, True)]
)
def test_kinds_say_whether_compiled_rules_run(types: CompiledTypes, ruled: bool, rules: bool, expected: bool) -> None:
    """A strategy that lets rules lie goes on doing so; a type without any may get its first."""
    inner = Inner(Answer(1), "validated", "served", ruled=ruled, rules=rules)
    target = PythonDeclarative(inner, types)
    assert [expected] == [kind.rules for kind in target.info.kinds]
    assert ("validated",) == target.info.abilities
    assert () == target.info.ruled


def test_packages_that_are_not_given_have_no_rules(types: CompiledTypes) -> None:
    """Though their types are known, and bear tags."""
    assert types.has_rules("example.T")
    assert not types.has_rules("example.Inner")
    assert not types.has_rules("bare.T")
    assert not types.has_rules("example.Nothing")
    assert [] == types.validate(Operation.CREATE, Validated("bare.T", {"name": "abcd"}))


def test_a_target_must_return_validated_objects(types: CompiledTypes) -> None:
    """The error names the ability and a fix."""
    with pytest.raises(TargetError, match="lacks the ability `validated`"):
        PythonDeclarative(Inner(Answer(1)), types)
