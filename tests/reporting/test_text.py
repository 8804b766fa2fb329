"""Texts by others: nothing hidden, nothing endless."""

from __future__ import annotations

from typing import Any

import pytest

from harness.reporting.text import compact, count, lines, pretty, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 日本 😀", "plain é 日本 😀"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202ereversed", "\\u202ereversed"),
        ("\ud800", "\\ud800"),
        ("\x9bcsi", "\\x9bcsi"),
        ("\U000e0001", "\\U000e0001"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
    ],
)
def test_what_does_not_print_becomes_an_escape(text: str, shown: str) -> None:
    """Letters of every script stay; what moves a cursor or turns a line round does not."""
    assert shown == visible(text)


def test_line_breaks_may_stay() -> None:
    """In a longer text only they and tabs are kept."""
    assert lines("a\nb\x1b") == "a\nb\\x1b"


def test_a_long_object_says_what_is_left_out() -> None:
    """Beginning and end stay, and the number of characters between them."""
    text = compact({"a": "x" * 1000}, 100)
    assert len(text) <= 100
    assert "characters" in text
    assert text.startswith('{"a":"xx')
    assert text.endswith('x"}')
    assert "more characters" in pretty({"a": "x" * 1000}, 100)


def test_a_value_that_is_no_json_is_shown_all_the_same() -> None:
    """Lone surrogates and absurd depth give a picture, never an exception."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert compact({"a": "\ud800"})
    assert compact(deep, 50)
    while deep:  # taken apart by hand: freeing it at once would recurse as deeply
        deep = deep.pop()


def test_numbers_agree_with_their_nouns() -> None:
    """One is singular, thousands are grouped."""
    assert [count(1, "case"), count(0, "case"), count(1200, "entry", "entries")] == [
        "1 case",
        "0 cases",
        "1,200 entries",
    ]
