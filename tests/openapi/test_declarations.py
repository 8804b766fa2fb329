"""Schemas as declarations: every form that a CRD may have becomes a shape that objects are drawn from."""

from __future__ import annotations

from typing import Any

import pytest

from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.openapi.declarations import declare
from harness.subject.api import SHARED

QUANTITY = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$"


def shape(*variants: dict[str, Any]) -> Shape:
    """The shape of an object whose `spec` has these variants."""
    roots = [{"type": "object", "properties": {"spec": variant}} for variant in variants]
    universe = Universe.of_packages([declare("example.com/v1", {"Thing": roots})], SHARED)
    return shape_of(universe, "example.com/v1.Thing").by_name["spec"].shape


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, "string"), ({"type": "boolean"}, "bool"), ({"type": "number"}, "float"),
        ({"type": "integer"}, "int"), ({"type": "string", "format": "date-time"}, "time"),
        ({"type": "string", "format": "byte"}, "bytes"), ({"type": "string", "format": "duration"}, "duration"),
        ({"x-kubernetes-int-or-string": True}, "int-or-string"),
        ({"x-kubernetes-int-or-string": True, "pattern": QUANTITY}, "quantity"),
        ({"type": "array", "items": {"type": "string"}}, "list"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "struct"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, "raw"),
        ({"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"a": {}}}, "raw"),
        ({"x-kubernetes-preserve-unknown-fields": True}, "raw"), ({}, "any"), ({"type": "nonsense"}, "any"),
    ],
)  # fmt: skip
def test_the_kind_of_a_schema(schema: dict[str, Any], kind: str) -> None:
    """Each form of a schema has the kind of shape whose values it takes."""
    assert kind == shape(schema).kind


def test_an_object_has_a_header() -> None:
    """A root has apiVersion, kind and the metadata of every object, whatever its schema says of them."""
    universe = Universe.of_packages([declare("example.com/v1", {"Thing": [{"properties": {"metadata": {}}}]})], SHARED)
    root = shape_of(universe, "example.com/v1.Thing")
    assert (True, True) == (root.type_meta, root.by_name["metadata"].shape.is_object_meta)
    assert "finalizers" in root.by_name["metadata"].shape.by_name


def test_what_is_required() -> None:
    """A required member is set in small objects, another is not."""
    found = shape(
        {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    )
    assert {"a": False, "b": True} == {field.name: field.omitempty for field in found.fields}


def test_the_variants_of_a_schema_are_one_type() -> None:
    """Two releases have the members and the choices of both, so that what only one knows is tried."""
    old = {"type": "object", "properties": {"a": {"type": "string", "enum": ["X", "Y"]}, "gone": {"type": "integer"}}}
    new = {"type": "object", "properties": {"a": {"type": "string", "enum": ["Y", "Z"]}, "new": {"type": "boolean"}}}
    found = shape(new, old)
    assert ["a", "new", "gone"] == [field.name for field in found.fields]
    assert ("Y", "Z", "X") == found.by_name["a"].shape.choices


def test_the_size_of_an_integer() -> None:
    """An int32 takes no more than one holds."""
    assert (32, 64) == (shape({"type": "integer", "format": "int32"}).bits, shape({"type": "integer"}).bits)


def test_what_all_parts_say() -> None:
    """What stands below allOf counts as if it stood beside it."""
    assert ("A",) == shape({"type": "string", "allOf": [{"enum": ["A"]}]}).choices


def test_members_with_one_name_in_go() -> None:
    """Members whose names become one in Go, such as `a-b` and `aB`, stay apart."""
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    other = {"type": "object", "properties": {"y": {"type": "string"}}}
    found = shape({"type": "object", "properties": {"a-b": inner, "aB": other, "1st": inner}})
    assert ["x", "y", "x"] == [field.shape.fields[0].name for field in found.fields]


def test_a_schema_that_never_ends() -> None:
    """However deep a schema is, its declaration ends."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(150):
        schema = {"type": "array", "items": schema}
    found = shape(schema)
    for _ in range(100):
        found = found.elem
    assert "any" == found.kind
