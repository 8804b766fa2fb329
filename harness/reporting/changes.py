"""What changed between the old object and the new one, as rows for people."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from deepdiff import DeepDiff

from harness.reporting.text import compact, visible

LARGEST = 50_000
"""Characters of JSON; two objects beyond that are not compared for a report."""

_WORDS = (
    ("values_changed", "changed"), ("type_changes", "changed"), ("dictionary_item_added", "set"),
    ("dictionary_item_removed", "unset"), ("iterable_item_added", "added"), ("iterable_item_removed", "removed"),
)  # fmt: skip


class Change(NamedTuple):
    """One change: what was done, on which field, what was there and what is."""

    word: str
    path: str
    old: str
    new: str


def changes(old: Any, new: Any) -> list[Change] | None:
    """Say what changed from old to new, in order of the path; None when the objects are too large or too deep."""
    try:
        if len(msgspec.json.encode(old)) + len(msgspec.json.encode(new)) > LARGEST:
            return None
        tree = DeepDiff(old, new, view="tree", ignore_numeric_type_changes=False)
        return sorted(
            (_change(word, level) for key, word in _WORDS for level in tree.get(key, ())),
            key=lambda change: change.path,
        )
    except (RecursionError, ValueError, TypeError, OverflowError):
        return None


def _change(word: str, level: Any) -> Change:
    path = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in level.path(output_format="list")
    ).removeprefix(".")
    return Change(
        word,
        visible(path) or "(the object itself)",
        "" if word in ("set", "added") else compact(level.t1, 300),
        "" if word in ("unset", "removed") else compact(level.t2, 300),
    )
