"""Updates of related objects: between independent ones nearly every value changes, so that nothing is ratcheted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from harness.case import Json

Pair: TypeAlias = tuple[Json, Json]
"""The new and the old object; old is None for a create."""


def follow_ups(base: Json, changed: Json, elsewhere: Callable[[Json], Json]) -> list[Pair]:
    """Return the pairs to ask about after an edited object was rejected: unchanged, repaired, and edited elsewhere."""
    return [(changed, changed), (base, changed), (elsewhere(changed), changed)]


def unchanged(obj: Json, pair: Pair) -> Pair:
    """Return an object as new, and as old too where this pair has an old one."""
    return obj, None if pair[1] is None else obj
