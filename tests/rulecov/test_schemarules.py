"""The rules of schemas: each constraint and each CEL rule, with the error that a server reports for it."""

from __future__ import annotations

from typing import Any

import pytest

from harness.fuzzers.aimedpairs import BESIDE
from harness.rulecov.inventory import KnownRule
from harness.rulecov.schemarules import VersionName, schema_inventory

NAME = VersionName("example.com", "v1", "T")


def rules(schema: dict[str, Any]) -> list[KnownRule]:
    """The rules of a schema with one member, `spec`."""
    top = {"type": "object", "properties": {"kind": {"type": "string", "maxLength": 1}, "spec": schema}}
    return list(schema_inventory([(NAME, top)]).rules)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "maxLength": 3}, ("spec", "FieldValueTooLong", "", 3)),
        ({"type": "string", "minLength": 1}, ("spec", "FieldValueInvalid", "minLength", 1)),
        ({"type": "string", "pattern": "^a$"}, ("spec", "FieldValueInvalid", "pattern", None)),
        ({"type": "string", "enum": ["a"]}, ("spec", "FieldValueNotSupported", "", None)),
        ({"type": "string", "format": "ipv4"}, ("spec", "FieldValueTypeInvalid", "type", None)),
        ({"type": "integer", "minimum": 1}, ("spec", "FieldValueInvalid", "minimum", 1)),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, ("spec", "FieldValueInvalid", "maximum", 8)),
        ({"type": "integer", "minimum": 9, "exclusiveMinimum": True}, ("spec", "FieldValueInvalid", "minimum", 10)),
        ({"type": "number", "maximum": 0.5}, ("spec", "FieldValueInvalid", "maximum", None)),
        ({"type": "integer", "multipleOf": 2}, ("spec", "FieldValueInvalid", "multipleOf", None)),
        ({"type": "array", "maxItems": 2}, ("spec", "FieldValueTooMany", "", 2)),
        ({"type": "array", "items": {"type": "string", "maxLength": 2}}, ("spec[*]", "FieldValueTooLong", "", 2)),
        ({"type": "array", "x-kubernetes-list-type": "set"}, ("spec[*]", "FieldValueDuplicate", "", None)),
        ({"type": "object", "minProperties": 1}, ("spec", "FieldValueInvalid", "minProperties", 1)),
        ({"type": "object", "required": ["a"]}, ("spec.a", "FieldValueRequired", "", None)),
        ({"type": "object", "oneOf": [{"required": ["a"]}]}, ("spec", "FieldValueInvalid", "oneOf", None)),
        ({"allOf": [{"maxLength": 5}, {"maxLength": 4}], "type": "string"}, ("spec", "FieldValueTooLong", "", 4)),
    ],
)
def test_the_error_of_a_constraint(schema: dict[str, Any], expected: tuple[str, str, str, int | None]) -> None:
    """Path, type and origin are those that the worker reports, and the limit is the last value that it accepts."""
    assert [expected] == [(one.rule.path, one.rule.type, one.rule.origin, one.limit) for one in rules(schema)]


@pytest.mark.parametrize(
    "schema",
    [
        {"x-kubernetes-validations": {"rule": "a"}}, {"x-kubernetes-validations": ["self.a"]}, {"required": "a"},
        {"required": [1, None]}, {"allOf": {}}, {"maximum": True}, {"format": ["a"], "type": "string"},
        {"items": [], "additionalProperties": True}, {"minimum": "1"},
    ],
)  # fmt: skip
def test_what_is_no_schema_has_no_rules(schema: dict[str, Any]) -> None:
    """The server says why it refuses the definition; what is well-formed beside it is listed."""
    members: dict[str, Any] = {"a": {"type": "string", "maxLength": 2}, "b": None, "c": []}
    top = {"type": "object", "properties": members}
    assert ["maxLength"] == [one.rule.tag for one in schema_inventory([(NAME, {**top, **schema})]).rules]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 0}, {"type": "integer", "format": "int32"}, {"type": "string", "format": "own"},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    ],
)  # fmt: skip
def test_what_no_object_violates_is_no_rule(schema: dict[str, Any]) -> None:
    """Limits of nothing, and words that only name a type."""
    assert [] == rules(schema)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"rule": "self.a > 1"}, ("spec[*]", "FieldValueInvalid", "there", False)),
        ({"rule": "self == oldSelf", "reason": "FieldValueForbidden"},
         ("spec[*]", "FieldValueForbidden", "both", True)),
        ({"rule": "self.a != 'oldSelf'", "fieldPath": ".a.b"}, ("spec[*].a.b", "FieldValueInvalid", "there", False)),
        ({"rule": "self == oldSelf.orValue(self)", "optionalOldSelf": True, "fieldPath": "['a']"},
         ("spec[*][*]", "FieldValueInvalid", "there", False)),
    ],
)  # fmt: skip
def test_the_error_of_a_cel_rule(rule: dict[str, Any], expected: tuple[str, str, str, bool]) -> None:
    """Its place in the schema is its origin; one about changes is only seen to accept by an update."""
    found = rules({"type": "array", "items": {"type": "object", "x-kubernetes-validations": [{"rule": "true"}, rule]}})
    assert "spec[*].x-kubernetes-validations[1]" in [one.rule.origin for one in found]
    second = next(one for one in found if one.rule.origin.endswith("[1]"))
    assert expected == (second.rule.path, second.rule.type, second.judge, second.update)
    assert " ".join(rule["rule"].split()) == second.rule.tag


def test_what_a_union_wants() -> None:
    """A rule within a member of a union names the type that the member is for, and the members that are not."""
    member = {"type": "object", "properties": {"x": {"type": "string", "maxLength": 1}}}
    kinds = {"type": "string", "enum": ["Mirror", "Redirect"]}
    found = rules({"type": "object", "properties": {"type": kinds, "mirror": member, "redirect": member}})
    assert {"spec.type": "Mirror", "spec.redirect": None} == found[0].argument[BESIDE]
    assert ["spec.mirror.x", "spec.redirect.x", "spec.type"] == [one.rule.path for one in found]
    assert BESIDE not in found[2].argument
