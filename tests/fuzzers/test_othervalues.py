"""Other values for a path are of every sort that its shape has, each once, the plainest first."""

from __future__ import annotations

from typing import Any

import pytest

from harness.fuzzers.othervalues import other_values, sibling_values
from harness.fuzzers.shape import Shape
from harness.jsonpath import ABSENT, Edit
from tests.fuzzers.toys import widget_shape

SHAPE = widget_shape()


def tried(obj: Any, field: str, shape: Shape = SHAPE, normalize: Any = str) -> list[Edit]:
    """The edits for a path."""
    return list(other_values(obj, field, shape, normalize))


def test_a_scalar_is_tried_absent_empty_and_with_other_values() -> None:
    """Each once, and not with the value that is there."""
    values = [edit.value for edit in tried({"spec": {"title": "x"}}, "spec.title")]
    assert [ABSENT, ""] == values[:2]
    assert "x" not in values
    assert len(values) == len({repr(value) for value in values}) > 5


def test_an_enum_is_tried_with_its_other_words() -> None:
    """The declared constants are values that both sides may know."""
    values = {edit.value for edit in tried({"spec": {"mode": "?"}}, "spec.mode")}
    assert set(SHAPE.by_name["spec"].shape.by_name["mode"].shape.choices) <= values


def test_an_item_is_tried_as_each_other_item_whole_and_by_member() -> None:
    """Uniqueness may be by the whole item, or by any member of it."""
    first, second = {"name": "a", "port": 1}, {"name": "b", "port": 1}
    edits = tried({"spec": {"ports": [first, second]}}, "spec.ports[1]")
    assert Edit(("spec", "ports", 1), first) in edits
    assert Edit(("spec", "ports", 1, "name"), "a") in edits


def test_a_list_is_tried_with_equal_items_and_a_map_with_other_keys() -> None:
    """Empty too."""
    lists = [edit.value for edit in tried({"spec": {"ports": [{"name": "a"}]}}, "spec.ports")]
    maps = [edit.value for edit in tried({"spec": {"labels": {"a": "b"}}}, "spec.labels")]
    assert [{"name": "a"}, {"name": "a"}] in lists
    assert [] in lists
    assert {} in maps
    assert any(isinstance(one, dict) and one and "a" not in one for one in maps)


def test_a_struct_is_tried_empty_full_and_with_each_member() -> None:
    """A union is told by which of its members are set."""
    values = [edit.value for edit in tried({"spec": {"title": "x"}}, "spec")]
    assert {} in values
    assert any(isinstance(one, dict) and len(one) > 3 for one in values)
    assert any(isinstance(one, dict) and len(one) == 1 for one in values)


def test_without_types_values_of_the_same_kind_are_tried() -> None:
    """Nothing is known of the shape: absent, and the empty value of what is there."""
    unknown = Shape("any")
    assert [ABSENT, ""] == [edit.value for edit in tried({"a": "x"}, "a", unknown)]
    assert [ABSENT, []] == [edit.value for edit in tried({"a": [1]}, "a", unknown)]
    assert [] == tried({}, "a", unknown)
    assert [] == tried({}, "", unknown)


def test_a_path_of_the_internal_type_is_found_in_the_version() -> None:
    """A handwritten error names where the internal type has the value."""
    edits = tried(
        {"spec": {}}, "spec.inner.title", normalize=lambda path: path.replace("spec.title", "spec.inner.title")
    )
    assert {("spec", "title")} == {edit.path for edit in edits}


@pytest.mark.parametrize("path", ["spec.title", "spec.ports[0].name"])
def test_siblings_get_other_values(path: str) -> None:
    """Those of the parents too, the nearest first, and never the path itself."""
    obj = {"spec": {"title": "x", "ports": [{"name": "a"}]}}
    edits = list(sibling_values(obj, path, SHAPE, str))
    paths = [edit.path for edit in edits]
    assert ("spec", "mode") in paths
    assert all(edit.value != "" for edit in edits)
    assert tuple(path.split(".")) not in paths
