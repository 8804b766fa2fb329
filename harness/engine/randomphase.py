"""The random phase: draws random edits of the objects to edit, and avoids cases that were drawn before.

An update gets a related pair, because independent objects differ nearly everywhere, so that no value is unchanged and
ratcheting is never tested. An edited old object is used for several draws, because creating and reading it costs as
much as a new object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import CaseSpec
from harness.engine.focus import choose_sites
from harness.engine.points import Point, Points
from harness.engine.units import RequestKind
from harness.fuzzers.edits import Site, random_edit
from harness.fuzzers.novelty import NoveltyFilter, code_of
from harness.jsonpath import JsonPath
from harness.objectmodel import stored

_UPDATE = Operation.UPDATE  # bound once: the lookup of an enum member costs as much as a call


class OldObject(msgspec.Struct, frozen=True):
    """An edited old object with its hash, its request, the object `before` the edits, and the point of that object."""

    request: RequestKind
    before: Json
    point: Point
    obj: Json
    code: int


class RandomPhase:
    """Draws cases from these points.

    `takes` returns whether a request can write a path, so that an edit there may reach the validators.
    """

    def __init__(
        self, points: Points, takes: Callable[[RequestKind, JsonPath], bool] = lambda request, path: True
    ) -> None:
        self.points, self.random, self._takes = points, points.random, takes
        self._old_objects: deque[OldObject] = deque(maxlen=tuning.OLD_OBJECTS)
        self._drawn = NoveltyFilter()

    def draw(self, request: RequestKind, number: int) -> CaseSpec:
        """Draw a case for a request, which has this number among the requests of the unit.

        A case that was drawn before is drawn again with one more edit each time, because an object has only so many
        single edits.
        """
        for more in range(tuning.DRAWS):
            point, new, old, old_code = self._draw_pair(request, more)
            if self._drawn.is_new(code_of(new, old_code + number)):
                break
            self.points.note_repeat(point)
        return request, new, old, point.obj

    def _draw_pair(self, request: RequestKind, more: int) -> tuple[Point, Json, Json, int]:
        """Return the point, new, old, and a hash that identifies old."""
        pair = self.points.pairs.get(request.key)
        if pair is not None and self.random.random() < 0.1:
            point, old = pair
            return point, self._edit(request, point, point.obj, more), old, 1
        if request.operation is _UPDATE:
            return self._update(request, more)
        point = self._point(request)
        return point, self._edit(request, point, point.obj, more), None, 0

    def _update(self, request: RequestKind, more: int) -> tuple[Point, Json, Json, int]:
        roll = int(self.random.random() * 7)
        if roll < 2:  # old is accepted, new is edited: this tests most rules
            point = self._point(request)
            base = _base(point)
            return point, self._edit(request, point, base, more), base, 0
        old_objects = self._old_objects_of(request)
        if roll < 4 or not old_objects:
            edited = self._make_old(request, more)
            # Old is edited; new is unchanged, or the accepted object again.
            return edited.point, edited.obj if roll == 2 else _base(edited.point), edited.obj, edited.code
        edited = old_objects[int(self.random.random() * len(old_objects))]
        # Old is edited; new is an edit of old, of the accepted object, or of what old was edited from.
        start = edited.obj if roll == 4 else _base(edited.point) if roll == 5 else edited.before
        return edited.point, self._edit(request, edited.point, start, more), edited.obj, edited.code

    def _make_old(self, request: RequestKind, more: int) -> OldObject:
        """Edit an old object from an accepted one, or from another old object."""
        old_objects, random = self._old_objects_of(request), self.random
        known = old_objects[int(random.random() * len(old_objects))] if old_objects and random.random() < 0.33 else None
        if known is None or known.before is not known.point.stored:
            point = self._point(request)
            before = _base(point)
        else:
            point, before = known.point, known.obj
        obj = self._edit(request, point, before, more)
        edited = OldObject(request, before, point, obj, code_of(obj))
        self._old_objects.append(edited)
        return edited

    def _old_objects_of(self, request: RequestKind) -> list[OldObject]:
        """Return the old objects of a request; those of others may have edits that this request cannot write."""
        return [edited for edited in self._old_objects if edited.request is request]

    def _point(self, request: RequestKind) -> Point:
        """Choose a point, preferably one with a focus that the request can write.

        Accepted seeds are preferred. The other points are in the order in which they were added.
        """
        random, points = self.random, self.points.points
        for _ in range(tuning.DRAWS):
            if random.random() < 0.6:
                point = points[int(random.random() ** 2 * min(len(points), max(1, len(self.points.seeds))))]
            else:
                point = points[int(random.random() * len(points))]
            if self._takes(request, point.focus):
                break
        return point

    def _edit(self, request: RequestKind, point: Point, start: Json, more: int) -> Json:
        """Edit an object once, twice or thrice, and `more` times, at paths that the request can write."""
        random, points = self.random, self.points
        roll, obj = random.random(), start
        sites, harvest = points.sites_at(point), points.harvest
        for _ in range(more + (1 if roll < 0.6 else 2 if roll < 0.88 else 3)):
            preferred = choose_sites(random, point.focused, sites) if point.focused else sites
            edit = random_edit(random, preferred, harvest, obj)
            if not self._takes(request, edit.path):
                edit = random_edit(random, self._writable_sites(request, point, sites) or sites, harvest, obj)
            obj = edit.apply(obj)
        return obj if obj.__class__ is dict else start

    def _writable_sites(self, request: RequestKind, point: Point, sites: Sequence[Site]) -> list[Site]:
        """Return the sites of a point that a request can write, computed once for each point."""
        writable = point.writable.get(request.key)
        if writable is None:
            writable = point.writable[request.key] = [site for site in sites if self._takes(request, site.path)]
        return writable


def _base(point: Point) -> Json:
    """Return the object of a point as updates start from it."""
    if point.stored is None:
        point.stored = stored(point.obj)
    return point.stored
