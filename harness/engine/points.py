"""The objects that edits start from: accepted seeds first, then objects that showed a new error or difference."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from harness import tuning
from harness.case import Json, Operation
from harness.engine.focus import NO_FOCUSED_PATHS, FocusedPaths
from harness.engine.units import RequestKey, RequestKind
from harness.fuzzers.edits import Site, SiteIndex, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.shape import Shape
from harness.jsonpath import Edit, JsonPath
from harness.objectmodel import NOT_EDITED

MAX_POINTS_WITH_SITES = 12
"""At most so many points keep their list of sites: each has hundreds, and they are quickly computed again."""


@dataclass(slots=True)
class Point:
    """An object to edit, with its sites (the paths to edit), computed on first use.

    `focus` restricts the sites to those below a path. `focused` are the sites that the run focuses on, `writable` those
    that a request can write. `stored` is the object as updates start from it, computed once, because caches know
    objects by identity. `repeats` counts the drawn cases that had been drawn before.
    """

    obj: Json
    focus: JsonPath = ()
    sites: list[Site] = field(default_factory=list)
    focused: list[Site] = field(default_factory=list)
    writable: dict[RequestKey, list[Site]] = field(default_factory=dict)
    stored: Json = None
    repeats: int = 0

    def forget(self) -> None:
        """Free the sites."""
        self.sites, self.focused, self.writable = [], [], {}


class Points:
    """The objects to edit. `focused` are the paths that the run focuses on."""

    def __init__(
        self, random: Random, shape: Shape, harvest: Harvest, focused: FocusedPaths = NO_FOCUSED_PATHS
    ) -> None:
        self.random, self.shape, self.harvest, self.focused = random, shape, harvest, focused
        self._not_edited: frozenset[JsonPath] = frozenset() if shape.is_plain else NOT_EDITED
        self.points: list[Point] = []
        self.seeds: list[SeedObject] = []
        self._with_sites: deque[Point] = deque()
        self._parts = SiteIndex()
        self.pairs: dict[tuple[object, Operation], tuple[Point, Json]] = {}

    def set_seeds(self, seeds: list[SeedObject]) -> None:
        """Put these accepted objects first."""
        self.seeds = seeds
        self.points[:0] = [Point(base.obj, base.focus) for base in seeds]

    def set_grown(self, seeds: list[SeedObject], before: Sequence[SeedObject]) -> None:
        """Replace the seeds `before` growth by these fuller ones; the plain one comes last, added seeds before it."""
        others = [base for base in self.seeds if not any(base is one for one in before) and not _is_among(base, seeds)]
        del self.points[: len(self.seeds)]
        self.set_seeds([*seeds, *others, before[-1]])

    def replace(self, replacements: Mapping[int, SeedObject], more: Sequence[SeedObject]) -> None:
        """Replace seeds, by their id, and insert more after the first one."""
        others = [replacements.get(id(base), base) for base in self.seeds[1:]]
        del self.points[: len(self.seeds)]
        self.set_seeds([*self.seeds[:1], *more, *others])

    def add_seed(self, base: SeedObject) -> None:
        """Add an accepted object, unless an equal one is a seed already: requests often accept the same."""
        if _is_among(base, self.seeds):
            return
        self.seeds.append(base)
        self.points.insert(len(self.seeds) - 1, Point(base.obj, base.focus))

    def add_pair(self, request: RequestKind, new: Json, old: Json) -> None:
        """Add an accepted update that changes many fields."""
        self.pairs[request.key] = Point(new), old

    def add(self, obj: Json) -> None:
        """Add an object of the corpus."""
        self.points.append(Point(obj))

    def keep(self, obj: Json) -> None:
        """Add an object that showed a new error or difference; the oldest one is dropped."""
        if len(self.points) > len(self.seeds) + tuning.KEPT_POINTS:
            del self.points[len(self.seeds) or 1]
        self.add(obj)

    def focused_sites(self, base: SeedObject) -> list[Site]:
        """Return the sites of a seed at focused paths."""
        return self.focused.sites(self.sites(base), self.shape)

    def probes(self, sites: Sequence[Site], turns: range) -> Iterator[Edit]:
        """Yield edits with the probes of these indexes: the first probe of all sites, then the second, and so on."""
        for turn in turns:
            for site in sites:
                values = site.values(self.harvest)
                if turn < len(values):
                    yield Edit(site.path, values[turn])

    def sites(self, base: SeedObject) -> list[Site]:
        """Return the sites of a seed."""
        return self.sites_at(Point(base.obj, base.focus))

    def note_repeat(self, point: Point) -> None:
        """Count a case that was drawn again. After many, the focus is exhausted: edit the whole object."""
        point.repeats += 1
        if point.repeats == tuning.EXHAUSTED and point.focus:
            point.focus = ()
            point.forget()

    def sites_at(self, point: Point) -> list[Site]:
        """Return the sites of a point."""
        if not point.sites:
            self._with_sites.append(point)
            if len(self._with_sites) > MAX_POINTS_WITH_SITES:
                self._with_sites.popleft().forget()
            found = sites_of(point.obj, self.shape, point.focus, self._not_edited, self._parts)
            point.sites = found or [Site((), self.shape, point.obj)]
            point.focused = self.focused.sites(point.sites, self.shape) if self.focused else []
        return point.sites


def _is_among(base: SeedObject, known: Sequence[SeedObject]) -> bool:
    """Whether an equal object with the same or a wider focus is known."""
    return any(base.focus[: len(one.focus)] == one.focus and base.obj == one.obj for one in known)
