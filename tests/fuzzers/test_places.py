from __future__ import annotations

import copy

import pytest

from harness.case import Json
from harness.fuzzers.places import (
    ABSENT,
    Place,
    count_differences,
    differences,
    insert,
    later_first,
    look,
    place_of,
    places,
    put,
    remove,
    size,
)
from tests.fuzzers.toys import widget_shape


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        (("a",), 2, {"a": 2, "b": [1, 2]}),
        (("c", "d"), 1, {"a": 1, "b": [1, 2], "c": {"d": 1}}),
        (("b", 0), 7, {"a": 1, "b": [7, 2]}),
        (("b", 9), 7, {"a": 1, "b": [1, 2, 7]}),
        (("b", 0), ABSENT, {"a": 1, "b": [2]}),
        (("a",), ABSENT, {"b": [1, 2]}),
        (("x", "y"), ABSENT, {"a": 1, "b": [1, 2]}),
        (("a", "y"), 1, {"a": {"y": 1}, "b": [1, 2]}),
    ],
)
def test_put_changes_one_place_of_a_copy(place: Place, value: Json, expected: Json) -> None:
    """A copy has the change; the object is as it was."""
    obj = {"a": 1, "b": [1, 2]}
    assert expected == put(obj, place, value)
    assert obj == {"a": 1, "b": [1, 2]}


def test_a_copy_shares_what_does_not_lie_on_the_way() -> None:
    """Siblings of the changed place are the very same objects."""
    obj: Json = {"a": {"x": 1}, "b": {"y": 1}}
    assert put(obj, ("a", "x"), 2)["b"] is obj["b"]


def test_insert_and_remove_are_inverse() -> None:
    """An item that was put in and taken out leaves the list as it was."""
    obj = {"b": [1, 2]}
    assert insert(obj, ("b", 1), 9) == {"b": [1, 9, 2]}
    assert obj == remove(insert(obj, ("b", 1), 9), ("b", 1))


def test_look_finds_what_is_there_and_says_what_is_not() -> None:
    """A place that leads nowhere is absent, which is not null."""
    assert look({"a": [{"b": None}]}, ("a", 0, "b")) is None
    assert look({"a": [{}]}, ("a", 0, "b")) is ABSENT
    assert look({"a": 1}, ("a", 0)) is ABSENT


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.ports[1].name", ("spec", "ports", 1, "name")),
        ("spec.labels[example.com/a]", ("spec", "labels", "example.com/a")),
        ("spec.labels[0]", ("spec", "labels", "0")),
        ("spec.ports[tcp]", ("spec", "ports", 0)),
        ("Spec.Ports[0].NUMBER", ("spec", "ports", 0, "number")),
        ("spec.unknown.deep[3]", ("spec", "unknown", "deep", 3)),
        ("<nil>", ()),
        ("", ()),
    ],
)
def test_reported_paths_lead_to_places(path: str, expected: Place) -> None:
    """A path is understood by the shape: keys stay keys, and names are found whatever their case."""
    assert expected == place_of(path, widget_shape())[0]


def test_places_are_listed_with_parents_first() -> None:
    """Every member and item is listed once."""
    assert [place for place, _, _ in places({"a": [{"b": 1}]})] == [("a",), ("a", 0), ("a", 0, "b")]


def test_places_have_the_shapes_of_their_type() -> None:
    """What follows a member that has members of its own has its own shape again; what no type has is anything."""
    spec = {"ports": [{"number": 1}, {"name": "a"}], "labels": {"a": "b"}, "what": {"x": 1}, "replicas": 3}
    found = {place: shape.kind for place, shape, _ in places(spec, widget_shape().child("spec"), ("spec",))}
    assert found == {
        ("spec", "ports"): "list", ("spec", "ports", 0): "struct", ("spec", "ports", 0, "number"): "int",
        ("spec", "ports", 1): "struct", ("spec", "ports", 1, "name"): "string", ("spec", "labels"): "map",
        ("spec", "labels", "a"): "string", ("spec", "what"): "any", ("spec", "what", "x"): "any",
        ("spec", "replicas"): "int",
    }  # fmt: skip


def test_differences_are_as_deep_as_they_can_be() -> None:
    """Lists of different lengths differ as a whole, everything else where it differs."""
    new = {"a": {"x": 1, "y": 2}, "b": [1, 2], "c": [1]}
    old = {"a": {"x": 1, "y": 3}, "b": [1, 3], "c": [1, 2], "d": 1}
    assert list(differences(new, old)) == [("a", "y"), ("b", 1), ("c",), ("d",)]
    assert list(differences(new, dict(new))) == []


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({"a": {"x": 1, "y": 2}, "b": [1, 2], "c": 1}, {"a": {"x": 1, "y": 3}, "b": [1, 3], "d": 1}),
        ({"a": None}, {}),
        ({}, {"a": None, "b": {"c": 1}}),
        ({"a": [1]}, {"a": [1, 2]}),
        ({"a": [{"b": 1}, {"c": 2}]}, {"a": [{"b": 2}, {}]}),
        ({"a": True}, {"a": 1}),
        ({"a": True, "b": 1}, {"a": 1, "b": 2}),
        (1, "a"),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_differences_are_counted_as_they_are_listed(new: Json, old: Json) -> None:
    """Counting is the quick way to the number of what is listed."""
    assert len(list(differences(new, old))) == count_differences(new, old)
    assert len(list(differences(old, new))) == count_differences(old, new)


def test_plain_and_small_objects_measure_less() -> None:
    """Fewer members, shorter strings, plainer letters and smaller numbers are smaller."""
    assert size({}) < size({"a": 0}) < size({"a": 1}) < size({"a": "x"}) < size({"a": "aaa"}) < size({"a": "xxx"})


def test_sizes_do_not_depend_on_what_was_measured_before() -> None:
    """Equal objects have equal sizes, whichever parts of them were measured already."""
    part: Json = {"name": "ab", "port": -3}
    whole: Json = {"items": [part, part, None, True], "n": 1.5}
    before = size(whole)
    assert [size(part), before] == [size(copy.deepcopy(part)), size(copy.deepcopy(whole))]
    assert size(put(whole, ("items", 0), ABSENT)) == before - 8 - size(part)


def test_of_list_items_the_last_is_removed_first() -> None:
    """Indexes are numbers, so that the eleventh item goes before the third; what lies within a place goes before it."""
    obj: Json = {"items": [{"n": number} for number in range(12)]}
    changes = [(("items", at), ABSENT) for at in (2, 10, 9)] + [(("items", 10, "n"), 0)]
    ordered = later_first(changes)
    assert [place[1:] for place, _ in ordered] == [(10, "n"), (10,), (9,), (2,)]
    for place, value in ordered:
        obj = put(obj, place, value)
    assert [item["n"] for item in obj["items"]] == [0, 1, 3, 4, 5, 6, 7, 8, 11]
