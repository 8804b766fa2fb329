"""Reads and writes values at paths whose `[*]` are first items; absent parents are created by their shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.case import Json
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import sparse_value
from harness.jsonpath import ABSENT

MakeValue = Callable[[Shape], Json]
"""Returns a value for an absent path, by its shape."""


def follow(shape: Shape, value: Json, parts: Sequence[str], make: MakeValue) -> tuple[Json, Shape, FieldShape | None]:
    """Return the value at a path, its shape and its member; absent parents are created, an absent value is `ABSENT`."""
    member = None
    for part in parts:
        if shape.kind == "struct":
            member = shape.by_name.get(part)
            value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
        elif shape.kind == "map":
            value = next(iter(value.values()), ABSENT) if isinstance(value, dict) else ABSENT
        else:
            value = value[0] if isinstance(value, list) and value else ABSENT
        shape = shape.child(part)
        if value is ABSENT and part != parts[-1]:
            value = make(shape)
    return value, shape, member


def put_at_pattern(
    shape: Shape, value: Json, parts: Sequence[str], new_value: Json, make: MakeValue = sparse_value
) -> Json:
    """Return a copy with a value at a path whose `[*]` are first items; absent parents are created.

    With `ABSENT` the path is removed.
    """
    if not parts:
        return new_value
    part, rest = parts[0], parts[1:]
    child_shape = shape.child(part)
    if shape.kind == "list":
        items = value if isinstance(value, list) and value else [make(child_shape)]
        item = put_at_pattern(child_shape, items[0], rest, new_value, make)
        return items[1:] if item is ABSENT else [item, *items[1:]]
    if shape.kind == "map":
        entries = value if isinstance(value, dict) and value else {"a": make(child_shape)}
        first_key = next(iter(entries))
        entry = put_at_pattern(child_shape, entries[first_key], rest, new_value, make)
        others = {key: held for key, held in entries.items() if key != first_key}
        return others if entry is ABSENT else {first_key: entry, **others}
    members = dict(value) if isinstance(value, dict) else {}
    child = members.get(part)
    if child is None and rest:
        child = make(child_shape)
    child = put_at_pattern(child_shape, child, rest, new_value, make)
    if child is ABSENT:
        members.pop(part, None)
    else:
        members[part] = child
    return members
