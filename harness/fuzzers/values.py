"""Values worth trying, by shape: what something tends to accept, what lies at edges, what the tags of a field suggest.

The one library of values: the engine and the Hypothesis strategies draw from it alike. What formats hold is written in
`contents`, which field holds which format in `naming`. It knows no kind. Everything here is constant, so that a run is
a function of its seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from harness.case import Json
from harness.fuzzers.contents import Content, blind, content
from harness.fuzzers.shape import FieldShape, Shape
from harness.jsonpath import ABSENT

LIMITS = {8: (-(2**7), 2**7 - 1), 16: (-(2**15), 2**15 - 1), 32: (-(2**31), 2**31 - 1), 64: (-(2**63), 2**63 - 1)}
_MOST_FLOAT32 = (2 - 2**-23) * 2.0**127
_MOST_ITEMS = 1025
_AT_ONCE = 8
"""So many values that tags suggest stand in one list or map, where no tag says how many may."""


def pool(shape: Shape) -> tuple[Json, ...]:
    """Return values of this shape that something tends to accept.

    Declared constants come first, then those of the format that the shape seems to hold, then those of its kind.
    """
    return _pool(shape.kind, shape.format, shape.choices, shape.bits, shape.signed)


def beyond(shape: Shape) -> tuple[Json, ...]:
    """Return values of this shape at edges: near misses of the declared constants, then those of its format and kind.

    Lengths, signs, widths, letters of several bytes, other ways of writing the same.
    """
    return _beyond(shape.kind, shape.format, shape.choices, shape.bits, shape.signed)


def suggested(member: FieldShape) -> tuple[Json, ...]:
    """Return what the tags of a member suggest, as values of it: a limit of items as a list of that many."""
    shape, told = member.shape, member.suggestions
    if shape.kind not in ("list", "map"):
        return tuple(value for value in told.own if fits(value, shape))
    sizes, items, most = _told(member)
    found = [_sized(shape, size) for size in sizes]
    # As many items at once as a list may have: what is said of one is said at its own place.
    parts = [items[start : start + most] for start in range(0, len(items), most)]
    if shape.kind == "list":
        found += parts
    else:
        found += [{f"k{number}": value for number, value in enumerate(part)} for part in parts]
        keys, held = [key for key in told.keys if isinstance(key, str)], plausible(shape.elem)
        found += [dict.fromkeys(keys[start : start + most], held) for start in range(0, len(keys), most) if most > 1]
        found += [{key: held} for key in keys]
    return tuple(found)


def suggested_alone(member: FieldShape) -> tuple[Json, ...]:
    """Return what the tags of a list or map suggest for items, each in a list or map of its own."""
    if member.shape.kind not in ("list", "map"):
        return ()
    _, items, most = _told(member)
    return () if most == 1 else tuple([value] if member.shape.kind == "list" else {"a": value} for value in items)


def _told(member: FieldShape) -> tuple[list[int], list[Json], int]:
    """Return the sizes that the tags of a member speak of, values for items, and how many items there may be."""
    told = member.suggestions
    sizes = [size for size in told.own if isinstance(size, int) and 0 <= size <= _MOST_ITEMS]
    items = [value for value in told.items if fits(value, member.shape.elem)]
    return sizes, items, max(1, max(sizes, default=_AT_ONCE + 1) - 1)


def several(shape: Shape, count: int) -> list[Json]:
    """Make so many different values of a shape, likely ones; the same value again where its kind has no more.

    Structs have what `filled` gives them, and differ in every string and number that has no declared constants.
    """
    return [_nth(shape, number, 3) for number in range(count)]


def _sized(shape: Shape, size: int) -> Json:
    if shape.kind == "list":
        return several(shape.elem, size)
    return {str(key): plausible(shape.elem) for key in several(shape.key, size)}


def _nth(shape: Shape, number: int, depth: int) -> Json:
    """The nth value of a shape. The first is the likeliest."""
    if shape.kind == "struct":
        likely = filled(shape, depth)
        if not isinstance(likely, dict) or depth <= 0 or not number:
            return likely
        return {name: _nth(shape.child(name), number, depth - 1) for name in likely}
    if shape.kind in ("list", "map") or not number:
        return plausible(shape)
    if shape.choices:
        return shape.choices[number % len(shape.choices)]
    known = next((one for one in _contents(shape.kind, shape.format) if one.series), None)
    values = pool(shape)
    if known is not None and known.series is not None:
        return known.series(number)
    return values[number % len(values)]


def _contents(kind: str, format: str) -> tuple[Content, ...]:
    return (content(format, kind), content(kind)) if format else (content(kind),)


@lru_cache(maxsize=4096)
def _pool(kind: str, format: str, choices: tuple[str | int, ...], bits: int, signed: bool) -> tuple[Json, ...]:
    known = tuple(value for one in _contents(kind, format) for value in one.plausible)
    if kind == "int":
        known = tuple(value for value in known if _holds(value, bits, signed))
    return _distinct((*choices, *known, *blind(kind)))


@lru_cache(maxsize=4096)
def _beyond(kind: str, format: str, choices: tuple[str | int, ...], bits: int, signed: bool) -> tuple[Json, ...]:
    values: tuple[Json, ...] = tuple(value for one in _contents(kind, format) for value in one.edges)
    if kind == "int":
        values = (*(value for value in values if _holds(value, bits, signed)), *_ends(bits, signed))
    misses = [miss for choice in choices[:3] if isinstance(choice, str) and choice for miss in _near(choice)]
    return _distinct((*misses, *values))


def _holds(value: Json, bits: int, signed: bool) -> bool:
    low, high = _ends(bits, signed)
    return isinstance(value, int) and low <= value <= high


def _ends(bits: int, signed: bool) -> tuple[int, int]:
    low, high = LIMITS.get(bits, LIMITS[64])
    return (low, high) if signed else (0, 2 * high + 1)


def _near(choice: str) -> tuple[str, ...]:
    return choice.swapcase(), choice + "x", choice + " "


def _distinct(values: tuple[Json, ...]) -> tuple[Json, ...]:
    return tuple({repr(value): value for value in values}.values())


def plausible(shape: Shape, depth: int = 3) -> Json:
    """Make a small value of this shape; members of structs are left out, feedback asks for those that are needed."""
    if shape.choices:
        return next((choice for choice in shape.choices if choice != ""), "")
    if shape.kind == "list":
        return [plausible(shape.elem, depth - 1)] if depth > 0 else []
    if shape.kind == "map":
        return {str(plausible(shape.key)): plausible(shape.elem, depth - 1)} if depth > 0 else {}
    return {} if shape.kind == "struct" else pool(shape)[0]


def filled(shape: Shape, depth: int = 4) -> Json:
    """Make a value in which every member that has no `omitempty` is present."""
    if shape.kind == "struct" and depth > 0:
        wanted = (member for member in shape.fields if not member.omitempty and not member.pointer)
        return {member.name: filled(member.shape, depth - 1) for member in wanted}
    if shape.kind == "list" and depth > 0:
        return [filled(shape.elem, depth - 1)]
    return plausible(shape, depth)


def rich(shape: Shape, depth: int = 2) -> Json:
    """Make a value in which members of every sort are present, down to a depth."""
    if shape.kind == "struct" and depth > 0:
        return {member.name: rich(member.shape, depth - 1) for member in shape.fields}
    if shape.kind == "list":
        return [rich(shape.elem, depth - 1)]
    return plausible(shape, depth)


def alternatives(member: FieldShape) -> Iterator[Json]:
    """Yield values to add an absent member with, the likeliest first."""
    shape = member.shape
    if shape.kind in ("struct", "list"):
        yield filled(shape)
        yield plausible(shape)
        if shape.kind == "struct":
            for below in shape.fields[:40]:
                yield {below.name: filled(below.shape)}
        elif shape.elem.kind not in ("struct", "list", "map"):
            for value in pool(shape.elem):
                yield [value]
        return
    if shape.kind == "map":
        for key in shape.key.choices[:4]:
            yield {str(key): plausible(shape.elem)}
        for value in pool(shape.elem)[:6] or ({},):
            yield {"a": value}
        for key in pool(shape.key)[1:30]:
            yield {str(key): plausible(shape.elem)}
        return
    yield from (hint for hint in member.hints if fits(hint, shape))
    yield from pool(shape)


def fits(value: Json, shape: Shape) -> bool:
    """Whether a word or number can stand at a place of this shape."""
    if value is ABSENT or value is None:
        return True
    if shape.kind in ("string", "quantity", "time", "micro-time", "duration"):
        return isinstance(value, str)
    if isinstance(value, bool):
        return shape.kind in ("bool", "any")
    if shape.kind == "int":
        return _holds(value, shape.bits, shape.signed)
    if shape.kind == "float":
        return isinstance(value, int | float) and (shape.bits != 32 or abs(value) <= _MOST_FLOAT32)
    return shape.kind in ("int-or-string", "any") and isinstance(value, int | str)
