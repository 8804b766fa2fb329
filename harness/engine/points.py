"""Where edits start: accepted bases first, then objects that showed something new."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from harness import tuning
from harness.case import Json, Operation
from harness.engine.focus import NOWHERE, Near
from harness.engine.units import Lane, LaneKey
from harness.fuzzers.bases import Base
from harness.fuzzers.edits import Site, SiteIndex, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.shape import Shape
from harness.jsonpath import Edit, JsonPath
from harness.objectmodel import NOT_EDITED

LISTED_POINTS = 12
"""Points whose sites are remembered: hundreds each, and made again in no time."""


@dataclass(slots=True)
class Point:
    """An object to edit, with the places where that can be done, made on first use.

    `near` are those of them to lean to, `taken` those that a lane takes.
    `stored` is the object as updates start from it, made on first use too: always the very same, because those who read
    objects know them by identity. `repeats` counts what was drawn here and had been drawn before.
    """

    obj: Json
    focus: JsonPath = ()
    sites: list[Site] = field(default_factory=list)
    near: list[Site] = field(default_factory=list)
    taken: dict[LaneKey, list[Site]] = field(default_factory=dict)
    stored: Json = None
    repeats: int = 0

    def forget(self) -> None:
        """Let go of the places."""
        self.sites, self.near, self.taken = [], [], {}


class Points:
    """The objects to edit. `near` is what the search leans to."""

    def __init__(self, random: Random, shape: Shape, harvest: Harvest, near: Near = NOWHERE) -> None:
        self.random, self.shape, self.harvest, self.near = random, shape, harvest, near
        self.points: list[Point] = []
        self.bases: list[Base] = []
        self._listed: deque[Point] = deque()
        self._parts = SiteIndex()
        self.pairs: dict[tuple[object, Operation], tuple[Point, Json]] = {}

    def set_seeds(self, bases: list[Base]) -> None:
        """Start from these accepted objects."""
        self.bases = bases
        self.points[:0] = [Point(base.obj, base.focus) for base in bases]

    def set_grown(self, bases: list[Base], before: Sequence[Base]) -> None:
        """Start from these fuller objects, last from the plain one that they grew from; others that were added stay."""
        others = [base for base in self.bases if not any(base is one for one in before) and not _is_among(base, bases)]
        del self.points[: len(self.bases)]
        self.set_seeds([*bases, *others, before[-1]])

    def replace(self, instead: Mapping[int, Base], more: Sequence[Base]) -> None:
        """Start from other objects instead of some, which are told by identity, and from more after the first one."""
        others = [instead.get(id(base), base) for base in self.bases[1:]]
        del self.points[: len(self.bases)]
        self.set_seeds([*self.bases[:1], *more, *others])

    def add_base(self, base: Base) -> None:
        """Start from one more accepted object; lanes often accept the very same."""
        if _is_among(base, self.bases):
            return
        self.bases.append(base)
        self.points.insert(len(self.bases) - 1, Point(base.obj, base.focus))

    def add_pair(self, lane: Lane, new: Json, old: Json) -> None:
        """Start from an update that both sides accept and that changes much."""
        self.pairs[lane.key] = Point(new), old

    def add(self, obj: Json) -> None:
        """Start from an object that somebody kept."""
        self.points.append(Point(obj))

    def keep(self, obj: Json) -> None:
        """Keep an object that showed something new; the oldest goes."""
        if len(self.points) > len(self.bases) + tuning.KEPT_POINTS:
            del self.points[len(self.bases) or 1]
        self.add(obj)

    def near_sites(self, base: Base) -> list[Site]:
        """List where a base can be edited of the places that the search leans to."""
        return self.near.sites(self.sites(base), self.shape)

    def probes(self, sites: Sequence[Site], turns: range) -> Iterator[Edit]:
        """Put these probes at these places: first probes of all places first, then second ones."""
        for turn in turns:
            for site in sites:
                values = site.values(self.harvest)
                if turn < len(values):
                    yield Edit(site.place, values[turn])

    def sites(self, base: Base) -> list[Site]:
        """List where a base can be edited."""
        return self.sites_at(Point(base.obj, base.focus))

    def note_repeat(self, point: Point) -> None:
        """Note that a draw came again. When much does, a part of an object has nothing left: take all of it."""
        point.repeats += 1
        if point.repeats == tuning.EXHAUSTED and point.focus:
            point.focus = ()
            point.forget()

    def sites_at(self, point: Point) -> list[Site]:
        """List where the object of a point can be edited."""
        if not point.sites:
            self._listed.append(point)
            if len(self._listed) > LISTED_POINTS:
                self._listed.popleft().forget()
            found = sites_of(point.obj, self.shape, point.focus, NOT_EDITED, self._parts)
            point.sites = found or [Site((), self.shape, point.obj)]
            point.near = self.near.sites(point.sites, self.shape) if self.near else []
        return point.sites


def _is_among(base: Base, known: Sequence[Base]) -> bool:
    """Whether an equal object stands there that is edited at the same places, or at more."""
    return any(base.focus[: len(one.focus)] == one.focus and base.obj == one.obj for one in known)
