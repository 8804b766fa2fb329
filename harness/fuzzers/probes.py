"""Probes: boundary values for a path, from its shape, tags and comments, the Go source, and messages of validators.

Probes are added to the values that a search tries and restrict nothing. The boundary phase tries all of `probes_of`,
the random phase draws from it. Lists mix valid and invalid items, because a validator may check the first item only, or
items only when another rule passed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, zip_longest
from typing import overload

import msgspec

from harness.case import Json
from harness.fuzzers.feedback import Harvest, Lesson
from harness.fuzzers.invalidvalues import changed_values
from harness.fuzzers.patterns import matching_strings, near_misses
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import LazyValue, list_of_size, resolve
from harness.fuzzers.values import (
    boundary_values,
    common_values,
    fits,
    small_value,
    sparse_value,
    suggested_items,
    suggested_values,
)
from harness.jsonpath import ABSENT

_MAX_LIST = 130
"""Lists get at most this many different items; longer ones would make all cases of a kind slow."""
_MAX_KEYS = 260
"""Maps get at most so many keys for their size alone. With 1,000, and as many items in lists, some validators took
seconds or wrote more than a worker may, which was half of the time of a long run."""
_MAX_COMPARED = 3
"""At most so many words, and so many numbers, that a field is compared with come before its other probes."""
_MAX_TEXT = 5_000
"""Texts for a limit that the sources know have at most about so many characters."""
_ENCODER = msgspec.json.Encoder()
_CONTAINERS = (list, dict)
_EMPTY: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "int": 0, "float": 0, "bool": False, "bytes": "",
}  # fmt: skip


class Probes(Sequence[Json]):
    """Values to put at a path, the most useful first."""

    __slots__ = ("_held",)

    def __init__(self, held: list[Json | LazyValue]) -> None:
        self._held = held

    def __len__(self) -> int:
        return len(self._held)

    @property
    def weight(self) -> int:
        """The memory they use, without strings and inner values, which are shared. Units: about sixteen bytes."""
        return sum(4 + len(held) if held.__class__ in _CONTAINERS else 1 for held in self._held)

    @overload
    def __getitem__(self, index: int) -> Json: ...

    @overload
    def __getitem__(self, index: slice) -> list[Json]: ...

    def __getitem__(self, index: int | slice) -> Json:
        if isinstance(index, slice):
            return [resolve(held) for held in self._held[index]]
        return resolve(self._held[index])


def probes_of(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> Probes:
    """Return values to put at a path whose value is `value` (`ABSENT` when there is none), the most useful first."""
    found: list[Json | LazyValue] = [ABSENT] if value is not ABSENT else []
    if shape.kind in _EMPTY:
        found.append(_EMPTY[shape.kind])
    if shape.kind == "string":
        found += _strings(shape, value, member, harvest)
    elif shape.kind in ("int", "float", "int-or-string"):
        found += _numbers(shape, value, member, harvest)
    elif shape.kind == "list":
        found += _lists(shape, value, member, harvest)
    elif shape.kind == "map":
        found += _maps(shape, value, member, harvest)
    elif shape.kind == "struct":
        found += [sparse_value(shape), None]
    else:
        found += [*common_values(shape), *boundary_values(shape)]
    found[2:2] = shape.own_probes
    found[2:2] = _compared(shape, value, member, harvest)
    if member is not None:
        found[2:2] = suggested_values(member)
        found += suggested_items(member)
    return Probes(_distinct(found, value))


def _compared(
    shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson
) -> list[Json | LazyValue]:
    """Return what the sources compare a field of this name with: a word itself, a number as a value or as a size."""
    known = harvest.literals.compared_with(member.name) if member is not None else ()
    if shape.kind in ("int", "float", "int-or-string"):
        numbers = (close for one in known if isinstance(one, int) for close in (one + 1, one))
        return [number for number in islice(numbers, 2 * _MAX_COMPARED) if fits(number, shape)]
    sizes = [one + 1 for one in known if isinstance(one, int) and one > 1][:_MAX_COMPARED]
    if shape.kind == "string":
        words = [word for word in known if isinstance(word, str) and word][:_MAX_COMPARED]
        return [*words, *("a" * size for size in sizes if size <= _MAX_TEXT)]
    if shape.kind == "list":
        items = list(value) if isinstance(value, list) else []
        return [_items(items, shape, size) for size in sizes if size <= _MAX_LIST + 1]
    return [_keys(value, shape, size) for size in sizes if size <= _MAX_KEYS] if shape.kind == "map" else []


def _items(items: list[Json], shape: Shape, size: int) -> LazyValue:
    """Return a list of so many different items, so that only its length can be rejected."""
    return LazyValue("many", size, lambda size: list_of_size(items, shape, size))


def _keys(value: Json, shape: Shape, size: int) -> LazyValue:
    """Return a map with so many keys, all of the first value of this one."""
    held = _first_value(value, shape)
    return LazyValue("keys", size, lambda size: {f"k{index}": held for index in range(size)})


def _first_value(value: Json, shape: Shape) -> Json:
    """Return the first value of a map, or a small one if it has none."""
    return next(iter(value.values())) if isinstance(value, dict) and value else small_value(shape.elem)


def _strings(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json]:
    limits = [number for number in _given_numbers(shape, member, harvest) if 0 < number <= _MAX_TEXT]
    words = [hint for hint in (member.hints if member else ()) if isinstance(hint, str)]
    known = [word for word in harvest.literals.near(_names(shape, member)) if isinstance(word, str)]
    patterns = harvest.literals.patterns_near(_names(shape, member))[:4]
    formed = [text for pattern in patterns for text in (*matching_strings(pattern)[:1], *near_misses(pattern)[:2])]
    # Limits of strings are in characters or in bytes. Letters of two bytes, a few more than half the limit, distinguish
    # them: they are below a limit in characters and above the same limit in bytes.
    two_byte = ["é" * (limit // 2 + 1) for limit in limits[:2]]
    by_length = ["a" * near for limit in limits[:4] for near in (limit, limit + 1, limit - 1)]
    by_length += [sort for limit in limits[:2] for sort in ("é" * limit, "é" * (limit // 2))]
    held = value if isinstance(value, str) else "a"
    near = [held + "x", held.upper(), held + " ", held + "." + held, held[:-1]] if held else []
    edges = list(boundary_values(shape))
    first = [edges[0], "a b", "A", "x" * 64, "x" * 254] if edges else []
    given = [*words[:6], *known[:8], *formed]
    return [
        *shape.choices,
        *two_byte,
        *first,
        *near,
        *by_length,
        *given,
        *edges,
        *common_values(shape),
        *tuple(harvest.words)[-12:],
    ]


def _names(shape: Shape, member: FieldShape | None) -> tuple[str, ...]:
    """Return the names after which a validator of this path may be named: the field and its type."""
    own = shape.type.rpartition(".")[2] if "." in shape.type else ""
    return tuple(name for name in ((member.name if member else ""), own) if name)


def _numbers(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json]:
    near = [value - 1, value + 1] if isinstance(value, int) and not isinstance(value, bool) else []
    numbers = _given_numbers(shape, member, harvest)
    given = [close for number in numbers[:10] for close in (number, number + 1, number - 1)]
    found = [-1, 0, *near, *given, *boundary_values(shape), *common_values(shape)]
    return [number for number in found if fits(number, shape)]


def _given_numbers(shape: Shape, member: FieldShape | None, harvest: Harvest | Lesson) -> list[int]:
    """Return the numbers of a field's tags, those near its name in the Go source, and those of messages."""
    own = [hint for hint in (member.hints if member else ()) if isinstance(hint, int)]
    known = [number for number in harvest.literals.near(_names(shape, member)) if isinstance(number, int)]
    return list(dict.fromkeys((*own, *known[:4], *tuple(harvest.numbers)[-8:])))


