"""Finds by which member handwritten code tells the items of a list apart.

Two equal items are reported as duplicates. With another value of its key the second one is not, and with another value
of any other member it still is.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.cause import Experiment, Question
from harness.field import ErrorType
from harness.jsonpath import canonical_path, is_within, look, path_of, put

_MOST_MEMBERS = 8


def find_item_key(question: Question, path: str) -> Experiment[tuple[str, Case | None]]:
    """Return the member by which the items of a list are told apart, empty if none alone is seen to be, and the case
    with two equal items; None if that has no error about it, or only marked ones.
    """
    at = path_of(question.mismatch.path)[: len(path_of(path))]
    base = question.created() or question.case
    items = look(base.object, at)
    if not isinstance(items, list) or not items:
        return "", None
    first = items[0]
    scalars = [name for name, value in first.items() if isinstance(value, str | int)] if isinstance(first, dict) else []
    members = scalars[:_MOST_MEMBERS]
    others = [{**first, name: another(first[name])} for name in members]
    cases = [
        msgspec.structs.replace(base, id=number, object=put(base.object, at, [first, second]))
        for number, second in enumerate([first, *others])
    ]
    twice, *changed = yield cases
    duplicates = _count(question, twice, path)
    keys = [
        name
        for name, answer in zip(members, changed, strict=True)
        if duplicates and answer.failure is None and not _count(question, answer, path)
    ]
    is_unmarked = any(not covered for covered in duplicates)
    return keys[0] if len(keys) == 1 else "", cases[0] if is_unmarked else None


def _count(question: Question, answer: Answer, path: str) -> Sequence[bool]:
    """Return of each error about equal items whether it is marked."""
    normalize = question.comparator.matcher.normalize
    return [
        one.covered
        for one in answer.handwritten
        if one.type == ErrorType.DUPLICATE and is_within(canonical_path(normalize(one.field)), path)
    ]


def another(value: Json) -> Json:
    """Return another value of the same type."""
    return f"{value}a" if isinstance(value, str) else not value if isinstance(value, bool) else value + 1
