"""One change at a time: set, unset, clear, change, insert, delete, duplicate, reorder, rename, swap, add a second.

An edit is a place and a value, made against one object; applying it copies the way to the place and shares the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from harness.case import Json
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.places import ABSENT, Place, look, places, put
from harness.fuzzers.probes import look_of, probes_of
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import filled, fits, plausible


@dataclass(frozen=True, slots=True)
class Edit:
    """Put this value at this place; `ABSENT` removes."""

    place: Place
    value: Json

    def apply(self, obj: Json) -> Json:
        """Return the changed copy."""
        return put(obj, self.place, self.value)


@dataclass(slots=True)
class Site:
    """A place where an object can be edited, with what is known there."""

    place: Place
    shape: Shape
    value: Json
    member: FieldShape | None = None
    _key: Any = None

    def values(self, harvest: Harvest) -> list[Json]:
        """Return the probes of this place; made again when messages have taught more.

        Sites that look alike share them: objects to edit are edits of one another, and lists of probes are long.
        """
        if self._key is None:
            self._key = id(self.shape), id(self.member), look_of(self.value)
        # A new number is the limit of some rule as likely as not; words come by the dozen.
        known = len(harvest.words) + 9 * len(harvest.numbers)
        is_large = self.shape.kind in ("list", "map", "struct")
        known_here = harvest.made.setdefault("large" if is_large else "small", {})
        made: Made | None = known_here.get(self._key)
        if made is None or known > made.learned + 8:
            made = Made(probes_of(self.shape, self.value, self.member, harvest), known, self.shape, self.member)
            if len(known_here) >= (MOST_LARGE if is_large else MOST_SMALL):
                del known_here[next(iter(known_here))]
            known_here[self._key] = made
        return made.probes


class Made(NamedTuple):
    """The probes of sites that look alike, and how much was known then. Holds the types whose identity names it."""

    probes: list[Json]
    learned: int
    shape: Shape
    member: FieldShape | None


MOST_SMALL, MOST_LARGE = 1024, 64
"""How many lists of probes a search remembers: of scalars, a kilobyte each, and of lists, which may be a hundred."""


def sites_of(obj: Json, shape: Shape, focus: Place = (), skip: frozenset[Place] = frozenset()) -> list[Site]:
    """List where an object can be edited: everything present below the focus, and absent members of its structs."""
    found: list[Site] = []
    for place, below, value in ((focus, _shape_at(shape, focus), look(obj, focus)), *_below(obj, shape, focus)):
        if place in skip:
            continue
        if place:
            found.append(Site(place, below, value, _member(shape, place)))
        if below.kind == "struct" and isinstance(value, dict):
            absent = (member for member in below.fields if member.name not in value)
            found += [
                Site((*place, member.name), member.shape, ABSENT, member)
                for member in absent
                if (*place, member.name) not in skip
            ]
    return found


def _below(obj: Json, shape: Shape, focus: Place) -> Sequence[tuple[Place, Shape, Json]]:
    return list(places(look(obj, focus), _shape_at(shape, focus), focus))


def _shape_at(shape: Shape, place: Place) -> Shape:
    for part in place:
        shape = shape.child(part)
    return shape


def _member(shape: Shape, place: Place) -> FieldShape | None:
    parent = _shape_at(shape, place[:-1])
    return parent.by_name.get(str(place[-1])) if parent.kind == "struct" else None


def random_edit(random: Random, sites: Sequence[Site], harvest: Harvest, obj: Json) -> Edit:
    """Draw one edit. Half of them are probes; the others work on the structure around a place."""
    site = sites[int(random.random() * len(sites))]
    roll = random.random()
    if roll < 0.55:
        values = site.values(harvest)
        if values:
            # Earlier probes tell more.
            return Edit(site.place, values[int(random.random() ** 2 * len(values))])
    known = harvest.literals.values
    if roll < 0.6 and known:
        value = known[int(random.random() * len(known))][1]
        if site.shape.kind in ("string", "int", "int-or-string") and fits(value, site.shape):
            return Edit(site.place, value)
    if roll < 0.7:
        other = sites[int(random.random() * len(sites))]
        value = look(obj, other.place)
        if other.shape.kind == site.shape.kind and value is not ABSENT:
            return Edit(site.place, value)
    value = look(obj, site.place)
    if isinstance(value, list):
        return _list_edit(random, site.place, site.shape.elem, value)
    if isinstance(value, dict):
        return _dict_edit(random, site, value)
    if value is ABSENT:
        return Edit(site.place, filled(site.shape))
    return _item_edit(random, site, obj)


def _list_edit(random: Random, place: Place, elem: Shape, items: list[Json]) -> Edit:
    roll = random.randrange(5)
    if not items or roll == 0:
        return Edit(place, [*items, filled(elem)])
    index = random.randrange(len(items))
    if roll == 1:
        return Edit(place, items[:index] + items[index + 1 :])
    if roll == 2:
        return Edit(place, [*items, items[index]])
    if roll == 3:
        return Edit(place, items[index:] + items[:index])
    return Edit(place, [*items, _tweaked(random, items[index])])


def _tweaked(random: Random, item: Json) -> Json:
    """Copy an item and change one of its scalars: equal in every key but one, perhaps."""
    if isinstance(item, dict) and item:
        name = random.choice(list(item))
        return {**item, name: _tweaked(random, item[name])}
    if isinstance(item, str):
        return item + "b"
    if isinstance(item, bool):
        return not item
    return item + 1 if isinstance(item, int) else item


def _dict_edit(random: Random, site: Site, members: dict[str, Json]) -> Edit:
    """Rename a key, swap a member for an absent one, drop one, or add one."""
    absent = [member for member in site.shape.fields if member.name not in members]
    roll = random.randrange(4)
    if members and roll <= 1:
        name = random.choice(list(members))
        kept = {key: value for key, value in members.items() if key != name}
        if site.shape.kind == "map":
            return Edit(site.place, {**kept, str(name) + "b": members[name]})
        if absent and roll == 1:
            other = random.choice(absent)
            return Edit(site.place, {**kept, other.name: filled(other.shape)})
        return Edit(site.place, kept)
    if absent:
        other = random.choice(absent)
        return Edit(site.place, {**members, other.name: filled(other.shape)})
    return Edit(site.place, {**members, "b": plausible(site.shape.elem)} if site.shape.kind == "map" else {})


def _item_edit(random: Random, site: Site, obj: Json) -> Edit:
    parent = look(obj, site.place[:-1])
    if isinstance(parent, list):
        return _list_edit(random, site.place[:-1], site.shape, parent)
    return Edit(site.place, ABSENT)
