"""What differs, put into an object that has little else: most reductions are over with that.

A reduction that starts from the object that was met takes off what is not needed, leaf by leaf. Most differences need
only what stands at one place, and what an accepted object of the kind has to have anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from harness.case import Json
from harness.fuzzers.pairs import Pair
from harness.fuzzers.places import Place, differences, look, put

MOST_PLACES = 12
"""Places that are brought over at once: where an object differs from its base in more, nothing says which count."""


def transplants(met: Pair, place: Place, base: Json, grounds: Sequence[Pair]) -> Iterator[Pair]:
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


def _brought(met: Pair, ground: Pair, places: Sequence[Place]) -> Pair:
    new, old = ground
    for place in places:
        new = put(new, place, look(met[0], place))
        old = None if met[1] is None else put(old, place, look(met[1], place))
    return new, old
