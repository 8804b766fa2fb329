"""Objects as lines: limited in length, aligned, and with marks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.report.formats.html.objects import (
    MAX_DEPTH,
    MAX_LINES,
    MAX_STRING,
    Line,
    View,
    find_edits,
    show_both,
    show_object,
)


def lines(shown: View) -> list[Line]:
    """Return all lines, folded or not."""
    return [line for block in shown.blocks for line in block.lines]


@pytest.mark.parametrize(
    "value", [None, 1, "a\n\u2028\x00", [], {}, {"a": [1, {"b": None}], "c": "d\u202e"}, [[[]]], "<b>&"]
)
def test_the_copied_text_is_the_object(value: Any) -> None:
    """The lines without marks are JSON of the same value."""
    assert value == json.loads(show_object(value).text)


def test_no_line_hides_anything() -> None:
    """Control characters, bidirectional overrides, lone surrogates and line separators are shown as escapes."""
    text = show_object({"\u202e": "\x00\x1b\u2028\ud800\u200b"}).text
    assert text.isascii()
    assert '"\\u0000\\u001b\\u2028\\ud800\\u200b"' in text


def test_long_texts_are_cut_with_a_remark() -> None:
    """Very long strings and lists, and very deep objects, are cut with a remark on how much is shown."""
    assert f"(shown: the first {MAX_STRING:,} of 100,000 characters)" in show_object("x" * 100_000).text
    many = show_object(list(range(10_000)))
    assert (10_002, MAX_LINES, MAX_LINES) == (many.size, many.shown, len(lines(many)))
    deep: Any = 1
    for _ in range(3_000):
        deep = [deep]
    assert f"deeper than {MAX_DEPTH} levels" in show_object(deep).text


def test_equal_lines_are_aligned() -> None:
    """A line that only one object has is next to an empty line, and lines that differ are marked."""
    old, new = {"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 1, "d": [3]}}
    left, right = show_both(old, new, find_edits(old, new) or ())
    pairs = list(zip(lines(left), lines(right), strict=True))
    assert [line.text for line in lines(left) if line.differs] == ['  "a": 1,']
    assert [line.text for line in lines(right) if line.differs] == ['  "a": 2,', '    "d": [', "      3", "    ]"]
    assert all(one.text.strip(",") == other.text.strip(",") for one, other in pairs if not other.differs)
    assert (old, new) == (json.loads(left.text), json.loads(right.text))


@pytest.mark.parametrize(
    ("field", "value"),
    [("a.b[1].c", '"here"'), ("m[x.y/z]", '"here"'), ("a.b[1]", "{"), ("a[*]", ""), ("a.z", "")],
)
def test_the_value_that_an_error_names_is_marked(field: str, value: str) -> None:
    """The path can contain fields, indices and keys with dots."""
    shown = show_object({"a": {"b": [1, {"c": "here"}]}, "m": {"x.y/z": "here"}}, [field])
    marked = [line.text for line in lines(shown) if line.named]
    assert (1 if value else 0) == len(marked)
    assert all(value in line for line in marked)


def test_lines_far_from_every_mark_are_folded() -> None:
    """Both objects are folded at the same lines; an object without marks is not folded."""
    old = {f"k{n:02}": n for n in range(60)}
    new = {**old, "k30": 0}
    left, right = show_both(old, new, find_edits(old, new) or ())
    assert [True, False, True] == [block.is_folded for block in left.blocks]
    assert [True, False, True] == [block.is_folded for block in right.blocks]
    assert len(left.blocks[1].lines) < 12
    assert [False] == [block.is_folded for block in show_object(old).blocks]


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("changed", "a", "1", "2")]),
        ({"a": 1}, {"a": "1"}, [("changed", "a", "1", '"1"')]),
        ({}, {"a": {"b": None}}, [("set", "a", "", '{"b":null}')]),
        ({"a": [1, 2]}, {"a": [1]}, [("removed", "a[1]", "2", "")]),
        ({"a": [1]}, {"a": [1, {"x": 2}]}, [("added", "a[1]", "", '{"x":2}')]),
        ({"a": True}, {"a": 1}, [("changed", "a", "true", "1")]),
        ({"\x1b": 1}, {}, [("unset", "[\\x1b]", "1", "")]),
        ({"m": {"a.b/c": 1}}, {"m": {}}, [("unset", "m[a.b/c]", "1", "")]),
        ([], {}, [("changed", "(the object itself)", "[]", "{}")]),
    ],
)
def test_edits_have_a_word_a_path_and_both_values(old: Any, new: Any, rows: list[tuple[str, ...]]) -> None:
    """Each edit between two objects is listed once, by path."""
    assert rows == [change[:4] for change in find_edits(old, new) or ()]


def test_objects_too_large_are_not_compared() -> None:
    """Comparing them would take too long."""
    assert find_edits({}, {"a": "x" * 60_000}) is None


def test_an_edit_has_a_path_in_each_object() -> None:
    """An item that moved in a list has its old index in the old object, and its new index in the new object."""
    rows = find_edits({"a": [{"n": 1}], "b": [1, 2, 3]}, {"a": [{"n": 2}], "b": [2, 3]})
    assert [(("a", 0, "n"), ("a", 0, "n")), (("b", 0), None)] == [change[4:] for change in rows or ()]
    assert [(None, ("b", 0))] == [change[4:] for change in find_edits({"b": [2, 3]}, {"b": [1, 2, 3]}) or ()]
