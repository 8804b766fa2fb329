"""The deterministic pass: every probe at every place of every base, through every lane, with the related pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal, TypeAlias

from harness.case import Answer, Json, Operation
from harness.compare.mismatch import canonical_path
from harness.engine.asking import BATCH, NO_OPTIONS, Asking
from harness.engine.plan import Search
from harness.engine.units import Lane
from harness.fuzzers.bases import Base
from harness.fuzzers.crossing import crossed
from harness.fuzzers.edits import Edit, Site
from harness.fuzzers.kin import kin, turns_of
from harness.fuzzers.pairs import follow_ups, stored
from harness.fuzzers.places import ABSENT, Place, look

Wanted: TypeAlias = tuple[Lane, Json, Json, Json]
"""Lane, new, old, base."""
Places: TypeAlias = Literal["every", "new", "near"]
SWEEPS: tuple[tuple[slice, range, Places], ...] = (
    (slice(0, 1), range(5), "new"), (slice(1, None), range(5), "new"), (slice(None), range(5, 14), "new"),
    (slice(1, None), range(5), "every"), (slice(None), range(14, 60), "new"), (slice(None), range(5, 14), "every"),
    (slice(None), range(14, 60), "every"),
)  # fmt: skip
"""The pass in parts: which bases, which probes, and at which places: those that no base had before, or every one.

Random rounds stand between. The first part is gone through once more for every validation option that can be turned the
other way.
"""

EVERY_PROBE = range(60)
_CROSSING = 8
"""Of what is left of the share, so much goes to members that are changed together: one in this many cases."""


class Sweep:
    """The deterministic pass of one unit's search, under these options where they are not those of the target."""

    def __init__(self, search: Asking, options: Mapping[str, bool] = NO_OPTIONS) -> None:
        self.search, self.options = search, options
        self._correlated: set[tuple[object, ...]] = set()
        self._turned: set[tuple[object, ...]] = set()
        self._crossed: set[tuple[object, ...]] = set()
        self._swept: list[tuple[Json, range, set[Place]]] = []
        self._known: set[tuple[object, ...]] = set()

    def run(self, bases: list[Base], turns: range, which: Places = "every") -> Search:
        """Put these probes at places of every base: first probes of all places first, then second ones.

        `which` places: every one, those that no base had before, or those that the search leans to. What was done
        before is not done again.
        """
        for base in bases:
            edits = self.search.points.probes(self._sites(base, turns, which), turns)
            while not self.search.spent():
                yield []
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.search.ledger.states)))))
                if not batch:
                    break
                yield from self._ask_about(base.obj, batch)

    def _sites(self, base: Base, turns: range, which: Places) -> list[Site]:
        """List the places of a base that get these probes now, and remember that they did."""
        before = {place for obj, done, places in self._swept if obj is base.obj and done == turns for place in places}
        sites = self.search.points.near_sites(base) if which == "near" else self.search.points.sites(base)
        wanted = []
        for site in sites:
            at = (turns.start, *_everywhere(site.place))
            if site.place in before or (which == "new" and at in self._known):
                continue
            self._known.add(at)
            wanted.append(site)
        self._swept.append((base.obj, turns, {site.place for site in wanted}))
        return wanted

    def cross(self, bases: list[Base]) -> Search:
        """Change members of one struct together, once wherever structs stand, for at most a part of the share."""
        end = self.search.asked + self.search.left() // _CROSSING
        for base in bases:
            edits = self._crossings(base)
            while not self.search.spent() and self.search.asked < end:
                yield []
                batch = list(islice(edits, BATCH // 2))
                if not batch:
                    break
                yield from self._ask_about(base.obj, batch)

    def _crossings(self, base: Base) -> Iterator[Edit]:
        for site in (Site((), self.search.plan.shape, base.obj), *self.search.points.sites(base)):
            at = _everywhere(site.place)
            if site.shape.kind == "struct" and at not in self._crossed:
                self._crossed.add(at)
                yield from (Edit(site.place, value) for value in crossed(site.shape, site.value))

    def _ask_about(self, base: Json, edits: list[Edit]) -> Search:
        """Ask every lane about the edits; where an update is refused, about the related pairs too."""
        wanted: list[Wanted] = []
        before = stored(base)
        for edit in edits:
            for state in self.search.ledger.states.values():
                if state.lane.operation is Operation.CREATE:
                    wanted.append((state.lane, edit.apply(base), None, base))
                else:
                    wanted.append((state.lane, edit.apply(before), before, base))
        answers = yield from self.search.ask(wanted, options=self.options)
        related = self._related(wanted, answers, edits)
        del wanted, answers  # hundreds of objects, and hundreds of searches stand here
        yield from self.search.ask(related, options=self.options)

    def _related(self, wanted: list[Wanted], answers: list[Answer], edits: list[Edit]) -> list[Wanted]:
        """Choose related pairs to ask, by what was said of edits."""
        places = [edit.place for edit in edits for _ in self.search.ledger.states]
        related: list[Wanted] = []
        for (lane, new, old, base), place, answer in zip(wanted, places, answers, strict=False):
            if old is None:
                continue
            # Once for each lane and place: these ask how old and new correlate, not what the value is.
            at, pairs = (lane.info.key, _everywhere(place)), []
            if answer.handwritten or answer.declarative:
                pairs = follow_ups(old, new, _touch)
                if self._is_new(at, answer):
                    pairs += kin(self.search.plan.shape, new, place)
            if at not in self._turned and look(old, place) is ABSENT and look(new, place) is not ABSENT:
                self._turned.add(at)
                pairs += turns_of(self.search.plan.shape, new, place)
            related += [(lane, one, other, base) for one, other in pairs]
        return related

    def _is_new(self, at: tuple[object, ...], answer: Answer) -> bool:
        """Whether a rule refuses what stands there for the first time: one place may be refused for several reasons."""
        said = {(*at, e.type, e.origin, canonical_path(e.field)) for e in (*answer.handwritten, *answer.declarative)}
        is_new = not said <= self._correlated
        self._correlated |= said
        return is_new


def turned(search: Asking) -> Iterator[dict[str, bool]]:
    """Yield each validation option of a unit's kinds turned the other way, where that holds for both sides."""
    if search.plan.abilities.switches:
        lanes = [state.lane for state in search.ledger.states.values()]
        options = {name: not value for lane in lanes for name, value in lane.info.options.items()}
        yield from ({name: value} for name, value in sorted(options.items()))


def _everywhere(place: Place) -> tuple[object, ...]:
    return tuple("*" if isinstance(part, int) else part for part in place)


def _touch(obj: Json) -> Json:
    """Change something that no rule minds: an annotation."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict):
        return obj
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, "touched": "a"}}}
