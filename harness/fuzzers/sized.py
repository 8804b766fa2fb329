"""Values of a size: strings of so many characters or bytes, lists and maps of so many distinct entries.

Entries are made from one that is there by renaming what names: so that a list is refused for its length and nothing
else, and accepted at its limit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from harness.case import Json
from harness.fuzzers.aims import Aim
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import filled, fits, plausible, pool
from harness.jsonpath import ABSENT
from harness.tags.registry import rule_facts

MOST = 5000
"""No list is made longer than this."""

_V4 = re.compile(r"\d+\.\d+\.\d+\.\d+(?=/|$)")
_ENDS_IN_NUMBER = re.compile(r"\d+$")


class Later(NamedTuple):
    """A long list that is made when it is asked for: few of them ever are. What is of one sort and size is the same."""

    sort: str
    size: int
    make: Callable[[int], Json]


def now(held: Json | Later) -> Json:
    """Make what was left for later."""
    return held.make(held.size) if held.__class__ is Later else held


def renamed(value: Json, shape: Shape, number: int, numbers: bool = True) -> Json:
    """Return a copy that differs in everything that may name it: text, numbers, the members of a struct.

    Expressions name nothing. Without `numbers` these stay, and what lists below hold is renamed too: items that name
    their own children.
    """
    if isinstance(value, dict) and shape.kind == "struct":
        members = shape.by_name
        return {
            name: renamed(held, members[name].shape, number, numbers) if name in members else held
            for name, held in value.items()
        }
    if isinstance(value, list) and not numbers:
        return [renamed(item, shape.elem, number, numbers) for item in value]
    if isinstance(value, str) and not shape.choices and shape.kind == "string" and shape.format != "expression":
        return _text(value, number)
    if numbers and isinstance(value, int) and not isinstance(value, bool) and not shape.choices:
        other = value + number
        return other if fits(other, shape) else value - number
    return value


def _text(value: str, number: int) -> str:
    """Rename a text within its format: the host of an address, the end of anything else."""
    if _V4.match(value):
        return _V4.sub(f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", value)
    if value.count(":") > 1 and all(part == "" or len(part) <= 4 for part in value.partition("/")[0].split(":")):
        head, slash, width = value.partition("/")
        return f"fd00:{number:x}::" + ("" if slash else "1") + slash + width if head else value
    digits = str(number)
    if len(value) + len(digits) > 40:
        return value[: -len(digits)] + digits
    return _ENDS_IN_NUMBER.sub("", value) + digits if number else value


def many(items: list[Json], shape: Shape, count: int, numbers: bool = True) -> list[Json]:
    """Return a list of this many distinct items, those that are there first; `numbers` as in `renamed`."""
    first = items[:count] or [filled(shape.elem)][:count]
    wanted = min(count, MOST) - len(first)
    choices = [choice for choice in pool(shape.elem) if choice not in first] if shape.elem.choices else []
    found = [*first, *choices[: max(0, wanted)]]
    missing = min(count, MOST) - len(found)
    return [*found, *_others(first[0], shape.elem, missing, numbers)[:missing]] if missing > 0 else found


_OTHERS: dict[tuple[int, int, bool], tuple[Json, Shape, list[Json]]] = {}
"""Items by what they were made of, by identity: lists of several sizes are made of one item, again and again.

Objects are never changed in place, and what is remembered stays alive, so that nothing else gets its identity.
"""
_MOST_OTHERS, _LONGEST_OTHERS = 256, 300


def _others(first: Json, shape: Shape, count: int, numbers: bool) -> list[Json]:
    """Return at least so many items that differ from one another and from the first; a longer list begins the same."""
    if count > _LONGEST_OTHERS:
        return [renamed(first, shape, number + 2, numbers) for number in range(count)]
    key = id(first), id(shape), numbers
    known = _OTHERS.get(key)
    if known is None:
        if len(_OTHERS) >= _MOST_OTHERS:
            _OTHERS.clear()
        known = _OTHERS[key] = first, shape, []
    made = known[2]
    for number in range(len(made), count):
        made.append(renamed(first, shape, number + 2, numbers))
    return made


def many_entries(values: dict[str, Json], shape: Shape, count: int) -> dict[str, Json]:
    """Return a map of this many entries, those that are there first."""
    found = dict(list(values.items())[:count])
    held = next(iter(values.values()), plausible(shape.elem))
    for number in range(min(count, MOST)):
        if len(found) >= count:
            break
        found.setdefault(f"k{number}", held)
    return found


def at_limit(aim: Aim, shape: Shape, value: Json, member: FieldShape | None) -> Iterator[Json]:
    """Yield values that stand exactly at the limit of a rule, or simply something that it may accept."""
    present = value if value is not ABSENT else None
    if aim.limit is not None:
        counted = rule_facts().limit_of(aim.type, aim.origin)
        in_bytes = counted is not None and counted.measure == "bytes"
        yield from sized(shape, present, aim.limit, in_bytes=in_bytes)
    if present:
        yield present
    yield from shape.choices
    yield filled(shape)
    if aim.limit is None:
        yield from (hint for hint in (member.hints if member else ()) if fits(hint, shape))
        yield from pool(shape)[:12]


def sized(shape: Shape, value: Json, size: int, in_bytes: bool = False) -> Iterator[Json]:
    """Yield values of a size; for numbers, the number itself."""
    if shape.kind == "list":
        items = value if isinstance(value, list) else []
        yield many(items, shape, size)
        if items:
            if shape.elem.kind == "struct":
                yield many(items[:1], shape, size, numbers=False)
            yield items[:1] * size
            yield many([], shape, size)
    elif shape.kind == "map":
        yield many_entries(value if isinstance(value, dict) else {}, shape, size)
    elif shape.kind in ("string", "bytes", "any"):
        size = min(size, 1 << 20)
        held = value if isinstance(value, str) and value else "a"
        yield (held + "a" * size)[:size]
        yield "a" * size
        yield "/".join(["a" * 50] * (size // 51 + 1))[: max(size - 1, 0)] + "a" * (size > 0)
        yield "é" * (size // 2 if in_bytes else size)
    elif fits(size, shape):
        yield size
