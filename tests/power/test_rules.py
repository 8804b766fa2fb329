"""Each operator on compiled rules changes what the validator says of the object that is said to show it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.compiler import Compiled, compile_types
from harness.gotypes.packages import Universe
from harness.power.mutant import Mutant, number_mutants
from harness.power.operators.rules import mutants_of
from harness.suite import Suite
from tests.compiler.fixtures import universe_of

TYPES = """
// +k8s:validation-gen=true
type T struct {
    // +k8s:optional
    // +k8s:maxLength=3
    Name string `json:"name,omitempty"`
    // +k8s:optional
    // +k8s:maxBytes=3
    Bytes string `json:"bytes,omitempty"`
    // +k8s:optional
    // +k8s:format=k8s-long-name
    Long string `json:"long,omitempty"`
    // +k8s:optional
    Mode Mode `json:"mode,omitempty"`
    // +k8s:required
    // +k8s:minimum=5
    Size int32 `json:"size"`
    // +k8s:optional
    // +k8s:listType=map
    // +k8s:listMapKey=a
    // +k8s:listMapKey=b
    Items []Item `json:"items,omitempty"`
    // +k8s:optional
    // +k8s:eachVal=+k8s:maxLength=1
    Texts []string `json:"texts,omitempty"`
    // +k8s:optional
    // +k8s:update=NoUnset
    // +k8s:update=NoModify
    Class *string `json:"class,omitempty"`
    // +k8s:ifEnabled(Extra)=+k8s:forbidden
    Extra *string `json:"extra,omitempty"`
    Choice Choice `json:"choice"`
}

// +k8s:enum
type Mode string

const (
    ModeA Mode = "Aa"
    ModeB Mode = "Bb"
)

type Item struct {
    A string `json:"a"`
    B string `json:"b"`
    // +k8s:maximum=3
    N int32 `json:"n"`
}

type Choice struct {
    // +k8s:optional
    // +k8s:zeroOrOneOfMember
    One *string `json:"one,omitempty"`
    // +k8s:optional
    // +k8s:zeroOrOneOfMember
    Two *string `json:"two,omitempty"`
}
"""
SUITE = Suite("toy", "toys.example.com", ())
FINE: dict[str, Any] = {"size": 5}
OPTIONS = {"Extra": True}


@pytest.fixture(scope="module")
def toy() -> tuple[Universe, Compiled, dict[str, Mutant]]:
    """The types compiled, and every mutant of them by name."""
    universe = universe_of(TYPES)
    compiled = compile_types(universe, "example")
    return universe, compiled, {one.name.partition(" ")[2]: one for one in number_mutants(mutants_of(compiled))}


Toy = tuple[Universe, Compiled, dict[str, Mutant]]


def said(compiled: Compiled, new: Any, old: Any) -> list[Any]:
    """Everything a validator says, short-circuit marks left out."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    errors = compiled.validate("T", operation, new, old, OPTIONS)
    return [(one.type, one.field, one.origin, one.level, one.detail) for one in errors]


def item(a: str, b: str, n: int = 0) -> dict[str, Any]:
    """An item of the keyed list."""
    return {"a": a, "b": b, "n": n}


@pytest.mark.parametrize(
    ("name", "new", "old"),
    [
        ("example.T.name: maxLength: drop", {"name": "abcd"}, None),
        ("example.T.name: maxLength: skip updates", {"name": "abcd"}, {}),
        ("example.T.name: maxLength: change path", {"name": "abcd"}, None),
        ("example.T.name: maxLength: limit + 1", {"name": "abcd"}, None),
        ("example.T.name: maxLength: limit - 1", {"name": "abc"}, None),
        ("example.T.name: maxLength: bytes for characters", {"name": "éé"}, None),
        ("example.T.name: maxLength: level beta", {"name": "abcd"}, None),
        ("example.T.name: unchanged values: no ratcheting", {"name": "abcd"}, {"name": "abcd"}),
        ("example.T.bytes: maxBytes: characters for bytes", {"bytes": "éé"}, None),
        ("example.T.long: format: take a short name for it", {"long": "a.b"}, None),
        ("example.Mode: enum: drop 'Aa'", {"mode": "Aa"}, None),
        ("example.Mode: enum: add 'aa'", {"mode": "aa"}, None),
        ("example.T.size: required: no short-circuit", {"size": 0}, None),
        ("example.T.items: listType: drop key a", {"items": [item("x", "y"), item("z", "y")]}, None),
        ("example.T.items: listType: first duplicate only", {"items": [item("x", "y")] * 3}, None),
        (
            "example.T.items: items: no correlation",
            {"items": [item("x", "y", 9), item("x", "z")]},
            {"items": [item("x", "y", 9)]},
        ),
        ("example.T.texts: each maxLength: first item only", {"texts": ["a", "bb"]}, None),
        ("example.T.class: update: drop NoModify", {"class": "b"}, {"class": "a"}),
        ("example.T.class: update: drop NoUnset", {}, {"class": "a"}),
        ("example.T.extra: forbidden if Extra: invert the option", {"extra": "a"}, None),
        ("example.Choice: zeroOrOneOfMember: forget 'one'", {"choice": {"one": "a", "two": "b"}}, None),
    ],
)
def test_a_mutant_shows_where_it_says(toy: Toy, name: str, new: Any, old: Any) -> None:
    """The mutated validator and the original one disagree about the object, and agree about one without the field."""
    universe, original, mutants = toy
    rework = mutants[name].rework
    assert rework is not None
    broken = rework(SUITE, universe, original)
    new, old = {**FINE, **new}, None if old is None else {**FINE, **old}
    assert said(original, new, old) != said(broken, new, old)
    assert said(original, FINE, None) == said(broken, FINE, None)


def test_names_are_unique_and_last(toy: Toy) -> None:
    """A name says side, place, rule and operator; no two mutants share one, and a second look gives the same."""
    _, compiled, mutants = toy
    again = [one.name.partition(" ")[2] for one in number_mutants(mutants_of(compiled))]
    assert list(mutants) == again
    assert len(again) == len(set(again))


def test_what_makes_no_errors_is_left_alone(toy: Toy) -> None:
    """An optional field has nothing to mutant."""
    assert [] == [name for name in toy[2] if ": optional" in name]


def test_other_packages_stay_as_they_are(toy: Toy) -> None:
    """A mutant of one package is none of another."""
    universe, _, mutants = toy
    other = compile_types(universe_of(TYPES), "example")
    other.package = "another"
    for mutant in mutants.values():
        assert mutant.rework is not None
        assert other is mutant.rework(SUITE, universe, other)
