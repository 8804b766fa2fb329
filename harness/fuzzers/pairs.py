"""Related pairs of old and new: independent objects differ nearly everywhere, so ratcheting has nothing to forgive."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from harness.case import Json

Pair: TypeAlias = tuple[Json, Json]
"""New and old; old is None for a create."""


def follow_ups(base: Json, changed: Json, elsewhere: Callable[[Json], Json]) -> list[Pair]:
    """Return the pairs worth asking about once an edited object was seen to be refused."""
    return [(changed, changed), (base, changed), (elsewhere(changed), changed)]


def unchanged(obj: Json, pair: Pair) -> Pair:
    """Return an object as new, and as old too where this pair has an old one."""
    return obj, None if pair[1] is None else obj
