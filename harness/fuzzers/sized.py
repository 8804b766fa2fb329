"""Values of a given size: strings by characters or bytes, lists and maps by distinct entries.

Entries are copies of a present one with other names, so that a list is accepted at its limit, and rejected for its
length only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.case import Json
from harness.fuzzers.aims import Aim
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import common_values, fits, small_value, sparse_value
from harness.jsonpath import ABSENT
from harness.tags.registry import rule_facts

MAX_ITEMS = 5000
"""No list is longer than this."""

_V4 = re.compile(r"\d+\.\d+\.\d+\.\d+(?=/|$)")
_ENDS_IN_NUMBER = re.compile(r"\d+$")


class LazyValue(NamedTuple):
    """A long list or map that is created when needed, which most never are. Those of one sort and size are equal."""

    sort: str
    size: int
    make: Callable[[int], Json]


def resolve(held: Json | LazyValue) -> Json:
    """Return the value itself, or create it."""
    return held.make(held.size) if held.__class__ is LazyValue else held


def rename(value: Json, shape: Shape, number: int, numbers: bool = True) -> Json:
    """Return a copy that differs in every string and number that may be its key, also in inner structs.

    Expressions stay, because they are not keys. With `numbers=False` numbers stay, and the items of inner lists are
    renamed too: items that name their own children.
    """
    if isinstance(value, dict) and shape.kind == "struct":
        members = shape.by_name
        return {
            name: rename(held, members[name].shape, number, numbers) if name in members else held
            for name, held in value.items()
        }
    if isinstance(value, list) and not numbers:
        return [rename(item, shape.elem, number, numbers) for item in value]
    if isinstance(value, str) and not shape.choices and shape.kind == "string" and shape.format != "expression":
        return _text(value, number)
    if numbers and isinstance(value, int) and not isinstance(value, bool) and not shape.choices:
        other = value + number
        return other if fits(other, shape) else value - number
    return value


def _text(value: str, number: int) -> str:
    """Rename a string and keep its format: change the host of an address, else the end."""
    if _V4.match(value):
        return _V4.sub(f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", value)
    if value.count(":") > 1 and all(part == "" or len(part) <= 4 for part in value.partition("/")[0].split(":")):
        head, slash, width = value.partition("/")
        return f"fd00:{number:x}::" + ("" if slash else "1") + slash + width if head else value
    digits = str(number)
    if len(value) + len(digits) > 40:
        return value[: -len(digits)] + digits
    return _ENDS_IN_NUMBER.sub("", value) + digits if number else value


def list_of_size(items: list[Json], shape: Shape, count: int, numbers: bool = True) -> list[Json]:
    """Return a list of this many distinct items, the present ones first; `numbers` as in `rename`."""
    first = items[:count] or [sparse_value(shape.elem)][:count]
    wanted = min(count, MAX_ITEMS) - len(first)
    choices = [choice for choice in common_values(shape.elem) if choice not in first] if shape.elem.choices else []
    found = [*first, *choices[: max(0, wanted)]]
    missing = min(count, MAX_ITEMS) - len(found)
    return [*found, *_others(first[0], shape.elem, missing, numbers)[:missing]] if missing > 0 else found


_OTHERS: dict[tuple[int, int, bool], tuple[Json, Shape, list[Json]]] = {}
"""Renamed items by the identity of their original: lists of several sizes are created from the same item.

Objects are never changed in place, and cached values stay alive, so that no other value gets their identity.
"""
_MAX_OTHERS, _MAX_CACHED_LIST = 256, 300


def _others(first: Json, shape: Shape, count: int, numbers: bool) -> list[Json]:
    """Return at least this many items that differ from one another and from the first; longer lists start the same."""
    if count > _MAX_CACHED_LIST:
        return [rename(first, shape, number + 2, numbers) for number in range(count)]
    key = id(first), id(shape), numbers
    known = _OTHERS.get(key)
    if known is None:
        if len(_OTHERS) >= _MAX_OTHERS:
            _OTHERS.clear()
        known = _OTHERS[key] = first, shape, []
    made = known[2]
    for number in range(len(made), count):
        made.append(rename(first, shape, number + 2, numbers))
    return made


def map_of_size(values: dict[str, Json], shape: Shape, count: int) -> dict[str, Json]:
    """Return a map of this many entries, the present ones first."""
    found = dict(list(values.items())[:count])
    held = next(iter(values.values()), small_value(shape.elem))
    for number in range(min(count, MAX_ITEMS)):
        if len(found) >= count:
            break
        found.setdefault(f"k{number}", held)
    return found


def values_at_limit(aim: Aim, shape: Shape, value: Json, member: FieldShape | None) -> Iterator[Json]:
    """Yield values exactly at the limit of a rule, or values that it may accept if it has no limit."""
    present = value if value is not ABSENT else None
    if aim.limit is not None:
        counted = rule_facts().limit_of(aim.type, aim.origin) or aim.counts
        in_bytes = counted is not None and counted.measure == "bytes"
        yield from values_of_size(shape, present, aim.limit, in_bytes=in_bytes)
    if present:
        yield present
    yield from shape.choices
    yield sparse_value(shape)
    if aim.limit is None:
        yield from (hint for hint in (member.hints if member else ()) if fits(hint, shape))
        yield from common_values(shape)[:12]


def values_of_size(shape: Shape, value: Json, size: int, in_bytes: bool = False) -> Iterator[Json]:
    """Yield values of a size; for an integer the size itself."""
    if shape.kind == "list":
        items = value if isinstance(value, list) else []
        yield list_of_size(items, shape, size)
        if items:
            if shape.elem.kind == "struct":
                yield list_of_size(items[:1], shape, size, numbers=False)
            yield items[:1] * size
            yield list_of_size([], shape, size)
    elif shape.kind == "map":
        yield map_of_size(value if isinstance(value, dict) else {}, shape, size)
    elif shape.kind in ("string", "bytes", "any"):
        size = min(size, 1 << 20)
        held = value if isinstance(value, str) and value else "a"
        yield (held + "a" * size)[:size]
        yield "a" * size
        yield "/".join(["a" * 50] * (size // 51 + 1))[: max(size - 1, 0)] + "a" * (size > 0)
        yield "é" * (size // 2 if in_bytes else size)
    elif fits(size, shape):
        yield size
