"""The random phase: how cases are drawn from the objects to edit, mostly such as were not drawn before.

An update takes a related pair, since independent objects differ nearly everywhere and ratcheting has nothing to
forgive. Old objects that edits made serve several draws: to make one, and to read it, costs as much as a new one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import Wanted
from harness.engine.focus import leaning
from harness.engine.points import Point, Points
from harness.engine.units import Lane
from harness.fuzzers.edits import Site, random_edit
from harness.fuzzers.novelty import NoveltyFilter, code_of
from harness.jsonpath import JsonPath
from harness.objectmodel import stored

_UPDATE = Operation.UPDATE  # looking a member of an enum up costs as much as a call


class OldObject(msgspec.Struct, frozen=True):
    """An old object that edits made, and its code; for which lane, what it was made of, and where from."""

    lane: Lane
    before: Json
    point: Point
    obj: Json
    code: int


class RandomPhase:
    """Draws cases from these points.

    `takes` says whether an edit at a place may reach the validators through a lane.
    """

    def __init__(self, points: Points, takes: Callable[[Lane, JsonPath], bool] = lambda lane, place: True) -> None:
        self.points, self.random, self._takes = points, points.random, takes
        self._pasts: deque[OldObject] = deque(maxlen=tuning.OLD_OBJECTS)
        self._tried = NoveltyFilter()

    def draw(self, lane: Lane, number: int) -> Wanted:
        """Draw a case for a lane, which is one of several by its number; another one if it was drawn before.

        Each time with one more edit: what single edits make of an object has an end.
        """
        for more in range(tuning.DRAWS):
            point, new, old, beside = self._draw_pair(lane, more)
            if self._tried.is_new(code_of(new, beside + number)):
                break
            self.points.note_repeat(point)
        return lane, new, old, point.obj

    def _draw_pair(self, lane: Lane, more: int) -> tuple[Point, Json, Json, int]:
        """Return where from, new, old, and what tells the old one from others."""
        pair = self.points.pairs.get(lane.key)
        if pair is not None and self.random.random() < 0.1:
            point, old = pair
            return point, self._edit(lane, point, point.obj, more), old, 1
        if lane.operation is _UPDATE:
            return self._update(lane, more)
        point = self._point(lane)
        return point, self._edit(lane, point, point.obj, more), None, 0

    def _update(self, lane: Lane, more: int) -> tuple[Point, Json, Json, int]:
        roll = int(self.random.random() * 7)
        if roll < 2:  # accepted, then edited: most rules look at that
            point = self._point(lane)
            base = _base(point)
            return point, self._edit(lane, point, base, more), base, 0
        pasts = self._pasts_of(lane)
        if roll < 4 or not pasts:
            past = self._make_old(lane, more)
            # Wrong before and left as it is, or put right now.
            return past.point, past.obj if roll == 2 else _base(past.point), past.obj, past.code
        past = pasts[int(self.random.random() * len(pasts))]
        # Wrong before, now with a change elsewhere, or wrong in another way, or with something in common.
        start = past.obj if roll == 4 else _base(past.point) if roll == 5 else past.before
        return past.point, self._edit(lane, past.point, start, more), past.obj, past.code

    def _make_old(self, lane: Lane, more: int) -> OldObject:
        """Make an old object, of an accepted one or of one that was made so."""
        pasts, random = self._pasts_of(lane), self.random
        known = pasts[int(random.random() * len(pasts))] if pasts and random.random() < 0.33 else None
        if known is None or known.before is not known.point.stored:
            point = self._point(lane)
            before = _base(point)
        else:
            point, before = known.point, known.obj
        obj = self._edit(lane, point, before, more)
        past = OldObject(lane, before, point, obj, code_of(obj))
        self._pasts.append(past)
        return past

    def _pasts_of(self, lane: Lane) -> list[OldObject]:
        """Return those made for a lane: what another one takes, this one may put aside."""
        return [past for past in self._pasts if past.lane is lane]

    def _point(self, lane: Lane) -> Point:
        """Choose where to start, with the focus on a part that the lane takes if that is soon found.

        Accepted bases come first, and the last showed something new most recently.
        """
        random, points = self.random, self.points.points
        for _ in range(tuning.DRAWS):
            if random.random() < 0.6:
                point = points[int(random.random() ** 2 * min(len(points), max(1, len(self.points.bases))))]
            else:
                point = points[int(random.random() * len(points))]
            if self._takes(lane, point.focus):
                break
        return point

    def _edit(self, lane: Lane, point: Point, start: Json, more: int) -> Json:
        """Edit an object once, twice or thrice, and so often more, where the lane takes it."""
        random, points = self.random, self.points
        roll, obj = random.random(), start
        sites, harvest = points.sites_at(point), points.harvest
        for _ in range(more + (1 if roll < 0.6 else 2 if roll < 0.88 else 3)):
            edit = random_edit(random, leaning(random, point.near, sites) if point.near else sites, harvest, obj)
            if not self._takes(lane, edit.path):
                edit = random_edit(random, self._writable_sites(lane, point, sites) or sites, harvest, obj)
            obj = edit.apply(obj)
        return obj if obj.__class__ is dict else start

    def _writable_sites(self, lane: Lane, point: Point, sites: Sequence[Site]) -> list[Site]:
        """Return those of the sites of a point that a lane takes, picked once for all draws there."""
        taken = point.taken.get(lane.key)
        if taken is None:
            taken = point.taken[lane.key] = [site for site in sites if self._takes(lane, site.place)]
        return taken


def _base(point: Point) -> Json:
    """Return the object of a point as updates start from it."""
    if point.stored is None:
        point.stored = stored(point.obj)
    return point.stored
