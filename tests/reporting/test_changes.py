"""What changed from old to new, in rows."""

from __future__ import annotations

from typing import Any

import pytest

from harness.reporting.changes import changes


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
def test_rows_say_what_was_done_where(old: Any, new: Any, rows: list[tuple[str, ...]]) -> None:
    """Each row has a word, a path and both values."""
    assert rows == [change[:4] for change in changes(old, new) or ()]


def test_objects_too_large_are_not_compared() -> None:
    """A report is written in time, whatever is in it."""
    assert changes({}, {"a": "x" * 60_000}) is None


def test_places_hold_in_either_object() -> None:
    """What moved in a list is named by its index in the old object and by that in the new one."""
    rows = changes({"a": [{"n": 1}], "b": [1, 2, 3]}, {"a": [{"n": 2}], "b": [2, 3]})
    assert [(("a", 0, "n"), ("a", 0, "n")), (("b", 0), None)] == [change[4:] for change in rows or ()]
    assert [(None, ("b", 0))] == [change[4:] for change in changes({"b": [2, 3]}, {"b": [1, 2, 3]}) or ()]
