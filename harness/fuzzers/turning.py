"""What an update may change: one other value for every place that an object has or lacks."""

from __future__ import annotations

from itertools import islice

from harness.case import Json
from harness.fuzzers.census import members_of
from harness.fuzzers.lacking import Addition
from harness.fuzzers.places import ABSENT, Place, places
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import alternatives, pool

_IDENTITY = frozenset({"name", "namespace", "uid", "resourceVersion", "generation", "generateName"})


def changes_of(obj: Json, shape: Shape) -> list[Addition]:
    """Return a change for every scalar and every absent member, those outside of the metadata first.

    What names the object is left alone. No change lies within another, so that all can be made together.
    """
    found: list[Addition] = []
    for place, below, value in ((), shape, obj), *places(obj, shape):
        if not all(part == 0 for part in place if isinstance(part, int)) or _names(place):
            continue
        if below.kind == "struct" and isinstance(value, dict):
            for name, member in members_of(below):
                at = (*place, name)
                if value.get(name) is None and not _names(at) and place:
                    first = next(islice(alternatives(below.by_name[name]), 1), ABSENT)
                    if first is not ABSENT and member.kind not in ("struct", "list"):
                        found.append(Addition(at, [(at, first)]))
        elif below.kind not in ("list", "map", "struct") and place:
            other = next((one for one in pool(below) if one != value and one.__class__ is value.__class__), ABSENT)
            if other is not ABSENT:
                found.append(Addition(place, [(place, other)]))
    return sorted(found, key=lambda change: (change.place[0] == "metadata", len(change.place)))


def _names(place: Place) -> bool:
    return place in (("apiVersion",), ("kind",)) or (
        len(place) == 2 and place[0] == "metadata" and place[1] in _IDENTITY
    )
