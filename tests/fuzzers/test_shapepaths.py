from __future__ import annotations

import copy

import pytest

from harness.case import Json
from harness.fuzzers.shapepaths import resolve_path, size, walk_paths, write_path
from harness.jsonpath import ABSENT, JsonPath, put
from tests.fuzzers.toys import widget_shape


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
def test_reported_paths_lead_to_places(path: str, expected: JsonPath) -> None:
    """A path is understood by the shape: keys stay keys, and names are found whatever their case."""
    assert expected == resolve_path(path, widget_shape())[0]


@pytest.mark.parametrize("path", ["spec.ports[1].name", "spec.labels[a]", "spec.labels[0]", "spec.unknown.deep[3]"])
def test_a_path_is_written_as_it_was_read(path: str) -> None:
    """A key that looks like a member is in brackets, because the type has a map there."""
    assert path == write_path(resolve_path(path, widget_shape())[0], widget_shape())


def test_places_are_listed_with_parents_first() -> None:
    """Every member and item is listed once."""
    assert [path for path, _, _ in walk_paths({"a": [{"b": 1}]})] == [("a",), ("a", 0), ("a", 0, "b")]


def test_places_have_the_shapes_of_their_type() -> None:
    """What follows a member that has members of its own has its own shape again; what no type has is anything."""
    spec = {"ports": [{"number": 1}, {"name": "a"}], "labels": {"a": "b"}, "what": {"x": 1}, "replicas": 3}
    found = {path: shape.kind for path, shape, _ in walk_paths(spec, widget_shape().child("spec"), ("spec",))}
    assert found == {
        ("spec", "ports"): "list", ("spec", "ports", 0): "struct", ("spec", "ports", 0, "number"): "int",
        ("spec", "ports", 1): "struct", ("spec", "ports", 1, "name"): "string", ("spec", "labels"): "map",
        ("spec", "labels", "a"): "string", ("spec", "what"): "any", ("spec", "what", "x"): "any",
        ("spec", "replicas"): "int",
    }  # fmt: skip


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
