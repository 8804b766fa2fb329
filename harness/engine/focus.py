"""Focuses a search on paths of types, such as those that a commit changed; other paths get less of the time.

A focus changes how often a path is edited, never which values may be drawn. A focused search may end once its paths are
saturated: a number of cases in a row have shown no new error or difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from harness import tuning
from harness.case import KindInfo
from harness.fuzzers.edits import Site
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import error_path_of
from harness.jsonpath import is_within

ObjectKind: TypeAlias = tuple[str, str, str]
"""Group, version and kind of an object, from its apiVersion and kind."""


def object_kind(info: KindInfo) -> ObjectKind:
    """Return the kind of the objects that a resource or subresource takes."""
    group, _, version = info.api_version.rpartition("/")
    return group, version, info.kind


@dataclass(frozen=True, slots=True)
class Focus:
    """Canonical paths (`spec.ports[*].name`) by kind of object; plain data, because it is sent to every process.

    `until_saturated` ends a saturated search, whatever is left of its budget.
    """

    paths: Mapping[ObjectKind, tuple[str, ...]] = field(default_factory=dict)
    until_saturated: bool = False

    def of(self, info: KindInfo) -> FocusedPaths:
        """Return the focused paths of one kind."""
        return FocusedPaths(self.paths.get(object_kind(info), ()), self.until_saturated)


@dataclass(frozen=True, slots=True)
class FocusedPaths:
    """The focused paths of one kind; false when there are none."""

    paths: tuple[str, ...] = ()
    until_saturated: bool = False

    def __bool__(self) -> bool:
        return bool(self.paths)

    def has(self, path: str) -> bool:
        """Whether a canonical path is one of these or below one."""
        return any(is_within(path, one) for one in self.paths)

    def sites(self, sites: Sequence[Site], shape: Shape) -> list[Site]:
        """Return the sites at or below these paths; for a path that an object does not have, its nearest ancestor's."""
        by_path = [(error_path_of(site.path, shape), site) for site in sites]
        picked: dict[int, Site] = {}
        for path in self.paths:
            matching = [site for name, site in by_path if is_within(name, path)]
            if not matching:
                longest = max((len(name) for name, _ in by_path if is_within(path, name)), default=-1)
                matching = [site for name, site in by_path if is_within(path, name) and len(name) == longest]
            picked |= {id(site): site for site in matching}
        return list(picked.values())


NO_FOCUSED_PATHS = FocusedPaths()
NO_FOCUS = Focus()


def choose_sites(random: Random, focused: Sequence[Site], every: Sequence[Site]) -> Sequence[Site]:
    """Choose the sites for the next edit: the focused ones for a fixed share of edits, else all."""
    return focused if focused and random.random() < tuning.FOCUS_SHARE else every
