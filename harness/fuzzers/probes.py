"""Values at edges, for a place: from its shape, from hints in the types, from sources and messages of validators.

Probes add to what is tried and restrict nothing. The deterministic pass goes through `probes_of`, the random phase
draws from it. Lists have good and bad items together: a rule about items may look at the first, or after another rule.
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
from harness.fuzzers.patterns import matching, nearly_matching
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import Later, many, now
from harness.fuzzers.spoiling import changed
from harness.fuzzers.values import beyond, filled, fits, plausible, pool, suggested, suggested_alone
from harness.jsonpath import ABSENT

_LONGEST_LIST = 130
"""Lists of this many different items are made; longer ones would make all cases of a kind slow."""
_ENCODER = msgspec.json.Encoder()
_CONTAINERS = (list, dict)
_EMPTY: dict[str, Json] = {
    "struct": {}, "list": [], "map": {}, "string": "", "int": 0, "float": 0, "bool": False, "bytes": "",
}  # fmt: skip


class Probes(Sequence[Json]):
    """Values to put at a place, most telling first."""

    __slots__ = ("_held",)

    def __init__(self, held: list[Json | Later]) -> None:
        self._held = held

    def __len__(self) -> int:
        return len(self._held)

    @property
    def weight(self) -> int:
        """How much they take up, in some sixteen bytes: strings are shared, and what is inside is of the object."""
        return sum(4 + len(held) if held.__class__ in _CONTAINERS else 1 for held in self._held)

    @overload
    def __getitem__(self, index: int) -> Json: ...

    @overload
    def __getitem__(self, index: slice) -> list[Json]: ...

    def __getitem__(self, index: int | slice) -> Json:
        if isinstance(index, slice):
            return [now(held) for held in self._held[index]]
        return now(self._held[index])


def probes_of(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> Probes:
    """Return values to put at a place that holds `value` (`ABSENT` when nothing stands there), most telling first."""
    found: list[Json | Later] = [ABSENT] if value is not ABSENT else []
    if shape.kind in _EMPTY:
        found.append(_EMPTY[shape.kind])
    if shape.kind == "string":
        found += _strings(shape, value, member, harvest)
    elif shape.kind in ("int", "float", "int-or-string"):
        found += _numbers(shape, value, member, harvest)
    elif shape.kind == "list":
        found += _lists(shape, value, member, harvest)
    elif shape.kind == "map":
        found += _maps(shape, value)
    elif shape.kind == "struct":
        found += [filled(shape), None]
    else:
        found += [*pool(shape), *beyond(shape)]
    if member is not None:
        found[2:2] = suggested(member)
        found += suggested_alone(member)
    return Probes(_distinct(found, value))


def _strings(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json]:
    limits = [number for number in _given_numbers(shape, member, harvest) if 0 < number <= 5000]
    words = [hint for hint in (member.hints if member else ()) if isinstance(hint, str)]
    known = [word for word in harvest.literals.near(_names(shape, member)) if isinstance(word, str)]
    patterns = harvest.literals.patterns_near(_names(shape, member))[:4]
    formed = [text for pattern in patterns for text in (*matching(pattern)[:1], *nearly_matching(pattern)[:2])]
    # Limits of strings are in characters or in bytes: letters of two bytes tell which, and a few more than half as many
    # as are allowed are within the one and beyond the other.
    telling = ["é" * (limit // 2 + 1) for limit in limits[:2]]
    by_length = ["a" * near for limit in limits[:4] for near in (limit, limit + 1, limit - 1)]
    by_length += [sort for limit in limits[:2] for sort in ("é" * limit, "é" * (limit // 2))]
    held = value if isinstance(value, str) else "a"
    near = [held + "x", held.upper(), held + " ", held + "." + held, held[:-1]] if held else []
    edges = list(beyond(shape))
    first = [edges[0], "a b", "A", "x" * 64, "x" * 254] if edges else []
    given = [*words[:6], *known[:8], *formed]
    return [
        *shape.choices,
        *telling,
        *first,
        *near,
        *by_length,
        *given,
        *edges,
        *pool(shape),
        *tuple(harvest.words)[-12:],
    ]


def _names(shape: Shape, member: FieldShape | None) -> tuple[str, ...]:
    """Return what a validator of this place may be called after: the field and its type."""
    own = shape.type.rpartition(".")[2] if "." in shape.type else ""
    return tuple(name for name in ((member.name if member else ""), own) if name)


def _numbers(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json]:
    near = [value - 1, value + 1] if isinstance(value, int) and not isinstance(value, bool) else []
    numbers = _given_numbers(shape, member, harvest)
    given = [close for number in numbers[:10] for close in (number, number + 1, number - 1)]
    found = [-1, 0, *near, *given, *beyond(shape), *pool(shape)]
    return [number for number in found if fits(number, shape)]


def _given_numbers(shape: Shape, member: FieldShape | None, harvest: Harvest | Lesson) -> list[int]:
    """Return the numbers of a field's tags, of the sources that speak of it, and of messages."""
    own = [hint for hint in (member.hints if member else ()) if isinstance(hint, int)]
    known = [number for number in harvest.literals.near(_names(shape, member)) if isinstance(number, int)]
    return list(dict.fromkeys((*own, *known[:4], *tuple(harvest.numbers)[-8:])))


