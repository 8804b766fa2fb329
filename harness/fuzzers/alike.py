"""Join reduction steps that do the same at alike paths: remove one member from all items of a list in one step.

Alike paths differ in list indices only. A list at its limit has hundreds of items, and a step that succeeds for one of
them nearly always succeeds for all, so evaluating it per item wastes cases. Where the joined step fails, steps for
halves of the items are tried, then for quarters, then a few single steps. Also chooses which successful steps to
combine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import TypeAlias, TypeVar

from harness.case import Json
from harness.fuzzers.steps import Key, Step
from harness.jsonpath import ABSENT, JsonPath

MIN_ALIKE = 4
"""At least this many alike steps are joined; fewer are evaluated one by one."""
MAX_PARTS = 4
"""A joined step that fails is divided into at most this many parts."""
MAX_SINGLES = 12
"""At most this many single steps of a group may fail; then no more of the group are evaluated alone."""
ANY_ITEM = -1
"""Replaces the index of an item in the path of a joined step."""

Alike: TypeAlias = tuple[JsonPath, Hashable]


def has_long_list(obj: Json) -> bool:
    """Whether a list in an object has many items."""
    if obj.__class__ is dict:
        return any(has_long_list(value) for value in obj.values() if value.__class__ is dict or value.__class__ is list)
    return obj.__class__ is list and (len(obj) >= MIN_ALIKE or any(map(has_long_list, obj)))


def join_alike_steps(steps: Iterable[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield the steps that have not failed; many alike ones joined.

    The caller adds the keys of failed steps to `failed` while it iterates.
    """
    groups: dict[Alike, list[Step]] = {}
    for step in steps:
        groups.setdefault(_alike(step), []).append(step)
    for (path, sort), group in groups.items():
        if len(group) < MIN_ALIKE:
            yield from (step for step in group if step.key not in failed)
        else:
            yield from _join_group(path, sort, group, failed)


def _alike(step: Step) -> Alike:
    return tuple(ANY_ITEM if part.__class__ is int else part for part in step.path), step.sort or step.how


def _join_group(path: JsonPath, sort: Hashable, group: Sequence[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield one step for the group; after a failure one for each half, and so on; then single steps."""
    parts: deque[tuple[str, Sequence[Step]]] = deque([("", group)])
    singles: list[Step] = []
    while parts:
        part_name, part = parts.popleft()
        key = path, (sort, part_name)
        if key not in failed:
            yield _join(key, part)
            if key not in failed:
                continue
        if len(part) >= 2 * MIN_ALIKE and 2 ** len(part_name) < MAX_PARTS:
            half = len(part) // 2
            parts += (part_name + "0", part[:half]), (part_name + "1", part[half:])
        else:
            singles += part
    if singles and path[-1:] == (ANY_ITEM,):
        yield from _remove_last_items(path, sort, group, failed)
    failures = sum(step.key in failed for step in group)
    yield from islice((step for step in singles if step.key not in failed), max(0, MAX_SINGLES - failures))


def _remove_last_items(path: JsonPath, sort: Hashable, group: Sequence[Step], failed: set[Key]) -> Iterator[Step]:
    """Yield steps that remove the last items, fewer and fewer: a list may be a few items too long."""
    count = len(group) // (2 * MAX_PARTS)
    while count > 1:
        key = path, (sort, count)
        if key not in failed:
            yield _join(key, group[-count:])
            if key not in failed:
                return
        count //= 2


def _join(key: Key, steps: Sequence[Step]) -> Step:
    """Return a step with the edits of all these steps, the last first, so that removed items do not shift others."""
    return Step(
        *key,
        tuple(edit for step in reversed(steps) for edit in step.new),
        tuple(edit for step in reversed(steps) for edit in step.old),
        all(step.is_sure for step in steps),
    )


T = TypeVar("T")


def largest_runs(steps: Sequence[Step]) -> list[Sequence[Step]]:
    """Return the combinations of successful steps to try: all of them, the first three quarters, the first half."""
    count = len(steps)
    return [steps[:many] for many in sorted({count, count * 3 // 4, count // 2} - {0, 1}, reverse=True)]


def quarters(things: Sequence[T]) -> list[Sequence[T]]:
    """Divide a sequence into four parts of about the same length."""
    ends = [len(things) * part // 4 for part in range(5)]
    return [things[start:end] for start, end in pairwise(ends)]


def forget_failures_in_shortened_lists(failed: set[Key], steps: Sequence[Step]) -> None:
    """Remove failures in lists from which an item was removed: their indices now name other items.

    Failures of joined steps stay, because their paths name no index.
    """
    edits = (edit for step in steps for edit in (*step.new, *step.old))
    lists = {path[:-1] for path, value in edits if value is ABSENT and isinstance(path[-1], int)}
    if lists:
        failed -= {key for key in failed if _is_in_list(key[0], lists)}


def _is_in_list(path: JsonPath, lists: set[JsonPath]) -> bool:
    """Whether a path is one of these lists or inside one of their items; a path of a joined step is not."""
    depths = range(len(path) + 1)
    return any(path[:depth] in lists and path[depth : depth + 1] != (ANY_ITEM,) for depth in depths)
