"""One change at a time: set, unset, clear, change, insert, delete, duplicate, reorder, rename, swap, add a second.

An edit is made against one object; applying it copies the way to its path and shares the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from harness.case import Json
from harness.fuzzers.crossing import crossed
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.places import member_at, shape_at
from harness.fuzzers.probes import Probes, look_of, probes_of
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import filled, fits, plausible
from harness.jsonpath import ABSENT, Edit, JsonPath, look
from harness.memory import Memory, Room


@dataclass(slots=True)
class Site:
    """A place where an object can be edited, with what is known there."""

    place: JsonPath
    shape: Shape
    value: Json
    member: FieldShape | None = None
    _key: Any = None

    def values(self, harvest: Harvest) -> Sequence[Json]:
        """Return the probes of this place; made again when messages have taught more.

        Sites that look alike share them: objects to edit are edits of one another, and lists of probes are long.
        """
        if self._key is None:
            self._key = id(self.shape), id(self.member), look_of(self.value)
        lesson = harvest.lesson()
        made: Made | None = lesson.made.get(self._key)
        if made is None:
            made = Made(probes_of(self.shape, self.value, self.member, lesson), self.shape, self.member)
            lesson.made.put(self._key, made, made.probes.weight + len(self._key[2]) // 16)
        return made.probes


class Made(NamedTuple):
    """The probes of sites that look alike. Holds the types whose identity names it."""

    probes: Probes
    shape: Shape
    member: FieldShape | None


LISTED = Room(24_000)
"""For lists of sites, by their length: hundreds for an object, and made again in no time."""


class SiteIndex:
    """Lists of sites by what they are of, by identity and place: objects to edit share nearly all of one another.

    Objects are never changed in place, and what is remembered stays alive, so that nothing else gets its identity.
    """

    def __init__(self, room: Room | None = None) -> None:
        self._known: Memory[tuple[int, int, JsonPath], tuple[Json, Shape, list[Site]]] = Memory(room or LISTED)

    def get(self, value: Json, shape: Shape, place: JsonPath) -> list[Site] | None:
        """Return the sites of a value at a place, when they are remembered."""
        known = self._known.get((id(value), id(shape), place))
        return None if known is None else known[2]

    def add(self, value: Json, shape: Shape, place: JsonPath, sites: list[Site]) -> None:
        """Remember the sites of a value at a place."""
        self._known.put((id(value), id(shape), place), (value, shape, sites), 1 + len(sites))


def sites_of(
    obj: Json,
    shape: Shape,
    focus: JsonPath = (),
    skip: frozenset[JsonPath] = frozenset(),
    listed: SiteIndex | None = None,
) -> list[Site]:
    """List where an object can be edited: everything present below the focus, and absent members of its structs.

    `listed` remembers parts of lists; one is for one `skip`.
    """
    below, member = shape_at(shape, focus), member_at(shape, focus)
    return _sites(look(obj, focus), below, focus, member, skip, SiteIndex() if listed is None else listed)


def _sites(
    value: Json, shape: Shape, place: JsonPath, member: FieldShape | None, skip: frozenset[JsonPath], listed: SiteIndex
) -> list[Site]:
    """List the sites of a value, its own first, then absent members, then those of what it holds."""
    found = [Site(place, shape, value, member)] if place and place not in skip else []
    if value.__class__ is not dict and value.__class__ is not list:
        return found
    known = listed.get(value, shape, place)
    if known is not None:
        return known
    is_struct = shape.kind == "struct"
    if value.__class__ is dict and is_struct and place not in skip:
        found += [
            Site((*place, absent.name), absent.shape, ABSENT, absent)
            for absent in shape.fields
            if absent.name not in value and (*place, absent.name) not in skip
        ]
    for part, held in value.items() if value.__class__ is dict else enumerate(value):
        below = shape.by_name.get(str(part)) if is_struct else None
        found += _sites(held, shape.child(part), (*place, part), below, skip, listed)
    listed.add(value, shape, place, found)
    return found


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


def _list_edit(random: Random, place: JsonPath, elem: Shape, items: list[Json]) -> Edit:
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
    """Rename a key, swap a member for an absent one, drop one, add one, or change several that belong together."""
    absent = [member for member in site.shape.fields if member.name not in members]
    roll = random.randrange(4)
    if roll == 0 and site.shape.kind == "struct":
        together = list(crossed(site.shape, members))
        if together:
            return Edit(site.place, random.choice(together))
    if members and roll <= 1:
        name = random.choice(list(members))
        kept = {key: value for key, value in members.items() if key != name}
        if site.shape.kind == "map":
            return Edit(site.place, {**kept, str(name) + "b": members[name]})
        if absent and roll == 1:
            other = random.choice(absent)
            # The sibling takes what was there, where that can be: one name for another.
            same = site.shape.child(name).kind == other.shape.kind and random.random() < 0.5
            return Edit(site.place, {**kept, other.name: members[name] if same else filled(other.shape)})
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