def _lists(shape: Shape, value: Json, member: FieldShape | None, harvest: Harvest | Lesson) -> list[Json | Later]:
    items = list(value) if isinstance(value, list) else []
    one = items[0] if items else filled(shape.elem)

    def lists_of(*sizes: int) -> Iterator[Later]:
        """Make real content: items that all differ, so that length is all there is to complain about."""
        return (Later("many", size, lambda size: many(items, shape, size)) for size in sizes if size != len(items))

    found: list[Json | Later] = [[*items, one], [one] * 2, [*items, filled(shape.elem)]]
    found += [items[::-1], [*items[1:], items[0]]] if len(items) > 1 else []
    limits = [number for number in _given_numbers(shape, member, harvest)[:4] if 0 < number <= _LONGEST_LIST]
    found += islice(blends(items, shape, member, limits), 6)
    found += lists_of(*(size for limit in limits for size in (limit + 1, limit, limit - 1)))
    # The second time around: equal in every key or in all but one, and different in all else.
    found += [[*items, other] for other in islice(changed(shape.elem, one, None), 12)] if items else []
    if shape.elem.kind in ("string", "int", "int-or-string"):
        found += [[*items, other] for other in (*pool(shape.elem)[:12], *beyond(shape.elem)[:12])]
        found += lists_of(17, 33, 65)
    return [*found, *(Later("same", size, lambda size: [one] * size) for size in (17, 33, 65, 101, 257)), None]


def _maps(shape: Shape, value: Json) -> list[Json]:
    members = dict(value) if isinstance(value, dict) else {}
    held = next(iter(members.values()), plausible(shape.elem))
    own = beyond(shape.key)[:12] if shape.key.format else ()
    keys = (*own, "", "a b", "A", "x" * 64, "-a", "example.com/a", "a/b/c", "x" * 254, "é", *shape.key.choices[:4])
    by_key: list[Json] = [{**members, str(key): held} for key in dict.fromkeys(keys)]
    by_value: list[Json] = [{**members, "a": other} for other in (*beyond(shape.elem)[:8], *pool(shape.elem)[:8])]
    found = [probe for both in zip_longest(by_key, by_value, fillvalue=ABSENT) for probe in both if probe is not ABSENT]
    return [*found, {f"k{index}": held for index in range(65)}, None]


def _distinct(values: list[Json | Later], present: Json) -> list[Json | Later]:
    """Drop what looks the same."""
    seen: set[object] = {look_of(present)}
    found = []
    for value in values:
        key: object = value[:2] if value.__class__ is Later else look_of(value)
        if key not in seen:
            seen.add(key)
            # Lists of probes are hundreds of thousands, and have their strings in common.
            found.append(sys.intern(value) if value.__class__ is str else value)
    return found


def look_of(value: Json) -> str | bytes | tuple[str]:
    """Return what tells a value from those that look different: 1, 1.0 and "1" are three values."""
    if value.__class__ is str:
        return (value,)
    if value.__class__ is list or value.__class__ is dict:
        try:
            return _ENCODER.encode(value)  # a tenth of the price of `repr`, and the lists of probes are long
        except (ValueError, TypeError):  # half a surrogate pair
            return repr(value)
    return repr(value)


_LONG = 300
"""Characters of the worst text, where no tag of the items speaks of a greater length."""
_WORSE = 4
"""So many other bad items are put behind good ones."""


def blends(items: list[Json], shape: Shape, member: FieldShape | None, limits: Sequence[int]) -> Iterator[Json | Later]:
    """Yield one item three times, then good items before a bad one: as few as there are, and one too many.

    Where they are too many, as many are bad as there are, so that none that only seems bad stands alone.
    """
    good = items or [filled(shape.elem)]
    yield [good[0]] * 3
    bad = _bad(shape.elem, member)
    ahead = good[:-1] or good
    yield from ([*ahead, item] for item in bad[:1])
    for limit in limits[:2]:
        ends = [*bad[1:][-limit + 1 :], *bad[:1]] if limit > 1 else bad[:1]
        yield Later("blend", limit + 1, partial(_ending, ends, good, shape))
    yield from ([*ahead, item] for item in bad[1:])


def _ending(ends: list[Json], good: list[Json], shape: Shape, size: int) -> Json:
    """Make a list of a size with these items at the end."""
    return [*many(good, shape, size - len(ends)), *ends]


def _bad(shape: Shape, member: FieldShape | None) -> list[Json]:
    """Return items that a rule may refuse: first the one that is wrong in most ways, last one with nothing in it."""
    told = member.suggestions.items if member else ()
    if shape.kind == "struct":
        return [{}]
    if shape.kind == "string" and not shape.choices:
        sizes = [value for value in told if isinstance(value, int) and not isinstance(value, bool) and value > 0]
        # A blank, a slash, letters of two bytes, and longer than anything: no format takes it, and no limit.
        worst = " /" + "é" * max([_LONG, *sizes])
        texts = [value for value in told if isinstance(value, str)]
        return [worst, *["a" * size for size in sizes[:_WORSE]], *texts[:_WORSE], ""]
    return [*(value for value in told if fits(value, shape)), *beyond(shape)][: 1 + _WORSE]
