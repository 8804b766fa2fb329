"""Values by shape: commonly accepted values, boundary values, and the values that the tags of a field suggest.

The engine and the Hypothesis strategies both use this library. `contents` has the values of formats, `naming` the
format of fields. Depends on no kind. All values are constant, so that a run is a function of its random seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from harness.case import Json
from harness.fuzzers.contents import Content, blind, content
from harness.fuzzers.shape import FieldShape, Shape
from harness.jsonpath import ABSENT

LIMITS = {8: (-(2**7), 2**7 - 1), 16: (-(2**15), 2**15 - 1), 32: (-(2**31), 2**31 - 1), 64: (-(2**63), 2**63 - 1)}
_MAX_FLOAT32 = (2 - 2**-23) * 2.0**127
_MAX_ITEMS = 1025
"""Suggested lists and maps have at most this many items."""
_MAX_SINGLE_MEMBERS = 40
"""At most this many members are tried as the only member of a struct."""
_DEFAULT_ITEMS = 8
"""Suggested values are put into lists and maps of this many, where no tag limits their size."""


def common_values(shape: Shape) -> tuple[Json, ...]:
    """Return commonly accepted values of this shape.

    Declared constants come first, then values of its presumed format, then values of its kind.
    """
    return _pool(shape.kind, shape.format, shape.choices, shape.bits, shape.signed)


def boundary_values(shape: Shape) -> tuple[Json, ...]:
    """Return boundary values of this shape: near misses of the declared constants, then those of its format and kind.

    They vary length, sign, width, letters of several bytes, and notation.
    """
    return _beyond(shape.kind, shape.format, shape.choices, shape.bits, shape.signed)


def suggested_values(member: FieldShape) -> tuple[Json, ...]:
    """Return the values that the tags of a member suggest; a limit on items becomes a list of that many."""
    shape, suggestions = member.shape, member.suggestions
    if shape.kind not in ("list", "map"):
        return tuple(value for value in suggestions.own if fits(value, shape))
    sizes, items, most = _sizes_and_items(member)
    found = [_sized(shape, size) for size in sizes]
    # As many items in one list as it may have: an error about an item is reported at the path of the item.
    parts = [items[start : start + most] for start in range(0, len(items), most)]
    if shape.kind == "list":
        found += parts
    else:
        found += [{f"k{number}": value for number, value in enumerate(part)} for part in parts]
        keys, held = [key for key in suggestions.keys if isinstance(key, str)], small_value(shape.elem)
        found += [dict.fromkeys(keys[start : start + most], held) for start in range(0, len(keys), most) if most > 1]
        found += [{key: held} for key in keys]
    return tuple(found)


def suggested_items(member: FieldShape) -> tuple[Json, ...]:
    """Return the values that the tags of a list or map suggest for items, each in a list or map of its own."""
    if member.shape.kind not in ("list", "map"):
        return ()
    _, items, most = _sizes_and_items(member)
    return () if most == 1 else tuple([value] if member.shape.kind == "list" else {"a": value} for value in items)


def _sizes_and_items(member: FieldShape) -> tuple[list[int], list[Json], int]:
    """Return the sizes that the tags of a member suggest, values for items, and the largest number of items."""
    suggestions = member.suggestions
    sizes = [size for size in suggestions.own if isinstance(size, int) and 0 <= size <= _MAX_ITEMS]
    items = [value for value in suggestions.items if fits(value, member.shape.elem)]
    return sizes, items, max(1, max(sizes, default=_DEFAULT_ITEMS + 1) - 1)


def distinct_values(shape: Shape, count: int) -> list[Json]:
    """Return this many different common values of a shape; values repeat if its kind has fewer.

    Structs have the members of `sparse_value`, and differ in every string and number without declared constants.
    """
    return [_nth(shape, number, 3) for number in range(count)]


def _sized(shape: Shape, size: int) -> Json:
    if shape.kind == "list":
        return distinct_values(shape.elem, size)
    return {str(key): small_value(shape.elem) for key in distinct_values(shape.key, size)}


def _nth(shape: Shape, number: int, depth: int) -> Json:
    """Return the nth value of a shape. The first is the most common."""
    if shape.kind == "struct":
        likely = sparse_value(shape, depth)
        if not isinstance(likely, dict) or depth <= 0 or not number:
            return likely
        return {name: _nth(shape.child(name), number, depth - 1) for name in likely}
    if shape.kind in ("list", "map") or not number:
        return small_value(shape)
    if shape.choices:
        return shape.choices[number % len(shape.choices)]
    known = next((one for one in _contents(shape.kind, shape.format) if one.series), None)
    values = common_values(shape)
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
    values: tuple[Json, ...] = tuple(value for one in _contents(kind, format) for value in one.boundary)
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


def small_value(shape: Shape, depth: int = 3) -> Json:
    """Return a small value of this shape. Structs are empty; members that errors require are added later."""
    if shape.choices:
        return next((choice for choice in shape.choices if choice != ""), "")
    if shape.kind == "list":
        return [small_value(shape.elem, depth - 1)] if depth > 0 else []
    if shape.kind == "map":
        return {str(small_value(shape.key)): small_value(shape.elem, depth - 1)} if depth > 0 else {}
    return {} if shape.kind == "struct" else common_values(shape)[0]


def sparse_value(shape: Shape, depth: int = 4) -> Json:
    """Return a value with every member that has no `omitempty`."""
    if shape.kind == "struct" and depth > 0:
        wanted = (member for member in shape.fields if not member.omitempty and not member.pointer)
        return {member.name: sparse_value(member.shape, depth - 1) for member in wanted}
    if shape.kind == "list" and depth > 0:
        return [sparse_value(shape.elem, depth - 1)]
    return small_value(shape, depth)


def full_value(shape: Shape, depth: int = 2) -> Json:
    """Return a value with all members, down to a depth."""
    if shape.kind == "struct" and depth > 0:
        return {member.name: full_value(member.shape, depth - 1) for member in shape.fields}
    if shape.kind == "list":
        return [full_value(shape.elem, depth - 1)]
    return small_value(shape, depth)


def alternatives(member: FieldShape) -> Iterator[Json]:
    """Yield values for an absent member, the likeliest to be accepted first."""
    shape = member.shape
    if shape.kind in ("struct", "list"):
        yield sparse_value(shape)
        yield small_value(shape)
        if shape.kind == "struct":
            for child in shape.fields[:_MAX_SINGLE_MEMBERS]:
                yield {child.name: sparse_value(child.shape)}
        elif shape.elem.kind not in ("struct", "list", "map"):
            for value in common_values(shape.elem):
                yield [value]
        return
    if shape.kind == "map":
        for key in shape.key.choices[:4]:
            yield {str(key): small_value(shape.elem)}
        for value in common_values(shape.elem)[:6] or ({},):
            yield {"a": value}
        for key in common_values(shape.key)[1:30]:
            yield {str(key): small_value(shape.elem)}
        return
    yield from (hint for hint in member.hints if fits(hint, shape))
    yield from common_values(shape)


def fits(value: Json, shape: Shape) -> bool:
    """Whether a string or number is a JSON value of this shape."""
    if value is ABSENT or value is None:
        return True
    if shape.kind in ("string", "quantity", "time", "micro-time", "duration"):
        return isinstance(value, str)
    if isinstance(value, bool):
        return shape.kind in ("bool", "any")
    if shape.kind == "int":
        return _holds(value, shape.bits, shape.signed)
    if shape.kind == "float":
        return isinstance(value, int | float) and (shape.bits != 32 or abs(value) <= _MAX_FLOAT32)
    if shape.kind == "decimal":
        return isinstance(value, int | float | str)
    return shape.kind in ("int-or-string", "any") and isinstance(value, int | str)
