"""Where edits start: accepted bases first, then objects that showed something new."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from harness.case import Json, Operation
from harness.engine.focus import NOWHERE, Near, leaning
from harness.engine.units import Lane
from harness.fuzzers.bases import Base
from harness.fuzzers.edits import Edit, Listed, Site, random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.pairs import PATTERNS, stored
from harness.fuzzers.places import Place
from harness.fuzzers.shape import Shape

KEPT_POINTS = 48
LISTED_POINTS = 24
"""Points whose sites are remembered: hundreds each, and made again in no time."""
_SKIP: frozenset[Place] = frozenset(
    {("apiVersion",), ("kind",), ("metadata", "managedFields"), ("metadata", "creationTimestamp")}
)


@dataclass(slots=True)
class Point:
    """An object to edit, with the places where that can be done, made on first use; `near` are those to lean to.

    `stored` is the object as updates start from it, made on first use too: always the very same, because those who read
    objects know them by identity.
    """

    obj: Json
    focus: Place = ()
    sites: list[Site] = field(default_factory=list)
    near: list[Site] = field(default_factory=list)
    stored: Json = None


class Points:
    """The objects to edit, and how cases are drawn from them. `near` is what the search leans to."""

    def __init__(self, random: Random, shape: Shape, harvest: Harvest, near: Near = NOWHERE) -> None:
        self.random, self.shape, self.harvest, self.near = random, shape, harvest, near
        self.points: list[Point] = []
        self.bases: list[Base] = []
        self._listed: deque[Point] = deque()
        self._parts = Listed()
        self.pairs: dict[tuple[object, Operation], tuple[Point, Json]] = {}

    def found(self, bases: list[Base]) -> None:
        """Start from these accepted objects."""
        self.bases = bases
        self.points[:0] = [Point(base.obj, base.focus) for base in bases]

    def grown(self, bases: list[Base], before: Sequence[Base]) -> None:
        """Start from these fuller objects, last from the plain one that they grew from; others that were added stay."""
        others = [base for base in self.bases if not any(base is one for one in before)]
        del self.points[: len(self.bases)]
        self.found([*bases, *others, before[-1]])

    def add_base(self, base: Base) -> None:
        """Start from one more accepted object."""
        self.bases.append(base)
        self.points.insert(len(self.bases) - 1, Point(base.obj, base.focus))

    def add_pair(self, lane: Lane, new: Json, old: Json) -> None:
        """Start from an update that both sides accept and that changes much."""
        self.pairs[lane.info.key, lane.operation] = Point(new), old

    def add(self, obj: Json) -> None:
        """Start from an object that somebody kept."""
        self.points.append(Point(obj))

    def keep(self, obj: Json) -> None:
        """Keep an object that showed something new; the oldest goes."""
        if len(self.points) > KEPT_POINTS:
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
        return self._sites(Point(base.obj, base.focus))

    def draw(self, lane: Lane) -> tuple[Lane, Json, Json, Json]:
        """Draw (lane, new, old, base); points that lately showed something new are drawn more often."""
        random = self.random
        # The first are accepted bases; the last showed something new most recently.
        if random.random() < 0.6:
            point = self.points[int(random.random() ** 2 * min(len(self.points), max(1, len(self.bases))))]
        else:
            point = self.points[int(random.random() * len(self.points))]
        pair = self.pairs.get((lane.info.key, lane.operation))
        if pair is not None and random.random() < 0.1:
            point = pair[0]
        else:
            pair = None
        sites, near = self._sites(point), point.near
        base = point.obj

        def edit(obj: Json) -> Json:
            for _ in range(_number_of_edits(random)):
                obj = random_edit(random, leaning(random, near, sites), self.harvest, obj).apply(obj)
            return obj if isinstance(obj, dict) else base

        if lane.operation is Operation.CREATE:
            return lane, edit(base), None, base
        if pair is not None:
            return lane, edit(base), pair[1], base
        if point.stored is None:
            point.stored = stored(base)
        new, old = PATTERNS[int(random.random() * len(PATTERNS))](random, point.stored, edit)
        return lane, new, old, base

    def _sites(self, point: Point) -> list[Site]:
        if not point.sites:
            self._listed.append(point)
            if len(self._listed) > LISTED_POINTS:
                forgotten = self._listed.popleft()
                forgotten.sites, forgotten.near = [], []
            found = sites_of(point.obj, self.shape, point.focus, _SKIP, self._parts)
            point.sites = found or [Site((), self.shape, point.obj)]
            point.near = self.near.sites(point.sites, self.shape) if self.near else []
        return point.sites


def _number_of_edits(random: Random) -> int:
    roll = random.random()
    return 1 if roll < 0.6 else 2 if roll < 0.88 else 3
