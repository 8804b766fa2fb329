"""Paths in objects: read as validators write them, and values found, put and removed where they lead."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Json
from harness.export import gowords
from harness.field import Path
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import (
    ABSENT,
    ITEMS,
    Edit,
    JsonPath,
    apply_all,
    canonical_path,
    count_differences,
    differences,
    edits_to,
    find,
    first_items,
    insert,
    is_below,
    is_regular,
    is_within,
    join,
    later_first,
    leads_to,
    look,
    parent_of,
    parse,
    path_of,
    pattern_of,
    put,
    remove,
    segments,
    struct_of,
    values_at,
    walk,
    without_subscripts,
    write,
)

# Field paths and canonical paths

KEYS = ["app", "a/b.c", "a]b", "a[b", "a[b]", "[]", "]", "a]]b", "", "a b", "é", "0", '{"name": "x"}', "a\nb"]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_what_stands_between_the_brackets(key: str) -> None:
    """Whoever reads a path reads a key as it was written, whatever it holds: all go by one reading."""
    path = str(Path().child("metadata", "annotations").key(key))
    obj = {"metadata": {"annotations": {key: "here"}}}
    assert [("metadata", False), ("annotations", False), (key, True)] == [(*step,) for step in parse(path)]
    assert ("metadata.annotations[*]", "here") == (canonical_path(path), look(obj, path_of(path)))
    if key != "0":  # an index, as far as anybody knows who has no types
        assert "here" == look(obj, resolve_path(path)[0])
        assert gowords.write_path(path).startswith('field.NewPath("metadata", "annotations").Key(')


@pytest.mark.parametrize("key", [key for key in KEYS if key])
def test_a_path_goes_on_behind_a_key(key: str) -> None:
    """What comes behind a key is read as well, another subscript and another member."""
    path = str(Path().child("a").key(key).index(3).child("b"))
    assert [("a", False), (key, True), ("3", True), ("b", False)] == [(*step,) for step in parse(path)]
    assert "a[*][*].b" == canonical_path(path)


@pytest.mark.parametrize(
    ("path", "steps", "canonical"),
    [
        ("<nil>", [], ""),
        ("", [], ""),
        ("[0].a", [("0", True), ("a", False)], "[*].a"),
        ("a[b", [("a", False), ("b", False)], "a[b"),
        ("a[b]c", [("a", False), ("b", True), ("c", False)], "a[*]c"),
        ("a..b.", [("a", False), ("b", False)], "a..b."),
        ("a]b", [("a]b", False)], "a]b"),
        ("a[x].b[y]z].c", [("a", False), ("x", True), ("b", False), ("y]z", True), ("c", False)], "a[*].b[*].c"),
    ],
)
def test_what_no_validator_should_write_is_read_all_the_same(
    path: str, steps: list[tuple[str, bool]], canonical: str
) -> None:
    """The root, and paths that go wrong, are taken apart as far as they go."""
    assert (steps, canonical) == ([(*step,) for step in parse(path)], canonical_path(path))


CANONICAL = [
    ("spec.a", "spec.a"),
    ("<nil>", ""),
    ("l[0].a[12]", "l[*].a[*]"),
    ("metadata.labels[example.com/name]", "metadata.labels[*]"),
    ("m[a[0]].x", "m[*].x"),
    ("m[x]y]", "m[*]"),
    ("m[]", "m[*]"),
    ("m[line\nbreak]", "m[*]"),
    ("m[", "m["),
]


@pytest.mark.parametrize(("path", "expected"), CANONICAL)
def test_a_canonical_path_names_no_item(path: str, expected: str) -> None:
    """Every subscript becomes [*], whatever the key holds; the root is the empty path."""
    assert expected == canonical_path(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), ""),
        (("spec", "ports", 0, "name"), "spec.ports[0].name"),
        (("spec", "ports", "1"), "spec.ports[1]"),
        (("metadata", "labels", "a.b/c"), "metadata.labels[a.b/c]"),
        (("data", "", "x-y"), "data[].x-y"),
        (("data", "a]b", "c d"), "data[a]b][c d]"),
    ],
)
def test_a_json_path_is_written_as_a_field_path(path: JsonPath, expected: str) -> None:
    """Members follow a dot; indices stand in brackets, also those that are text, and keys that are no names."""
    assert (expected, tuple(map(str, path))) == (write(path), path_of(write(path)))


@pytest.mark.parametrize(
    ("field", "path", "expected"),
    [
        ("spec.ports[0].name", ("spec", "ports", 0, "name"), True),
        ("metadata.labels[a.b/c]", ("metadata", "labels", "a.b/c"), True),
        ("metadata.labels[app]", ("metadata", "labels", "app"), True),
        ("data[0]", ("data", "0"), True),
        ("<nil>", (), True),
        ("spec.ports[0]", ("spec", "ports", 1), False),
        ("spec.ports", ("spec", "ports", 0), False),
    ],
)
def test_an_error_is_at_the_path_that_its_field_means(field: str, path: JsonPath, expected: bool) -> None:
    """Indices and keys stand in brackets, and are compared with what they mean."""
    assert expected == leads_to(field, path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", ""), ("a.b", "a"), ("a.b[0]", "a.b"), ("a.b[*]", "a.b"), ("a.b[0].c", "a.b[0]"), ("m[x.y/z]", "m"),
        ("m[x.y/z].c", "m[x.y/z]"), ("m[a[0]]", "m"), ("", ""), ("<nil>", ""), ("a[0][1]", "a[0]"),
    ],
)  # fmt: skip
def test_a_parent_holds_a_member_or_an_item(path: str, expected: str) -> None:
    """What stands at a path stands in its parent; dots and brackets in a key are part of the key."""
    assert expected == parent_of(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("a.b[*]", "a"), ("a.b[*].c", "a.b[*]"), ("a", ""), ("m[x.y].c", "m[x.y]"), ("m[x.y]", "")],
)
def test_a_field_is_of_a_struct(path: str, expected: str) -> None:
    """A field and its items are of the same struct."""
    assert expected == struct_of(path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("spec.ports[0].name", ["spec", "ports[0]", "name"]), ("m[x.y].c", ["m[x.y]", "c"]), ("", [""]), ("a", ["a"])],
)
def test_segments_are_members_with_their_subscripts(path: str, expected: list[str]) -> None:
    """A dot in a key divides nothing, and nothing is lost."""
    assert (expected, path) == (segments(path), ".".join(segments(path)))


@pytest.mark.parametrize(
    ("above", "path", "expected"),
    [
        ("a", "a.b", True),
        ("a", "a[0]", True),
        ("a.b", "a.b[x].c", True),
        ("a", "ab", False),
        ("a", "a", False),
        ("a.b", "a", False),
        ("", "a", False),  # the empty path would be above everything
        ("a", "b.a", False),
    ],
)
def test_a_path_below_goes_on_with_a_dot_or_a_bracket(above: str, path: str, expected: bool) -> None:
    """A longer name is another field, and nothing lies below the root, as upstream has it."""
    assert expected == is_below(path, above)


def test_all_lies_within_the_root_and_each_path_within_itself() -> None:
    """`spec.ports[*].name` is within `spec.ports`; `spec.portsets` is not."""
    paths = ("spec.ports", "spec.ports[*].name", "spec.portsets")
    assert [True, True, False] == [is_within(path, "spec.ports") for path in paths]
    assert [True, True, True] == [is_within(path, "") for path in paths]


@pytest.mark.parametrize(("path", "expected"), [("a.b[0].c", True), ("m[a]b].c", True), ("<nil>", True), ("", True)])
def test_what_validators_write_is_regular(path: str, expected: bool) -> None:
    """Steps that are written again give the path back."""
    assert expected == is_regular(path)


@pytest.mark.parametrize("path", ["a..b", ".a", "a.", "a[b]c", "a[b", "a.[0]"])
def test_what_no_validator_writes_is_not_regular(path: str) -> None:
    """Empty names, and brackets that belong to nothing."""
    assert not is_regular(path)


def test_a_pattern_has_names_and_any_items() -> None:
    """Indices and keys become `[*]`; a canonical path and its first items have one pattern."""
    assert ("spec", "ports", ITEMS, "name") == pattern_of("spec.ports[tcp.a].name")
    assert {pattern_of("a[*].b[*]")} == {pattern_of(path) for path in (first_items("a[*].b[*]"), "a[x]y].b[3]")}
    assert "a[0].b[0]" == first_items("a[*].b[*]")
    assert "a.b" == without_subscripts("a[0].b[x.y]")


@pytest.mark.parametrize(
    ("path", "step", "expected"),
    [
        ("", "a", "a"),
        ("a", "b", "a.b"),
        ("a", "[0]", "a[0]"),
        ("", "[0]", "[0]"),
        ("a", "", "a"),
        ("a", "b.c", "a.b.c"),
    ],
)
def test_a_path_goes_on(path: str, step: str, expected: str) -> None:
    """Names follow a dot, but not at the root; subscripts follow at once."""
    assert expected == join(path, step)


# Values at paths

OBJECT: Json = {"a": {"b": [{"c": 1}, {"c": 2}]}, "m": {"x.y/z": 3, "k]": 4}}

STEPS: list[tuple[str, JsonPath]] = [
    ("<nil>", ()),
    ("a.b[1].c", ("a", "b", "1", "c")),
    ("m[x.y/z]", ("m", "x.y/z")),
    ("m[k]]", ("m", "k]")),
    ("a[0][key].b", ("a", "0", "key", "b")),
]


@pytest.mark.parametrize(("path", "expected"), STEPS)
def test_a_field_path_means_a_json_path(path: str, expected: JsonPath) -> None:
    """A path is taken apart into names, indexes and keys, also when a key holds dots and brackets."""
    assert expected == path_of(path)


VALUES = [
    ("a.b[1].c", 2), ("m[x.y/z]", 3), ("m[k]]", 4), ("a.b[2].c", ABSENT), ("a.x", ABSENT), ("a.b[-1]", ABSENT),
    ("a.b.c", ABSENT), ("a.b[0].c.d", ABSENT),
]  # fmt: skip


@pytest.mark.parametrize(("path", "expected"), VALUES)
def test_what_a_field_path_leads_to_is_found(path: str, expected: Any) -> None:
    """What is there is found, what is not there is ABSENT."""
    assert expected == look(OBJECT, path_of(path))


def test_look_finds_what_is_there_and_says_what_is_not() -> None:
    """A path that leads nowhere is absent, which is not null."""
    assert None is look({"a": [{"b": None}]}, ("a", 0, "b"))
    assert ABSENT is look({"a": [{}]}, ("a", 0, "b"))
    assert ABSENT is look({"a": 1}, ("a", 0))
    assert ABSENT is look({"a": [1]}, ("a", -1))


def test_an_index_that_is_text_leads_to_an_item() -> None:
    """A field path does not tell an index from a key: a list has items, an object has members."""
    assert ["b", "B"] == [look({"x": ["a", "b"]}, ("x", "1")), look({"x": {"1": "B"}}, ("x", "1"))]
    assert {"x": ["a", 2]} == put({"x": ["a", "b"]}, ("x", "1"), 2)
    assert {"x": {"1": 2}} == put({"x": {"1": "B"}}, ("x", "1"), 2)


def test_a_number_that_no_list_can_have_is_no_index() -> None:
    """A target may report any number, also one that is too long to be read."""
    path = f"spec.ports[{'9' * 5000}].name"
    assert ABSENT is look({"spec": {"ports": [{"name": "a"}]}}, path_of(path))
    assert ("spec", "ports", "9" * 5000, "name") == resolve_path(path)[0]


def test_values_at_any_index() -> None:
    """An index may be any, since items move; names and keys are as they are."""
    assert [1, 2] == list(values_at(OBJECT, path_of("a.b[7].c")))
    assert [] == list(values_at(OBJECT, path_of("a.z")))


def test_a_walk_comes_by_everything() -> None:
    """Every member and item is met once, what is outside first."""
    assert [("a",), ("a", 0), ("a", 0, "b")] == [path for path, _ in walk({"a": [{"b": 1}]})]


def test_a_pattern_is_found_wherever_it_fits() -> None:
    """Items and values have field paths of their own; what could be there is told as absent."""
    value: Json = {"a": [{"b": 1}, {}], "m": {"x.y": 2}}
    assert [("a[0].b", 1), ("a[1].b", ABSENT)] == list(find(value, pattern_of("a[*].b")))
    assert [("m[x.y]", 2)] == list(find(value, pattern_of("m[*]")))
    assert [] == list(find(value, pattern_of("c.d")))


# Copies that differ


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("a",), 2, {"a": 2, "b": [1, 2]}),
        (("c", "d"), 1, {"a": 1, "b": [1, 2], "c": {"d": 1}}),
        (("b", 0), 7, {"a": 1, "b": [7, 2]}),
        (("b", 9), 7, {"a": 1, "b": [1, 2, 7]}),
        (("b", 0), ABSENT, {"a": 1, "b": [2]}),
        (("a",), ABSENT, {"b": [1, 2]}),
        (("x", "y"), ABSENT, {"a": 1, "b": [1, 2]}),
        (("a", "y"), 1, {"a": {"y": 1}, "b": [1, 2]}),
        ((), 7, 7),
    ],
)
def test_put_changes_one_place_of_a_copy(path: JsonPath, value: Json, expected: Json) -> None:
    """A copy has the change; the object is as it was."""
    obj = {"a": 1, "b": [1, 2]}
    assert expected == put(obj, path, value)
    assert {"a": 1, "b": [1, 2]} == obj


def test_a_copy_shares_what_does_not_lie_on_the_way() -> None:
    """Siblings of the changed place are the very same objects."""
    obj: Json = {"a": {"x": 1}, "b": {"y": 1}}
    assert put(obj, ("a", "x"), 2)["b"] is obj["b"]


def test_a_removal_takes_out_what_is_there_and_nothing_else() -> None:
    """A field, an item or a key is removed, and the object itself stays as it was."""
    before = deepcopy(OBJECT)
    assert {"a": {"b": [{"c": 2}]}, "m": OBJECT["m"]} == remove(OBJECT, path_of("a.b[0]"))
    assert {"b": [{}, {"c": 2}]} == remove(OBJECT, path_of("a.b[0].c"))["a"]
    assert {"k]": 4} == remove(OBJECT, path_of("m[x.y/z]"))["m"]
    assert OBJECT is remove(OBJECT, path_of("a.nothing"))
    assert OBJECT is remove(OBJECT, ())
    assert before == OBJECT


def test_insert_and_remove_are_inverse() -> None:
    """An item that was put in and taken out leaves the list as it was."""
    obj = {"b": [1, 2]}
    assert {"b": [1, 9, 2]} == insert(obj, ("b", 1), 9)
    assert obj == remove(insert(obj, ("b", 1), 9), ("b", 1))


def test_of_list_items_the_last_is_removed_first() -> None:
    """Indexes are numbers, so that the eleventh item goes before the third; what lies within a path goes before it."""
    obj: Json = {"items": [{"n": number} for number in range(12)]}
    edits = [Edit(("items", at), ABSENT) for at in (2, "10", 9)]
    ordered = later_first([*edits, Edit(("items", 10, "n"), 0)])
    assert [(10, "n"), ("10",), (9,), (2,)] == [edit.path[1:] for edit in ordered]
    assert [0, 1, 3, 4, 5, 6, 7, 8, 11] == [item["n"] for item in apply_all(ordered, obj)["items"]]


def test_an_edit_puts_a_value_or_removes_one() -> None:
    """The copy has the edit, and edits that lead from one object to another make it."""
    old, new = {"a": 1, "b": [{"c": 2}]}, {"b": [{"c": 3}], "d": 4}
    assert {"a": 1, "b": [{}]} == Edit(("b", 0, "c"), ABSENT).apply(old)
    assert [Edit(("b", 0, "c"), 3), Edit(("d",), 4), Edit(("a",), ABSENT)] == edits_to(new, old)
    assert new == apply_all(edits_to(new, old), old)


# What differs


def test_differences_are_as_deep_as_they_can_be() -> None:
    """Lists of different lengths differ as a whole, everything else where it differs."""
    new = {"a": {"x": 1, "y": 2}, "b": [1, 2], "c": [1]}
    old = {"a": {"x": 1, "y": 3}, "b": [1, 3], "c": [1, 2], "d": 1}
    assert [("a", "y"), ("b", 1), ("c",), ("d",)] == list(differences(new, old))
    assert [] == list(differences(new, dict(new)))


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


# Whatever comes

JSON = st.recursive(
    st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(JSON, st.text(max_size=8))
def test_no_path_crashes(value: Any, path: str) -> None:
    """Whatever a validator reports as a path, looking and removing go through."""
    before = deepcopy(value)
    way = path_of(path)
    changed = remove(value, way)
    list(values_at(value, way))
    assert before == value
    assert (changed == value) or look(value, way) is not ABSENT
