"""Long lists, and other members beside a value: where they are asked, and what they show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation
from harness.errormatch.trusted import NO_WORDINGS
from harness.field import FieldError
from harness.fuzzers.shape import ANY, Shape, shape_of
from harness.gotypes.packages import Universe
from harness.graduate.empties import LateProbes
from harness.graduate.observer import Watched
from harness.graduate.surroundings import ask_surroundings, beside, lengthened
from harness.jsonpath import ITEMS
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule

INFO = KindInfo(group="toys", version="v1", kind="Toy", resource="toys", api_version="toys/v1", type="toys/v1.Toy")
KNOWN = KnownRule(
    DeclaredRule("toys", "v1", "Toy", "parts[*].names", "FieldValueRequired", "", "beta", "k8s:required"),
    "toys/v1.Toy", ("parts[*].names",), ("parts", ITEMS, "names"), "there",
)  # fmt: skip
RULE = FieldError("FieldValueRequired", "parts[0].names", "", level="beta")
CHECK = FieldError("FieldValueRequired", "parts[0].names", "", covered=True)
TOO_MANY = FieldError("FieldValueTooMany", "parts", "must have at most 1000 items")
CASE = INFO.case(Operation.CREATE, {"parts": [{"names": []}, {"names": ["a"]}]})


def probes(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], example: Case | None = CASE, **answer: Any
) -> LateProbes:
    """What a long list shows to validators that answer so."""

    def ask(cases: Sequence[Case]) -> list[Answer]:
        return [Answer(one.id, tuple(handwritten), tuple(declarative), **answer) for one in cases]

    return probes_of(ask, ANY, example)


def probes_of(ask: Callable[[Sequence[Case]], list[Answer]], shape: Shape, example: Case | None) -> LateProbes:
    """What other surroundings of an example show, of objects that have a shape."""
    subject: Any = SimpleNamespace(
        target=SimpleNamespace(ask=ask, info=SimpleNamespace(kinds=(INFO,))), shape=lambda info: shape
    )
    return ask_surroundings(subject, KNOWN, Watched({}, {}, example=example), NO_WORDINGS)


def test_a_check_behind_an_early_return_is_told() -> None:
    """The check looks at no item of a list that is too long, and the rule does: an error is added with the gate off."""
    found = probes([TOO_MANY], [RULE])
    assert (1, ["added"], 2001) == (
        found.asked, [one.name for one in found.shown], len(found.shown[0].case.object["parts"]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("handwritten", "declarative"), [([TOO_MANY, CHECK], [RULE]), ([TOO_MANY], []), ([CHECK], [RULE])]
)
def test_two_sides_that_do_the_same_show_nothing(handwritten: list[FieldError], declarative: list[FieldError]) -> None:
    """Both look at the items, or neither does, or there is no limit."""
    assert LateProbes(asked=1) == probes(handwritten, declarative)


def test_without_an_answer_nothing_is_shown() -> None:
    """A case that fails, no case of the check at all, and one of a request that is not served."""
    assert [] == probes([TOO_MANY], [RULE], failure=Failure("handwritten", "it is too long")).shown
    assert LateProbes() == probes([TOO_MANY], [RULE], example=None)
    assert LateProbes() == probes([TOO_MANY], [RULE], example=msgspec.structs.replace(CASE, subresource="status"))


def test_every_list_and_map_around_the_value_is_made_longer_alone() -> None:
    """The items come again in order, keys are made; what is absent or empty stays as it is."""
    known = msgspec.structs.replace(KNOWN, steps=("parts", ITEMS, "names", ITEMS, ITEMS))
    obj = {"parts": [{"names": {"a": [1, 2]}}, {"names": {}}], "other": [1]}
    sizes = [
        (len(one["parts"]), len(one["parts"][0]["names"]), len(one["parts"][0]["names"]["a"]))
        for one in lengthened(obj, known)
    ]
    assert [(2001, 1, 2), (2, 2002, 2), (2, 1, 2001)] == sizes
    [first, *_] = lengthened(obj, known)
    assert (obj["parts"], [1]) == (first["parts"][-3:-1], first["other"])
    assert [] == [*lengthened({"parts": []}, known), *lengthened({}, known)]


TYPES = """package v1
type Toy struct {
	More string `json:"more,omitempty"`
	Parts []Part `json:"parts"`
}
type Part struct {
	Names []string `json:"names"`
	Other *Part `json:"other,omitempty"`
	Kept string `json:"kept,omitempty"`
}
"""


def test_a_check_in_another_branch_is_told(tmp_path: Path) -> None:
    """Each member beside the value and its parents is set, set otherwise, or left out, one at a time."""
    file = tmp_path / "types.go"
    file.write_text(TYPES, encoding="utf-8")
    shape = shape_of(Universe.from_files({"toys/v1": [file]}), "toys/v1.Toy")
    obj = {"parts": [{"names": [], "kept": "a"}]}
    made = [*beside(obj, KNOWN, shape)]
    assert {"parts": [{"names": []}]} in made
    assert any("other" in one["parts"][0] and one["parts"][0]["kept"] == "a" for one in made)
    assert any("more" in one and one["parts"] == obj["parts"] for one in made)

    def ask(cases: Sequence[Case]) -> list[Answer]:
        return [Answer(one.id, () if "other" in one.object["parts"][0] else (CHECK,), (RULE,)) for one in cases]

    shown = probes_of(ask, shape, msgspec.structs.replace(CASE, object=obj)).shown
    assert {"rejected"} == {one.name for one in shown}
    assert all("other" in one.case.object["parts"][0] for one in shown)
