"""A target with a third list: what its own tags report of the objects that it validated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation, RuledKind, TargetInfo, Validated
from harness.compiler import compile_types
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.gotypes.packages import Universe
from harness.subject.api import Api, ApiPackage
from harness.subject.compiledtypes import CompiledTypes
from harness.subject.owntags import OwnTags, own_tags
from harness.targets.target import Closing

GO = """// +k8s:validation-gen=true
type T struct {
	// +k8s:optional
	// +k8s:maxItems=2
	Items []string `json:"items"`
	// +k8s:optional
	// +k8s:eachVal=+k8s:maxLength=1
	Map map[string]string `json:"map"`
	// +k8s:ifEnabled(Gate)=+k8s:forbidden
	// +k8s:optional
	Name string `json:"name"`
}
"""
CUSTOM = """// +k8s:validation-gen=true
type T struct {
	// +k8s:optional
	// +k8s:customValidation
	Items []string `json:"items"`
}
"""
TOO_MANY = FieldError(
    "FieldValueTooMany", "items", "must have at most 2 items", "maxItems", value="3", short_circuit=True
)


class Given(Closing):
    """A target that returns one answer, and records its cases."""

    def __init__(self, answer: Answer, *abilities: str, rules: bool = True, composition: Any = "levels") -> None:
        kind = KindInfo("g", "v1", "T", "ts", "g/v1", type="example.T", rules=rules, composition=composition)
        registered = (RuledKind("g", "v1", "T", "example.T"),)
        self.info = TargetInfo("given", abilities=abilities, kinds=(kind,), ruled=registered)
        self.answer, self.asked, self.closed = answer, list[Case](), 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        return [self.answer for _ in cases]

    def submit(self, cases: Sequence[Case]) -> Any:
        self.asked += cases
        answers = self.ask(cases)
        return type("Pending", (), {"result": lambda _self: answers})()

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def universe(tmp_path: Path) -> Universe:
    """T, to be compiled."""
    file = tmp_path / "types.go"
    file.write_text(f"package example\n\n{GO}")
    return Universe.from_files({"example": [file]})


def compiled(universe: Universe) -> CompiledTypes:
    return CompiledTypes(universe, ["example"], lambda path: compile_types(universe, path))


def given(declarative: Sequence[FieldError] = (), options: dict[str, bool] | None = None, **members: Any) -> Answer:
    validated = {"v1": Validated("example.T", members, options=options or {"Gate": False})}
    return Answer(1, (), tuple(declarative), validated=validated)


CASE = Case(1, "g", "v1", "T", Operation.CREATE, {}, resource="ts", compiled=True)


def ask(universe: Universe, answer: Answer, case: Case = CASE, **more: Any) -> Answer:
    with OwnTags(Given(answer, "validated", **more), universe, lambda: compiled(universe), print) as target:
        [answered] = target.ask([case])
    return answered


def test_the_list_of_the_tags_is_added(universe: Universe) -> None:
    """It is that of the validated object; the lists of the target stay, the validated object is not passed on."""
    answer = ask(universe, given(items=["a", "b", "c"]))
    assert ((), (TOO_MANY,), {}) == (answer.declarative, answer.compiled, answer.validated)
    assert () == ask(universe, given([TOO_MANY], items=["a"])).compiled
    kept = ask(universe, given(items=["a"]), msgspec.structs.replace(CASE, validated=True))
    assert ["v1"] == list(kept.validated)


def test_options_are_those_of_the_target(universe: Universe) -> None:
    """A rule of an option that is on reports, one of an option that is off does not."""
    on, off = (ask(universe, given(options={"Gate": gate}, name="x")).compiled for gate in (True, False))
    assert [["FieldValueForbidden"], []] == [[one.type for one in errors or ()] for errors in (on, off)]


def test_the_order_in_which_go_walks_maps_is_no_difference(universe: Universe) -> None:
    """The list of the tags is then the list of the target itself; any other order is a difference."""
    in_python = ask(universe, given(map={"a": "xx", "b": "xx"})).compiled
    assert in_python is not None
    assert 2 == len(in_python)
    in_go = in_python[::-1]
    assert in_go == ask(universe, given(in_go, map={"a": "xx", "b": "xx"})).compiled
    mixed = (*in_go, TOO_MANY)
    ours = ask(universe, given(mixed, items=["", "", ""], map={"a": "xx", "b": "xx"})).compiled
    assert (TOO_MANY, *in_python) == ours


def test_only_cases_that_ask_for_it_are_changed(universe: Universe) -> None:
    """The target itself is asked for validated objects, of these cases alone, and never for the list of the tags."""
    inner = Given(given(items=["a", "b", "c"]), "validated")
    target = OwnTags(inner, universe, lambda: compiled(universe), print)
    plain = msgspec.structs.replace(CASE, id=2, compiled=False)
    brief = msgspec.structs.replace(CASE, brief=True, validated=True)
    assert [(TOO_MANY,), None] == [answer.compiled for answer in target.ask([brief, plain])]
    assert [(True, False, False), (False, False, False)] == [
        (case.validated, case.brief, case.compiled) for case in inner.asked
    ]
    assert [None] == [answer.compiled for answer in target.ask([plain])]
    assert plain is inner.asked[-1]


def test_what_cannot_be_judged_is_not(universe: Universe) -> None:
    """A failure, an object that does not fit the types, and a kind whose strategy lets the rules of its type lie."""
    failed = msgspec.structs.replace(given(items=["a"]), failure=Failure("decode", "no"))
    assert ask(universe, failed).compiled is None
    assert ask(universe, given(items="a")).compiled is None
    assert ask(universe, given(items=["a", "b", "c"]), rules=False).compiled is None
    assert ask(universe, msgspec.structs.replace(given(), validated={})).compiled is None


def test_the_ability_needs_the_validated_objects(universe: Universe) -> None:
    """A target that does not return them has no third list, whatever it says of itself."""
    for own, expected in (("validated", ("validated", "compiled")), ("compiled", ())):
        target = OwnTags(Given(Answer(1), own), universe, lambda: compiled(universe), print)
        assert expected == target.info.abilities


def test_closing_closes_the_target(universe: Universe) -> None:
    inner = Given(Answer(1))
    OwnTags(inner, universe, lambda: compiled(universe), print).close()
    assert (1, 0) == (inner.closed, inner.restarts)


# The tags of a release or checkout


def asked_of(tmp_path: Path, text: str, composition: str, release: str = "1.37") -> tuple[Answer, list[str]]:
    """Ask a target twice whose API has this text. Returns: the second answer, and the notes."""
    file = tmp_path / "types.go"
    file.write_text(f"package example\n\n{text}")
    universe, notes = Universe.from_files({"example": [file]}), list[str]()
    api = Api("api", release, universe, (ApiPackage("example", "g", "v1", criteria=("true",)),))
    inner = Given(given(items=["a", "b", "c"]), "validated", composition=composition)
    target = OwnTags(inner, universe, lambda: own_tags(api, inner.info), notes.append)
    return target.ask([CASE, CASE])[1], notes


@pytest.mark.parametrize(("composition", "release"), [("levels", "1.37"), ("shadow", "1.36"), ("takeover", "1.35.4")])
def test_the_release_decides_how_tags_are_read(tmp_path: Path, composition: str, release: str) -> None:
    """That of a number is known, that of a checkout follows from how its strategies compose lists."""
    answer, notes = asked_of(tmp_path, GO.replace("ifEnabled(Gate)=+k8s:forbidden", "optional"), composition, release)
    assert (["items"], []) == ([one.field for one in answer.compiled or ()], notes)


@pytest.mark.parametrize(
    ("text", "composition", "why"),
    [
        (CUSTOM, "levels", "handwritten in Go"),
        (GO, "takeover", "1.33, 1.34 or 1.35"),
        (GO.replace("maxItems=2", "maxItems=two"), "levels", "maxItems"),
    ],
)
def test_a_package_that_is_not_judged_is_told_once(tmp_path: Path, text: str, composition: str, why: str) -> None:
    """Handwritten functions, a checkout of an unknown generator, and tags that do not compile; the run goes on."""
    answer, notes = asked_of(tmp_path, text, composition)
    assert answer.compiled is None
    [note] = notes
    assert "the generated code of example is not compared with its tags" in note
    assert why in note


def test_refusing_is_an_error_of_the_package(tmp_path: Path) -> None:
    """Who opens the tags without a target gets it as an error."""
    file = tmp_path / "types.go"
    file.write_text(f"package example\n\n{CUSTOM}")
    universe = Universe.from_files({"example": [file]})
    api = Api("api", "1.37.1", universe, (ApiPackage("example", "g", "v1", criteria=("true",)),))
    with pytest.raises(TargetError):
        own_tags(api, TargetInfo("x")).package("example")
