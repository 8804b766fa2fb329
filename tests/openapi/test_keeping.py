"""What the schema of another generator keeps of tags: its words are compared, and what they say of zero values."""

from __future__ import annotations

from typing import Any

import pytest

from harness.compiler.build import Builder
from harness.openapi.keeping import TagFate, TagKeeping
from harness.tags.release import release_of
from tests.compiler.fixtures import universe_of


def fates(go: str, schema: dict[str, Any], **more: Any) -> list[TagFate]:
    """What became of the tags of T in a schema."""
    universe = universe_of(go.replace("type T struct", "// +k8s:validation-gen=true\ntype T struct"))
    plan = Builder(universe, "example", release_of("1.37"), {}).build()
    return list(TagKeeping(universe, plan, set(), **more).read("example.T", schema))


def fate(tags: str, go: str, member: dict[str, Any], *required: str) -> tuple[str, str]:
    """What became of the last tag of a member f that is no `optional`, and why."""
    lines = "".join(f"\t// {tag}\n" for tag in tags.split("\n"))
    schema = {"properties": {"f": member}, "required": list(required)}
    found = fates(f'type T struct {{\n{lines}\tF {go} `json:"f"`\n}}', schema)
    last = [one for one in found if one.tag != "k8s:optional"][-1]
    return last.fate, last.why


ENUM = '// +k8s:enum\ntype E string\n\nconst (\n\tA E = "A"\n\tB E = "B"\n)\n\n'


@pytest.mark.parametrize(
    ("wanted", "tags", "go", "member", "required"),
    [
        ("kept", "+k8s:maxItems=3", "[]string", {"maxItems": 3}, ()),
        ("changed", "+k8s:maxItems=3", "[]string", {"maxItems": 4}, ()),
        ("dropped", "+k8s:maxItems=3", "[]string", {"type": "array"}, ()),
        ("dropped", "+k8s:format=k8s-short-name", "string", {"type": "string"}, ()),
        ("dropped", "+k8s:alpha=+k8s:maxLength=3", "string", {"type": "string"}, ()),
        ("kept", "+k8s:eachVal=+k8s:maxLength=3", "[]string", {"items": {"maxLength": 3}}, ()),
        ("dropped", "+k8s:eachVal=+k8s:maxLength=3", "[]string", {"items": {}}, ()),
        ("kept", "+k8s:listType=set", "[]string", {"x-kubernetes-list-type": "set"}, ()),
        ("dropped", "+k8s:listType=set", "[]string", {"x-kubernetes-list-type": "atomic"}, ()),
        ("changed", "+k8s:ifEnabled(A)=+k8s:maxLength=3", "*string", {"maxLength": 3}, ()),
        # what Go takes for absent
        ("kept", "+k8s:required", "string", {"minLength": 1}, ("f",)),
        ("changed", "+k8s:required", "string", {}, ("f",)),
        ("dropped", "+k8s:required", "string", {"minLength": 1}, ()),
        ("kept", "+k8s:required", "*string", {}, ("f",)),
        ("changed", "+k8s:required", "*string", {"minLength": 1}, ("f",)),
        ("changed", "+k8s:required", "int32", {}, ("f",)),
        ("kept", "+k8s:minimum=1", "*int32", {"minimum": 1}, ()),
        ("changed", "+k8s:minimum=1", "int32", {"minimum": 1}, ()),
        ("kept", "+k8s:minimum=1", "int32", {"minimum": 1}, ("f",)),
        ("changed", "+k8s:optional\n+k8s:minimum=1", "int32", {"minimum": 1}, ()),
        ("kept", "+k8s:optional\n+k8s:minimum=0", "int32", {"minimum": 0}, ()),
        # updates
        ("dropped", "+k8s:immutable", "string", {}, ()),
        ("changed", "+k8s:immutable", "string", {"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, ()),
        ("kept", "+k8s:immutable", "string", {"x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, ("f",)),
    ],
)
def test_a_tag_is_kept_changed_or_dropped(
    wanted: str, tags: str, go: str, member: dict[str, Any], required: tuple[str, ...]
) -> None:
    """And what is not kept has a reason."""
    found, why = fate(tags, go, member, *required)
    assert (wanted, wanted != "kept") == (found, bool(why))


def test_values_are_compared_in_any_order() -> None:
    """And a value that is missing is a change, in which both are named."""
    field = ENUM + 'type T struct {\n\tF E `json:"f"`\n}'
    reversed_, short = ({"properties": {"f": {"enum": values}}, "required": ["f"]} for values in (["B", "A"], ["B"]))
    assert [("E", "kept")] == [(one.place, one.fate) for one in fates(field, reversed_)]
    assert ["enum is B, and the tag says A, B"] == [one.why for one in fates(field, short)]


def test_optional_is_changed_where_the_schema_requires() -> None:
    """And kept otherwise."""
    go = 'type T struct {\n\t// +k8s:optional\n\tF string `json:"f"`\n}'
    told = [fates(go, {"properties": {"f": {}}, "required": names}) for names in ([], ["f"])]
    assert [["kept"], ["changed"]] == [[one.fate for one in found] for found in told]


def test_types_are_read_once_and_behind_references() -> None:
    """The second use of a type has the tags of the first."""
    go = 'type T struct {\n\tA S `json:"a"`\n\tB []S `json:"b"`\n}\n\ntype S struct {\n\t// +k8s:maxLength=3\n'
    go += '\tF *string `json:"f"`\n}'
    named = {"properties": {"f": {"maxLength": 3}}}
    schema = {"properties": {"a": {"$ref": "S"}, "b": {"items": {"$ref": "S"}}}}
    found = fates(go, schema, resolve=lambda one: named if "$ref" in one else one)
    assert [("S.f", "kept", "k8s:maxLength")] == [(one.place, one.fate, one.tag) for one in found]
