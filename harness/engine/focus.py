"""What a search leans to: places of types that somebody changed. Around them it goes on looking, with less of the time.

A focus adds nothing to what may be drawn and takes nothing away. Without one a search is what it always was. A search
may end when the places are saturated: so many cases in a row have shown nothing new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from harness import tuning
from harness.case import KindInfo
from harness.fuzzers.census import error_path_of
from harness.fuzzers.edits import Site
from harness.fuzzers.shape import Shape
from harness.jsonpath import is_within

ObjectKind: TypeAlias = tuple[str, str, str]
"""Group, version and kind of an object, as its apiVersion and kind say them."""


def object_kind(info: KindInfo) -> ObjectKind:
    """Name the objects that a resource or subresource takes."""
    group, _, version = info.api_version.rpartition("/")
    return group, version, info.kind


@dataclass(frozen=True, slots=True)
class Focus:
    """Canonical paths (`spec.ports[*].name`) by kind of object; plain data, since every process of a run needs it.

    `until_saturated` ends a search that shows nothing new any more, whatever is left of its budget.
    """

    paths: Mapping[ObjectKind, tuple[str, ...]] = field(default_factory=dict)
    until_saturated: bool = False

    def of(self, info: KindInfo) -> Near:
        """Return the part of it that is about one kind."""
        return Near(self.paths.get(object_kind(info), ()), self.until_saturated)


@dataclass(frozen=True, slots=True)
class Near:
    """The paths of one kind; false when there are none."""

    paths: tuple[str, ...] = ()
    until_saturated: bool = False

    def __bool__(self) -> bool:
        return bool(self.paths)

    def has(self, path: str) -> bool:
        """Whether a canonical path is one of these, or lies below one."""
        return any(is_within(path, one) for one in self.paths)

    def sites(self, sites: Sequence[Site], shape: Shape) -> list[Site]:
        """Pick the sites of these paths; for one that an object does not have, the nearest place above it."""
        named = [(error_path_of(site.place, shape), site) for site in sites]
        picked: dict[int, Site] = {}
        for path in self.paths:
            at = [site for name, site in named if is_within(name, path)]
            if not at:
                nearest = max((len(name) for name, _ in named if is_within(path, name)), default=-1)
                at = [site for name, site in named if is_within(path, name) and len(name) == nearest]
            picked |= {id(site): site for site in at}
        return list(picked.values())


NOWHERE = Near()
NO_FOCUS = Focus()


def leaning(random: Random, near: Sequence[Site], every: Sequence[Site]) -> Sequence[Site]:
    """Choose where the next edit is drawn from."""
    return near if near and random.random() < tuning.FOCUS_SHARE else every
