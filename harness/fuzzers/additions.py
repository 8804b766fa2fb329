"""What an object lacks of its type, the likeliest way to bring each of it in, and what an update may change in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from harness.case import Json
from harness.fuzzers.census import NESTED, members_of, nested
from harness.fuzzers.graft import others
from harness.fuzzers.places import places, shape_at
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import alternatives, filled, pool
from harness.jsonpath import ABSENT, Edit, JsonPath, apply_all, look
from harness.objectmodel import HEADER, NAMING, is_in_metadata


@dataclass(slots=True)
class Addition:
    """What brings a path into an object: that path, and every edit that it needs."""

    place: JsonPath
    edits: list[Edit]

    @classmethod
    def alone(cls, place: JsonPath, value: Json) -> Addition:
        """Return the one that needs no other edit."""
        return cls(place, [Edit(place, value)])

    def apply(self, obj: Json) -> Json:
        """Return the changed copy."""
        return apply_all(self.edits, obj)


def lacking(obj: Json, shape: Shape, focus: JsonPath, wanted: Callable[[JsonPath], bool]) -> list[Addition]:
    """Return absent members and items at or below a place, at first items only, shallow ones first.

    A value is what stands elsewhere in the object with the same type, or a new one.
    """
    held = [(focus, shape_at(shape, focus), look(obj, focus))]
    found = [Addition.alone(focus, {})] if held[0][2] is ABSENT and wanted(focus) else []
    held += places(held[0][2], held[0][1], focus)
    donors = _Donors(obj, shape)
    for place, below, value in sorted(held, key=lambda one: len(one[0])):
        if not all(part == 0 for part in place if isinstance(part, int)):
            continue
        if below.kind == "struct" and isinstance(value, dict):
            absent = [name for name, _ in members_of(below) if value.get(name) is None and wanted((*place, name))]
            if absent and nested(place, shape) <= NESTED:
                found += [Addition.alone((*place, name), donors.value(place, below, name)) for name in absent]
        elif below.kind == "list" and value == [] and wanted((*place, 0)):
            found.append(Addition.alone((*place, 0), filled(below.elem)))
    return found


@dataclass(slots=True)
class _Donors:
    """What stands in an object, by its type; read when first asked for."""

    obj: Json
    shape: Shape
    _known: dict[tuple[str, str], list[tuple[JsonPath, Json]]] | None = None

    def value(self, place: JsonPath, parent: Shape, name: str) -> Json:
        """Return the likeliest value of an absent member."""
        shape = parent.child(name)
        if shape.kind == "struct" or (shape.kind == "list" and shape.elem.kind == "struct"):
            at = (*place, name)
            for place, known in self._of(shape):
                if place != at[: len(place)]:
                    return [next(others(known[0], shape.elem))] if shape.kind == "list" else known
        return next(islice(alternatives(parent.by_name[name]), 1), filled(shape))

    def _of(self, shape: Shape) -> list[tuple[JsonPath, Json]]:
        if self._known is None:
            self._known = {}
            for place, other, value in places(self.obj, self.shape):
                if value and other.kind in ("struct", "list"):
                    self._known.setdefault(_type(other), []).append((place, value))
        return self._known.get(_type(shape), [])


def _type(shape: Shape) -> tuple[str, str]:
    return shape.kind, shape.elem.type if shape.kind == "list" else shape.type


def copies(change: Addition, others: list[Addition]) -> Iterator[Addition]:
    """Yield the same change at other places of the same type; what it needs elsewhere is there by now."""
    depth = len(change.place) - 1
    below = [(at[depth:], value) for at, value in change.edits if at[:depth] == change.place[:depth]]
    for other in others:
        yield Addition(other.place, [Edit(other.place[:-1] + at, value) for at, value in below] or other.edits)


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
                        found.append(Addition.alone(at, first))
        elif below.kind not in ("list", "map", "struct") and place:
            other = next((one for one in pool(below) if one != value and one.__class__ is value.__class__), ABSENT)
            if other is not ABSENT:
                found.append(Addition.alone(place, other))
    return sorted(found, key=lambda change: (is_in_metadata(change.place), len(change.place)))


def _names(place: JsonPath) -> bool:
    return place in HEADER or (len(place) == 2 and is_in_metadata(place) and place[1] in NAMING)
