"""Related pairs of old and new: independent objects differ nearly everywhere, so ratcheting has nothing to forgive."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from harness.case import Json

Pair: TypeAlias = tuple[Json, Json]
"""New and old; old is None for a create."""

Pattern: TypeAlias = Callable[[Random, Json, Callable[[Json], Json]], Pair]


def edited(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Accepted, then edited."""
    return edit(base), base


def unchanged(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Edited before, and left as it is."""
    both = edit(base)
    return both, both


def repaired(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Edited before, accepted now."""
    return base, edit(base)


def changed_elsewhere(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Edited before and kept so, with another edit somewhere else."""
    old = edit(base)
    return edit(old), old


def differently(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Edited in one way before, in another way now."""
    return edit(base), edit(base)


def further(random: Random, base: Json, edit: Callable[[Json], Json]) -> Pair:
    """Two edits before, one of them and a third now."""
    common = edit(base)
    return edit(common), edit(common)


PATTERNS: tuple[Pattern, ...] = (edited, edited, unchanged, changed_elsewhere, repaired, differently, further)
"""What the random phase draws from; `edited` twice, because most rules look at it."""


def follow_ups(base: Json, changed: Json, elsewhere: Callable[[Json], Json]) -> list[Pair]:
    """Return the pairs worth asking about once an edited object was seen to be refused."""
    return [(changed, changed), (base, changed), (elsewhere(changed), changed)]


def stored(obj: Json) -> Json:
    """Return a copy as it would be stored: with a uid and a resource version, so that an update may name it."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict):
        return obj
    return {**obj, "metadata": {"resourceVersion": "1", "uid": "a", **metadata}}
