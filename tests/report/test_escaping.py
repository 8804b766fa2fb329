"""Untrusted texts: no hidden characters, and a limited length."""

from __future__ import annotations

from typing import Any

import pytest

from harness.report.escaping import compact, count, lines, pretty, visible


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
def test_characters_that_are_not_printable_become_escapes(text: str, shown: str) -> None:
    """Letters of every script stay; control characters and bidirectional overrides are escaped."""
    assert shown == visible(text)


def test_line_breaks_can_be_kept() -> None:
    """`lines` keeps line breaks and tabs, and nothing else."""
    assert lines("a\nb\x1b") == "a\nb\\x1b"


def test_a_long_object_is_cut_with_a_remark() -> None:
    """Its beginning and end are shown, with the number of characters between them."""
    text = compact({"a": "x" * 1000}, 100)
    assert len(text) <= 100
    assert "characters" in text
    assert text.startswith('{"a":"xx')
    assert text.endswith('x"}')
    assert "more characters" in pretty({"a": "x" * 1000}, 100)


def test_a_value_that_is_not_json_is_shown() -> None:
    """Lone surrogates and extreme depth are shown, and do not raise an error."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert compact({"a": "\ud800"})
    assert compact(deep, 50)
    while deep:  # taken apart by hand: freeing it at once would recurse as deeply
        deep = deep.pop()


def test_numbers_agree_with_their_nouns() -> None:
    """The noun of 1 is singular, and thousands are separated."""
    assert [count(1, "case"), count(0, "case"), count(1200, "entry", "entries")] == [
        "1 case",
        "0 cases",
        "1,200 entries",
    ]
