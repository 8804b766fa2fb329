"""Lists in which good and bad items stand together: a rule about items may look at the first, or after another rule.

A list is refused for its length or for an item; what is said of one that is wrong in both shows which rule stops which.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from harness.case import Json
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.sized import Later, many
from harness.fuzzers.values import beyond, filled, fits

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
