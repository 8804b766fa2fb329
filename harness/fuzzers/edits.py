"""Random edits, one at a time: set, unset, clear, change, insert, delete, duplicate, reorder, rename, swap.

An edit belongs to one object. Applying it copies the parents of its path and shares all other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from harness.case import Json
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.membersets import cross_members
from harness.fuzzers.probes import Probes, key_of, probes_of
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.shapepaths import member_at, shape_at
from harness.fuzzers.values import fits, small_value, sparse_value
from harness.jsonpath import ABSENT, Edit, JsonPath, look
from harness.memory import Memory, Room


@dataclass(slots=True)
class Site:
    """A path at which an object can be edited, with its shape, value and member."""

    path: JsonPath
    shape: Shape
    value: Json
    member: FieldShape | None = None
    _key: Any = None

    def values(self, harvest: Harvest) -> Sequence[Json]:
        """Return the probes of this path; they are computed again when messages have named new words or numbers.

        Sites with equal shape, member and value share them, because objects have most values in common and lists of
        probes are long.
        """
        if self._key is None:
            self._key = id(self.shape), id(self.member), key_of(self.value)
        lesson = harvest.lesson()
        shared: _SharedProbes | None = lesson.computed.get(self._key)
        if shared is None:
            shared = _SharedProbes(probes_of(self.shape, self.value, self.member, lesson), self.shape, self.member)
            lesson.computed.put(self._key, shared, shared.probes.weight + len(self._key[2]) // 16)
        return shared.probes


class _SharedProbes(NamedTuple):
    """Probes that several sites share. Holds the types by whose identities they are found, so that they stay alive."""

    probes: Probes
    shape: Shape
    member: FieldShape | None


_INDEX_ROOM = Room(24_000)
"""For cached lists of sites, by their length: an object has hundreds, and computing them again is fast."""


class SiteIndex:
    """A cache of lists of sites by the identity of their value, and path: objects to edit share nearly all values.

    Objects are never changed in place, and cached values stay alive, so that no other value gets their identity.
    """

    def __init__(self, room: Room | None = None) -> None:
        self._known: Memory[tuple[int, int, JsonPath], tuple[Json, Shape, list[Site]]] = Memory(room or _INDEX_ROOM)

    def get(self, value: Json, shape: Shape, path: JsonPath) -> list[Site] | None:
        """Return the cached sites of a value at a path, None when there are none."""
        known = self._known.get((id(value), id(shape), path))
        return None if known is None else known[2]

    def add(self, value: Json, shape: Shape, path: JsonPath, sites: list[Site]) -> None:
        """Cache the sites of a value at a path."""
        self._known.put((id(value), id(shape), path), (value, shape, sites), 1 + len(sites))


def sites_of(
    obj: Json,
    shape: Shape,
    focus: JsonPath = (),
    skip: frozenset[JsonPath] = frozenset(),
    index: SiteIndex | None = None,
) -> list[Site]:
    """Return the sites of an object: all values inside the focus, and absent members of its structs.

    `index` caches the sites of values; it must be used with one `skip` only.
    """
    focus_shape, member = shape_at(shape, focus), member_at(shape, focus)
    return _sites(look(obj, focus), focus_shape, focus, member, skip, SiteIndex() if index is None else index)


def _sites(
    value: Json, shape: Shape, path: JsonPath, member: FieldShape | None, skip: frozenset[JsonPath], index: SiteIndex
) -> list[Site]:
    """Return the sites of a value: its own first, then those of absent members, then those of inner values."""
    found = [Site(path, shape, value, member)] if path and path not in skip else []
    if value.__class__ is not dict and value.__class__ is not list:
        return found
    known = index.get(value, shape, path)
    if known is not None:
        return known
    is_struct = shape.kind == "struct"
    if value.__class__ is dict and is_struct and path not in skip:
        found += [
            Site((*path, absent.name), absent.shape, ABSENT, absent)
            for absent in shape.fields
            if absent.name not in value and (*path, absent.name) not in skip
        ]
    for part, held in value.items() if value.__class__ is dict else enumerate(value):
        child = shape.by_name.get(str(part)) if is_struct else None
        found += _sites(held, shape.child(part), (*path, part), child, skip, index)
    index.add(value, shape, path, found)
    return found


def random_edit(random: Random, sites: Sequence[Site], harvest: Harvest, obj: Json) -> Edit:
    """Draw one edit: a probe in half of all cases, else a literal, a value of another site, or a structural edit."""
    site = sites[int(random.random() * len(sites))]
    roll = random.random()
    if roll < 0.55:
        values = site.values(harvest)
        if values:
            # Earlier probes are more useful.
            return Edit(site.path, values[int(random.random() ** 2 * len(values))])
    known = harvest.literals.values
    if roll < 0.6 and known:
        value = known[int(random.random() * len(known))][1]
        if site.shape.kind in ("string", "int", "int-or-string") and fits(value, site.shape):
            return Edit(site.path, value)
    if roll < 0.7:
        other = sites[int(random.random() * len(sites))]
        value = look(obj, other.path)
        if other.shape.kind == site.shape.kind and value is not ABSENT:
            return Edit(site.path, value)
    value = look(obj, site.path)
    if isinstance(value, list):
        return _list_edit(random, site.path, site.shape.elem, value)
    if isinstance(value, dict):
        return _dict_edit(random, site, value)
    if value is ABSENT:
        return Edit(site.path, sparse_value(site.shape))
    return _item_edit(random, site, obj)


def _list_edit(random: Random, path: JsonPath, elem: Shape, items: list[Json]) -> Edit:
    roll = random.randrange(5)
    if not items or roll == 0:
        return Edit(path, [*items, sparse_value(elem)])
    index = random.randrange(len(items))
    if roll == 1:
        return Edit(path, items[:index] + items[index + 1 :])
    if roll == 2:
        return Edit(path, [*items, items[index]])
    if roll == 3:
        return Edit(path, items[index:] + items[:index])
    return Edit(path, [*items, _change_one_scalar(random, items[index])])


def _change_one_scalar(random: Random, item: Json) -> Json:
    """Return a copy of an item with one scalar changed, so that all its keys but one may stay equal."""
    if isinstance(item, dict) and item:
        name = random.choice(list(item))
        return {**item, name: _change_one_scalar(random, item[name])}
    if isinstance(item, str):
        return item + "b"
    if isinstance(item, bool):
        return not item
    return item + 1 if isinstance(item, int) else item


def _dict_edit(random: Random, site: Site, members: dict[str, Json]) -> Edit:
    """Rename a key, replace a member by an absent one, drop one, add one, or change several at once."""
    absent = [member for member in site.shape.fields if member.name not in members]
    roll = random.randrange(4)
    if roll == 0 and site.shape.kind == "struct":
        structs = list(cross_members(site.shape, members))
        if structs:
            return Edit(site.path, random.choice(structs))
    if members and roll <= 1:
        name = random.choice(list(members))
        kept = {key: value for key, value in members.items() if key != name}
        if site.shape.kind == "map":
            return Edit(site.path, {**kept, str(name) + "b": members[name]})
        if absent and roll == 1:
            other = random.choice(absent)
            # The sibling gets the value of the dropped member if it fits: a renamed member.
            same = site.shape.child(name).kind == other.shape.kind and random.random() < 0.5
            return Edit(site.path, {**kept, other.name: members[name] if same else sparse_value(other.shape)})
        return Edit(site.path, kept)
    if absent:
        other = random.choice(absent)
        return Edit(site.path, {**members, other.name: sparse_value(other.shape)})
    return Edit(site.path, {**members, "b": small_value(site.shape.elem)} if site.shape.kind == "map" else {})


def _item_edit(random: Random, site: Site, obj: Json) -> Edit:
    parent = look(obj, site.path[:-1])
    if isinstance(parent, list):
        return _list_edit(random, site.path[:-1], site.shape, parent)
    return Edit(site.path, ABSENT)
