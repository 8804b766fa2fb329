"""What changed between the old object and the new one, as rows for people."""

from __future__ import annotations

from typing import Any, NamedTuple

from deepdiff import DeepDiff

from harness.jsonpath import JsonPath, write
from harness.reporting.text import compact, visible

LARGEST = 50_000
"""Characters of JSON; two objects beyond that are not compared for a report."""

_WORDS = (
    ("values_changed", "changed"), ("type_changes", "changed"), ("dictionary_item_added", "set"),
    ("dictionary_item_removed", "unset"), ("iterable_item_added", "added"), ("iterable_item_removed", "removed"),
)  # fmt: skip


class FieldEdit(NamedTuple):
    """One change: what was done, on which field, what was there and what is, and where it stands in either object."""

    word: str
    path: str
    old: str
    new: str
    in_old: JsonPath | None
    in_new: JsonPath | None


def changes(old: Any, new: Any) -> list[FieldEdit] | None:
    """Say what changed from old to new, in order of the path; None when the objects are too large or too deep."""
    try:
        before, after = compact(old), compact(new)
        if before == after:
            return []
        if len(before) + len(after) > LARGEST:
            return None
        tree = DeepDiff(old, new, view="tree", ignore_numeric_type_changes=False)
        return sorted(
            (_change(word, level) for key, word in _WORDS for level in tree.get(key, ())),
            key=lambda change: change.path,
        )
    except (RecursionError, ValueError, TypeError, OverflowError):
        return None


def _change(word: str, level: Any) -> FieldEdit:
    steps = tuple(level.path(output_format="list"))
    gone, new = word in ("unset", "removed"), word in ("set", "added")
    return FieldEdit(
        word,
        visible(write(steps)) or "(the object itself)",
        "" if new else compact(level.t1, 300),
        "" if gone else compact(level.t2, 300),
        None if new else steps,
        None if gone else tuple(level.path(output_format="list", use_t2=True)),
    )
