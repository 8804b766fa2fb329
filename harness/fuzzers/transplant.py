"""What differs, put into an object that has little else: most reductions are over with that.

A reduction that starts from the object that was met takes off what is not needed, leaf by leaf. Most differences need
only what stands at one place, and what an accepted object of the kind has to have anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from harness.case import Json
from harness.fuzzers.alike import quarters
from harness.fuzzers.pairs import Pair
from harness.jsonpath import ABSENT, JsonPath, differences, look, put

MOST_PLACES = 12
"""Places that are brought over at once: where an object differs from its base in more, nothing says which count."""
MANY_MEMBERS = 6
"""Fewer members of an object are left out one by one."""


def transplants(met: Pair, place: JsonPath, base: Json, grounds: Sequence[Pair]) -> Iterator[Pair]:
    """Yield each ground with a part of what was met: the place alone, then more and more of what is around it.

    At last with every place at which what was met differs from `base`, the accepted object it was made from.
    """
    new, old = met
    changed = dict.fromkeys(
        (*islice(differences(new, base), MOST_PLACES), *(islice(differences(old, base), MOST_PLACES) if old else ()))
    )
    for ground in grounds:
        for depth in range(len(place), 0, -1):
            yield _brought(met, ground, (place[:depth],))
        if base is not None and len(changed) <= MOST_PLACES:
            yield _brought(met, ground, tuple(changed))


def some_members(shown: Pair, place: JsonPath, ground: Pair) -> Iterator[Pair]:
    """Yield the ground with some members of the outermost object in which it differs in more than one.

    First each quarter of them, then all but each quarter. With them goes what stands at the place of the difference, if
    there is anything. Nothing where members are few.
    """
    at: JsonPath = ()
    while len(different := _different(shown, ground, at)) == 1:
        at = (*at, different[0])
    if len(different) >= MANY_MEMBERS:
        own = () if place == at[: len(place)] or look(shown[0], place) is ABSENT else (place,)
        parts = quarters(different)
        for names in (*parts, *([name for name in different if name not in part] for part in parts)):
            yield _brought(shown, ground, (*((*at, name) for name in names), *own))


def _different(shown: Pair, ground: Pair, at: JsonPath) -> list[str]:
    """List the members of an object that are other ones in the ground."""
    found: dict[str, None] = {}
    for obj, bare in zip(shown, ground, strict=True):
        value = look(obj, at)
        if isinstance(value, dict):
            found |= dict.fromkeys(name for name, held in value.items() if held != look(bare, (*at, name)))
    return list(found)


def _brought(met: Pair, ground: Pair, places: Sequence[JsonPath]) -> Pair:
    new, old = ground
    for place in places:
        new = put(new, place, look(met[0], place))
        old = None if met[1] is None else put(old, place, look(met[1], place))
    return new, old
