"""Objects as lines: bounded, aligned, with marks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.reporting.changes import changes
from harness.reporting.sidebyside import DEEPEST, LONGEST, MOST, Line, View, beside, view


def lines(shown: View) -> list[Line]:
    """Every line, folded or not."""
    return [line for block in shown.blocks for line in block.lines]


@pytest.mark.parametrize(
    "value", [None, 1, "a\n\u2028\x00", [], {}, {"a": [1, {"b": None}], "c": "d\u202e"}, [[[]]], "<b>&"]
)
def test_what_is_copied_is_the_object(value: Any) -> None:
    """Without marks the lines are JSON of the same value."""
    assert value == json.loads(view(value).text)


def test_no_line_hides_anything() -> None:
    """Control characters, overrides of direction, lone surrogates and line separators are escapes."""
    text = view({"\u202e": "\x00\x1b\u2028\ud800\u200b"}).text
    assert text.isascii()
    assert '"\\u0000\\u001b\\u2028\\ud800\\u200b"' in text


def test_long_texts_say_how_much_is_shown() -> None:
    """A string, a list and a depth without end are cut, each with a note."""
    assert f"(shown: the first {LONGEST:,} of 100,000 characters)" in view("x" * 100_000).text
    many = view(list(range(10_000)))
    assert (10_002, MOST, MOST) == (many.size, many.shown, len(lines(many)))
    deep: Any = 1
    for _ in range(3_000):
        deep = [deep]
    assert f"deeper than {DEEPEST} levels" in view(deep).text


def test_equal_lines_stand_at_the_same_height() -> None:
    """What one object has not is a gap beside what the other has, and what differs is marked."""
    old, new = {"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 1, "d": [3]}}
    left, right = beside(old, new, changes(old, new) or ())
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
    """Whether a step is a field, an index or a key with dots."""
    shown = view({"a": {"b": [1, {"c": "here"}]}, "m": {"x.y/z": "here"}}, [field])
    marked = [line.text for line in lines(shown) if line.named]
    assert (1 if value else 0) == len(marked)
    assert all(value in line for line in marked)


def test_what_is_far_from_every_mark_is_folded() -> None:
    """On both sides alike; an object without any mark is whole."""
    old = {f"k{n:02}": n for n in range(60)}
    new = {**old, "k30": 0}
    left, right = beside(old, new, changes(old, new) or ())
    assert [True, False, True] == [block.far for block in left.blocks] == [block.far for block in right.blocks]
    assert len(left.blocks[1].lines) < 12
    assert [False] == [block.far for block in view(old).blocks]
