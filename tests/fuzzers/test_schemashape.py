"""The shape of objects of a JSON Schema: members, kinds and the values that its rules suggest."""

from __future__ import annotations

from typing import Any

import pytest

from harness.fuzzers.feedback import Harvest
from harness.fuzzers.probes import probes_of
from harness.fuzzers.schemashape import UNEXPECTED, shape_of_schemas
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import type_paths
from harness.fuzzers.values import fits, sparse_value
from harness.jsonpath import ABSENT

ORDER: dict[str, Any] = {
    "title": "Order",
    "type": "object",
    "required": ["id", "lines"],
    "properties": {
        "id": {"type": "string", "pattern": "^A[0-9]$"},
        "state": {"enum": ["new", "paid"]},
        "lines": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"$ref": "#/$defs/Line"}},
        "parent": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        "labels": {"type": "object", "additionalProperties": {"type": "integer"}},
        "total": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]},
        "paid": {"type": ["string", "null"], "format": "date-time"},
        "far": {"$ref": "https://example.com/far.json"},
    },
    "$defs": {
        "Line": {
            "type": "object",
            "required": ["sku"],
            "properties": {"sku": {"type": "string", "maxLength": 4}, "count": {"type": "integer", "maximum": 9}},
        }
    },
}


def shape(*schemas: Any) -> Shape:
    return shape_of_schemas("shop", schemas)


def probes(name: str, *schemas: Any) -> list[Any]:
    member = shape(*schemas).by_name[name]
    return list(probes_of(member.shape, ABSENT, member, Harvest()))


def texts(one: Shape) -> set[str]:
    return {value for value in one.own_probes if isinstance(value, str)}


def test_members_have_their_kinds() -> None:
    """Those of references, unions with null, and types of several kinds too."""
    kinds = {one.name: one.shape.kind for one in shape(ORDER).fields}
    assert {
        "id": "string", "state": "string", "lines": "list", "parent": "struct", "labels": "map", "total": "decimal",
        "paid": "time", "far": "any", "unexpected": "any",
    } == kinds  # fmt: skip
    assert ["parent", "paid"] == [
        one.name for one in shape(ORDER).fields if one.pointer and one.shape is not UNEXPECTED
    ]
    assert "shop.Order" == shape(ORDER).type
    assert "shop.Line" == shape(ORDER).child("lines").elem.type


def test_required_members_are_in_every_seed() -> None:
    """And no others are."""
    assert {"id", "lines"} == sparse_value(shape(ORDER)).keys()
    assert [{"sku"}] == [line.keys() for line in sparse_value(shape(ORDER))["lines"]]


def test_a_recursive_schema_is_finite() -> None:
    """Its paths are followed to the second level, and its shape is one object."""
    one = shape(ORDER)
    assert one.child("parent").child("parent").type == one.child("parent").type
    assert "parent.lines[*].sku" in type_paths(one)
    assert 200 > len(type_paths(one))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"}, {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, {"allOf": [{"$ref": "#"}]}, {"$ref": "#/none"}, {},
        {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}] * 50}}}, {"type": 3}, {"enum": 3},
        {"type": "object", "properties": [1], "required": 3}, {"properties": {"a": True}}, {"type": ["null"]},
    ],
)  # fmt: skip
def test_a_schema_that_leads_nowhere_is_a_shape(schema: Any) -> None:
    """Circles, wrong forms and missing definitions end in a shape that knows less."""
    assert isinstance(sparse_value(shape(schema)), object)
    assert shape(schema).is_plain


def test_limits_suggest_values_on_both_sides() -> None:
    """A string, a number and a list at its limit and right beyond it."""
    line = shape(ORDER).child("lines").elem
    assert {"aaaa", "aaaaa", "aaa"} <= texts(line.child("sku"))
    assert {9, 10, 8} <= {one for one in line.child("count").own_probes if isinstance(one, int)}
    assert {1, 4} <= {len(one) for one in probes("lines", ORDER) if isinstance(one, list)}
    assert {0, 0.01, -0.01} <= {one for one in probes("total", ORDER) if isinstance(one, int | float)}


def test_a_pattern_suggests_strings_on_both_sides() -> None:
    """Some that match and some that nearly do, with a line break at the end among them."""
    found = [one for one in probes("id", ORDER) if isinstance(one, str)]
    assert "A0" in found
    assert "A0\n" in found


def test_every_value_has_a_probe_of_another_type() -> None:
    """Validators convert: a number as a string, null, a boolean."""
    found = shape(ORDER).child("lines").elem.child("count").own_probes
    assert {"1", True, None, 1.5} <= {one for one in found if not isinstance(one, list)}


def test_a_member_that_no_schema_names_is_tried_and_not_counted() -> None:
    """Of every struct, under a name that is free."""
    named = {"type": "object", "properties": {"unexpected": {"type": "string"}}}
    assert ["unexpected", "unexpectedField"] == [one.name for one in shape(named).fields]
    assert ["unexpected"] == list(type_paths(shape(named)))


def test_two_schemas_of_one_object_are_merged() -> None:
    """The shape has the members and the limits of both."""
    old = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 7}, "b": {"type": "integer"}}}
    new = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}, "required": ["a"]}
    both = shape(old, new)
    assert {"a", "b", "unexpected"} == both.by_name.keys()
    assert {"a" * 8, "a" * 4} <= texts(both.child("a"))
    assert {} == sparse_value(both)


def test_huge_limits_suggest_nothing() -> None:
    """Nobody waits for a text of a terabyte."""
    huge = {
        "type": "object",
        "properties": {"a": {"type": "string", "maxLength": 1 << 40}, "b": {"type": "array", "minItems": 1 << 40}},
    }
    assert 6000 > max(len(one) for one in probes("a", huge) if isinstance(one, str))
    assert 2000 > max(len(one) for one in probes("b", huge) if isinstance(one, list))


def test_a_decimal_is_a_number_or_a_string() -> None:
    """As pydantic describes a Decimal."""
    total = shape(ORDER).child("total")
    values: list[Any] = ["1.00", 1, 0.5, []]
    assert [True, True, True, False] == [fits(one, total) for one in values]
