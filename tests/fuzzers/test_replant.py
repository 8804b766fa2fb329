"""The differing value in other objects: alone, in other letters, and with what contains it."""

from __future__ import annotations

import pytest

from harness.case import Json
from harness.field import ErrorType
from harness.fuzzers.pairs import Pair
from harness.fuzzers.replant import FOLDING, in_other_letters, replants
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.jsonpath import ABSENT, JsonPath

BARE: Json = {"kind": "A"}
FULL: Json = {"kind": "A", "spec": {"items": [{"name": "x", "size": 1}], "more": 1}}


def planted(
    found: Json,
    *seeds: Json,
    path: JsonPath = ("spec", "items", 0, "size"),
    type: str = ErrorType.REQUIRED,
) -> list[Json]:
    """Return the objects of a create."""
    return [new for new, _ in replants((found, None), path, type, [(seed, None) for seed in seeds])]


def test_the_value_goes_first_where_most_around_it_exists() -> None:
    """Then into objects with less, and then with each value that contains it."""
    found = {"kind": "A", "spec": {"items": [{"size": 9}]}}
    assert planted(found, BARE, FULL)[:3] == [
        {"kind": "A", "spec": {"items": [{"name": "x", "size": 9}], "more": 1}},
        {"kind": "A", "spec": {"items": [{"size": 9}]}},
        {"kind": "A", "spec": {"items": [{"size": 9}], "more": 1}},
    ]


def test_a_value_that_is_missing_is_removed() -> None:
    """A difference may be about a member that is not there."""
    found = {"kind": "A", "spec": {"items": [{"name": "y"}]}}
    assert planted(found, FULL)[0] == {"kind": "A", "spec": {"items": [{"name": "x"}], "more": 1}}


def test_an_item_beyond_the_list_is_the_first_one() -> None:
    """An index of the found object says nothing of another one's list."""
    found = {"spec": {"items": [{}, {}, {"size": 9}]}}
    new = planted(found, FULL, path=("spec", "items", 2, "size"))[0]
    assert new["spec"]["items"] == [{"name": "x", "size": 9}]


@pytest.mark.parametrize(("kept", "before"), [(True, 9), (False, 1)])
def test_an_update_takes_both_values(kept: bool, before: int) -> None:
    """What the found update left as it was is the same in both objects; what it changed is changed here too."""
    found: Pair = {"spec": {"items": [{"size": 9}]}}, {"spec": {"items": [{"size": 9 if kept else 1}]}}
    new, old = next(replants(found, ("spec", "items", 0, "size"), ErrorType.INVALID, [(FULL, FULL)]))
    assert (9, before) == (new["spec"]["items"][0]["size"], old["spec"]["items"][0]["size"])


def test_a_duplicate_is_one_of_the_items_that_are_there() -> None:
    """The item of the found object has a key that no item of this one has."""
    found = {"spec": {"items": [{"name": "y"}, {"name": "y"}]}}
    first = planted(found, FULL, path=("spec", "items", 1), type=ErrorType.DUPLICATE)[0]
    assert first["spec"]["items"] == FULL["spec"]["items"] * 2


def test_a_text_is_tried_in_letters_that_fold() -> None:
    """As many characters and more bytes, of letters that are ASCII ones in another case."""
    texts = list(in_other_letters("aéé"))
    assert [f"a{letter}{letter}" for letter in FOLDING] == texts[:3]
    assert {"k", "i", "s"} >= {letter.lower() for letter in FOLDING[:1]} | {FOLDING[2].upper().lower()}
    assert {3} == {len(text) for text in texts}


def test_a_plain_text_gets_one_such_letter() -> None:
    """A format may accept all but one of its characters."""
    assert "a\u212aa" == next(in_other_letters("aaa"))
    assert [] == list(in_other_letters("")) + list(in_other_letters(3)) + list(in_other_letters(ABSENT))


def test_the_whole_object_is_put_nowhere() -> None:
    """An error at the root has no value that another object could get."""
    assert [] == planted(FULL, BARE, path=())


CLAIM = """package v1

type Claim struct {
	Allocation Allocation `json:"allocation"`
	Devices    []Device   `json:"devices"`
	Spares     []Device   `json:"spares"`
	Names      []Named    `json:"names"`
}

type Allocation struct {
	Results []Result `json:"results"`
}

type Result struct {
	Request string `json:"request"`
	Driver  string `json:"driver"`
	Number  int    `json:"number"`
}

type Device struct {
	Driver     string      `json:"driver"`
	Number     int         `json:"number"`
	Conditions []Condition `json:"conditions"`
}

type Condition struct {
	Reason string `json:"reason"`
}

type Named struct {
	Driver string `json:"driver"`
}
"""


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """Claims, whose devices must be among what was allocated."""
    file = tmp_path_factory.mktemp("claims") / "types.go"
    file.write_text(CLAIM)
    return shape_of(Universe.from_files({"x.io/v1": [file]}), "x.io/v1.Claim")


def test_what_an_item_names_is_there_before_and_after(claims: Shape) -> None:
    """Each device once, by all of its members that results have; not by one name, and not in a list of devices."""
    device: Json = {"driver": "é", "number": 3, "conditions": [{}]}
    new, old = {"devices": [device, device]}, {"devices": [device]}
    path: JsonPath = ("devices", 0, "conditions", 0, "reason")
    named = {"allocation": {"results": [{"driver": "é", "number": 3}]}}
    assert [({**new, **named}, {**old, **named})] == list(replants((new, old), path, ErrorType.REQUIRED, [], claims))
    assert [({**new, **named}, None)] == list(replants((new, None), path, ErrorType.REQUIRED, [], claims))


def test_what_is_named_already_stays(claims: Shape) -> None:
    """A list that has items says itself what it has, and an item with one name names nothing."""
    path: JsonPath = ("devices", 0, "driver")
    for found in (
        {"devices": [{"driver": "a", "number": 3}], "allocation": {"results": [{"driver": "b"}]}},
        {"devices": [{"driver": "a"}]},
        {"devices": "a"},
    ):
        assert [] == list(replants((found, None), path, ErrorType.REQUIRED, [], claims))
