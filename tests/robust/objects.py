"""Hostile objects: wrong JSON types everywhere, numbers beyond 64 bits, deep nesting, many keys, and what just fits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.fuzzers.shape import Shape

WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 2**31, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, float("nan"), float("inf"), "", "a", "\0",
    "\ud800",
    "x" * 5000, "-", "1", "0001-01-01T00:00:00Z", "9999-99-99T99:99:99Z", "1h", "1e999999", "99999999999Ei", [], [None],
    [[]], ["a", "a"], {}, {"": None}, {"a": None}, [{}], [{}, {}], {"a": {}}, {"a": []}, {"a": "", "b": "\n"},
)  # fmt: skip
"""Values of every JSON type, at the edges of each."""


def nested(depth: int) -> Any:
    """Return an object inside an object, and so on."""
    value: Any = {}
    for _ in range(depth):
        value = {"a": value, "next": value, "items": [value]} if depth < 8 else {"a": value}
    return value


def hostile_objects(shape: Shape, members: int = 12) -> Iterator[Any]:
    """Yield objects: each value at the root, and each as every member, alone and with others in place."""
    yield from WRONG
    yield nested(200)
    if shape.kind != "struct":
        return
    names = [field.name for field in shape.fields][:members]
    for value in WRONG:
        yield dict.fromkeys(names, value)
        for name in names:
            yield {name: value}
    for field in shape.fields[:members]:
        for inner in _fitting(field.shape, 3):
            yield {field.name: inner}


def _fitting(shape: Shape, depth: int) -> Iterator[Any]:
    """Yield values that have the form of a type, with hostile ones in their places."""
    if depth == 0:
        return
    if shape.kind == "list":
        for value in (*WRONG[:24], *_fitting(shape.elem, depth - 1)):
            yield [value, value]
    elif shape.kind == "map":
        for value in (*WRONG[:24], *_fitting(shape.elem, depth - 1)):
            yield {"": value, "\ud800": value, "a" * 300: value}
    elif shape.kind == "struct":
        for field in shape.fields[:6]:
            for value in (None, "", "a", 0, -1, [], {}, [None, None], {"a": None}):
                yield {field.name: value}
            for value in _fitting(field.shape, depth - 1):
                yield {field.name: value}
