"""What changed from old to new, in rows."""

from __future__ import annotations

from typing import Any

import pytest

from harness.reporting.changes import Change, changes


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [Change("changed", "a", "1", "2")]),
        ({"a": 1}, {"a": "1"}, [Change("changed", "a", "1", '"1"')]),
        ({}, {"a": {"b": None}}, [Change("set", "a", "", '{"b":null}')]),
        ({"a": [1, 2]}, {"a": [1]}, [Change("removed", "a[1]", "2", "")]),
        ({"a": [1]}, {"a": [1, {"x": 2}]}, [Change("added", "a[1]", "", '{"x":2}')]),
        ({"a": True}, {"a": 1}, [Change("changed", "a", "true", "1")]),
        ({"\x1b": 1}, {}, [Change("unset", "\\x1b", "1", "")]),
        ([], {}, [Change("changed", "(the object itself)", "[]", "{}")]),
    ],
)
def test_rows_say_what_was_done_where(old: Any, new: Any, rows: list[Change]) -> None:
    """Each row has a word, a path and both values."""
    assert rows == changes(old, new)


def test_objects_too_large_are_not_compared() -> None:
    """A report is written in time, whatever is in it."""
    assert changes({}, {"a": "x" * 60_000}) is None