def _lists(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json | LazyValue]:
    items = list(value) if isinstance(value, list) else []
    one = items[0] if items else sparse_value(shape.elem)

    def lists_of(*sizes: int) -> Iterator[LazyValue]:
        return (_items(items, shape, size) for size in sizes if size != len(items))

    found: list[Json | LazyValue] = [[*items, one], [one] * 2, [*items, sparse_value(shape.elem)]]
    found += [items[::-1], [*items[1:], items[0]]] if len(items) > 1 else []
    limits = [number for number in _given_numbers(shape, member, harvest)[:4] if 0 < number <= _MAX_LIST]
    found += islice(mixed_lists(items, shape, member, limits), 6)
    found += lists_of(*(size for limit in limits for size in (limit + 1, limit, limit - 1)))
    # A second item that differs in one member: its keys are equal, or all but one.
    found += [[*items, other] for other in islice(changed_values(shape.elem, one, None), 12)] if items else []
    if shape.elem.kind in ("string", "int", "int-or-string"):
        found += [[*items, other] for other in (*common_values(shape.elem)[:12], *boundary_values(shape.elem)[:12])]
        found += lists_of(17, 33, 65)
    return [*found, *(LazyValue("same", size, lambda size: [one] * size) for size in (17, 33, 65, 101, 257)), None]


def _maps(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json | LazyValue]:
    members = dict(value) if isinstance(value, dict) else {}
    near = harvest.literals.near(_names(shape, member)) if shape.elem.kind != "struct" else ()
    named = [word for word in near if isinstance(word, str)][:_MAX_NAMED_KEYS]
    held = _first_value(value, shape)
    own = boundary_values(shape.key)[:12] if shape.key.format else ()
    keys = (
        *own,
        "",
        "a b",
        "A",
        "x" * 64,
        "-a",
        "example.com/a",
        "a/b/c",
        "x" * 254,
        "é",
        *shape.key.choices[:4],
        *named,
    )
    by_key: list[Json] = [{**members, str(key): held} for key in dict.fromkeys(keys)]
    by_value: list[Json] = [
        {**members, "a": other} for other in (*boundary_values(shape.elem)[:8], *common_values(shape.elem)[:8])
    ]
    found = [probe for both in zip_longest(by_key, by_value, fillvalue=ABSENT) for probe in both if probe is not ABSENT]
    limits = [number for number in _given_numbers(shape, member, harvest)[:4] if 0 < number < _MAX_KEYS]
    sizes = dict.fromkeys((*(size for limit in limits for size in (limit + 1, limit)), 65))
    return [*found, *(_keys(value, shape, size) for size in sizes), None]


def _distinct(values: list[Json | LazyValue], present: Json) -> list[Json | LazyValue]:
    """Drop equal values."""
    seen: set[object] = {key_of(present)}
    found = []
    for value in values:
        key: object = value[:2] if value.__class__ is LazyValue else key_of(value)
        if key not in seen:
            seen.add(key)
            # Interned, because hundreds of thousands of lists of probes share their strings.
            found.append(sys.intern(value) if value.__class__ is str else value)
    return found


def key_of(value: Json) -> str | bytes | tuple[str]:
    """Return a key of a value: 1, 1.0 and "1" are three values."""
    if value.__class__ is str:
        return (value,)
    if value.__class__ is list or value.__class__ is dict:
        try:
            return _ENCODER.encode(value)  # a tenth of the time of `repr`, and lists of probes are long
        except (ValueError, TypeError):  # half a surrogate pair
            return repr(value)
    return repr(value)


_MAX_NAMED_KEYS = 16
"""At most this many keys of a map are taken from the sources of its validator."""
_WORST_LENGTH = 300
"""The length of the worst text, unless a tag of the items has a greater limit. Units: characters."""
_MAX_INVALID_ITEMS = 4
"""At most this many other invalid items are put after valid ones."""


def mixed_lists(
    items: list[Json], shape: Shape, member: FieldShape | None, limits: Sequence[int]
) -> Iterator[Json | LazyValue]:
    """Yield one item three times, then valid items before an invalid one, then lists that are one item too long.

    Lists that are too long end with several invalid items, because one that only seems invalid would show nothing.
    """
    valid = items or [sparse_value(shape.elem)]
    yield [valid[0]] * 3
    invalid = _invalid_items(shape.elem, member)
    ahead = valid[:-1] or valid
    yield from ([*ahead, item] for item in invalid[:1])
    for limit in limits[:2]:
        ends = [*invalid[1:][-limit + 1 :], *invalid[:1]] if limit > 1 else invalid[:1]
        yield LazyValue("blend", limit + 1, partial(_list_with_ends, ends, valid, shape))
    yield from ([*ahead, item] for item in invalid[1:])


def _list_with_ends(ends: list[Json], valid: list[Json], shape: Shape, size: int) -> Json:
    """Return a list of a size with these items at the end."""
    return [*list_of_size(valid, shape, size - len(ends)), *ends]


def _invalid_items(shape: Shape, member: FieldShape | None) -> list[Json]:
    """Return items that a rule may reject: first the one that violates most rules, last an empty one."""
    suggestions = member.suggestions.items if member else ()
    if shape.kind == "struct":
        return [{}]
    if shape.kind == "string" and not shape.choices:
        sizes = [value for value in suggestions if isinstance(value, int) and not isinstance(value, bool) and value > 0]
        # A blank, a slash, letters of two bytes, and longer than any limit: no format and no limit accepts it.
        worst = " /" + "é" * max([_WORST_LENGTH, *sizes])
        texts = [value for value in suggestions if isinstance(value, str)]
        return [worst, *["a" * size for size in sizes[:_MAX_INVALID_ITEMS]], *texts[:_MAX_INVALID_ITEMS], ""]
    return [*(value for value in suggestions if fits(value, shape)), *boundary_values(shape)][: 1 + _MAX_INVALID_ITEMS]
