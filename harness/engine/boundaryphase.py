"""The deterministic pass: every probe at every place of every base, through every lane, with the related pairs."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal, TypeAlias

from harness import tuning
from harness.case import Answer, Json, Operation
from harness.engine.asker import BATCH, NO_OPTIONS, UnitAsker, Wanted
from harness.engine.followups import RejectionReasons
from harness.engine.plan import Search
from harness.engine.writableparts import WritableParts
from harness.fuzzers.bases import Base
from harness.fuzzers.census import error_path_of
from harness.fuzzers.crossing import crossed
from harness.fuzzers.edits import Site
from harness.fuzzers.kin import company, kin, turns_of, twins
from harness.fuzzers.pairs import follow_ups
from harness.jsonpath import ABSENT, Edit, JsonPath, leads_to, look, put
from harness.objectmodel import is_in_metadata, stored, touched
from harness.tags.registry import rule_facts

EVERY_PROBE = range(60)
Way: TypeAlias = tuple[object, ...]
"""A place with any index: where it is in all objects."""
Places: TypeAlias = Literal["every", "new", "near", "quiet", "judged"]
PASSES: tuple[tuple[range, Places], ...] = (
    (range(5), "new"), (range(5, 14), "new"), (range(14, 60), "judged"), (range(5), "every"), (range(14, 60), "new"),
    (range(5, 14), "every"), (range(14, 60), "every"), (EVERY_PROBE, "quiet"),
)  # fmt: skip
"""The pass in parts: which probes, and at which places of the bases: those that no base had before, or every one.

Small bases come first, so that a place is probed in the smallest object that has it. Places of which an error is
declared or covered get their rarer probes before all others: two formats that differ do so in a few texts. Random
rounds stand between. The first part is gone through once more for every validation option that can be turned the other
way. Quiet places come last: members of the metadata, which all kinds have in common, of which nobody said anything when
the first probes stood there.
"""


class BoundaryPhase:
    """The deterministic pass of one unit's search, under these options where they are not those of the target."""

    def __init__(self, search: UnitAsker, writable: WritableParts, options: Mapping[str, bool] = NO_OPTIONS) -> None:
        self.search, self.writable, self.options = search, writable, options
        self._minded: dict[JsonPath, bool] = {}
        self._reasons = RejectionReasons()
        self._turned: set[tuple[object, ...]] = set()
        self._crossed: set[tuple[object, ...]] = set()
        self._hiding = rule_facts().of_changes
        # By their hashes in arrays, made to sets for a moment: there are hundreds for each of hundreds of passes.
        self._swept: dict[tuple[int, range], tuple[Json, array[int]]] = {}
        self._known: dict[tuple[int, bool], array[int]] = defaultdict(_hashes)

    def run(self, bases: list[Base], turns: range, which: Places = "every") -> Search:
        """Put these probes at places of every base: first probes of all places first, then second ones.

        `which` places: every one, those that no base had before, those of them that both sides may look at, or those
        that the search leans to. What was done before is not done again.
        """
        for base in bases:
            if self.search.is_spent():
                return
            edits = self.search.points.probes(self._sites(base, turns, which), turns)
            while not self.search.is_spent():
                yield []
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.search.ledger.states)))))
                if not batch:
                    break
                all_versions = self.search.plan.leads and which == "new" and not turns.start
                steps = self._ask_about(base.obj, batch, versions=all_versions, closely=which == "near")
                del batch  # hundreds of searches stand here
                yield from steps

    def with_options(self, options: Mapping[str, bool]) -> BoundaryPhase:
        """Return the pass under other options, which knows what this one has learnt of places."""
        other = BoundaryPhase(self.search, self.writable, options)
        other._minded = self._minded
        return other

    def _sites(self, base: Base, turns: range, which: Places) -> list[Site]:
        """List the places of a base that get these probes now, and remember that they did."""
        _, swept = self._swept.setdefault((id(base.obj), turns), (base.obj, _hashes()))
        before = set(swept)
        sites = self.search.points.near_sites(base) if which == "near" else self.search.points.sites(base)
        quiet = {place for place, minded in self._minded.items() if not minded}
        # A member that is there is changed, one that is not comes new: an update may allow the one alone.
        ways = [self._known[turns.start, is_absent] for is_absent in (False, True)]
        known = [(set(had), set[int]()) for had in ways]
        wanted = []
        for site in sites:
            place = site.place
            if hash(place) in before:
                continue
            had, found = known[site.value is ABSENT]
            way = hash(_everywhere(place))
            if which in ("new", "judged") and way in had:
                continue
            if which == "judged" and error_path_of(place, self.search.plan.shape) not in self.search.ledger.judged:
                continue
            if which not in ("near", "judged") and (place[:2] in quiet) != (which == "quiet"):
                continue
            found.add(way)
            wanted.append(site)
        for kept, (had, found) in zip(ways, known, strict=True):
            kept.extend(found - had)
        swept.extend(hash(site.place) for site in wanted)
        return wanted

    def cross(self, bases: list[Base]) -> Search:
        """Change members of one struct together, once wherever structs stand, for at most a part of the share."""
        end = self.search.asked + self.search.left() // tuning.CROSSING_PART
        for base in bases:
            edits = self._crossings(base)
            while not self.search.is_spent() and self.search.asked < end:
                yield []
                batch = list(islice(edits, BATCH // 2))
                if not batch:
                    break
                steps = self._ask_about(base.obj, batch)
                del batch
                yield from steps

    def _crossings(self, base: Base) -> Iterator[Edit]:
        for site in (Site((), self.search.plan.shape, base.obj), *self.search.points.sites(base)):
            at = _everywhere(site.place)
            if site.shape.kind == "struct" and at not in self._crossed:
                self._crossed.add(at)
                yield from (Edit(site.place, value) for value in crossed(site.shape, site.value))

    def _ask_about(self, base: Json, edits: list[Edit], versions: bool = False, closely: bool = False) -> Search:
        """Ask the lanes that take them about the edits, and about related pairs where an update is refused.

        That is once for each reason at a place, or, when looked at `closely`, for every edit that is refused.
        """
        wanted: list[Wanted] = []
        places: list[JsonPath] = []
        before = stored(base)
        for edit in edits:
            for state in self.search.ledger.states.values():
                if not self.writable.has(state.lane, edit.path):
                    continue
                places.append(edit.path)
                if state.lane.operation is Operation.CREATE:
                    wanted.append((state.lane, edit.apply(base), None, base))
                else:
                    wanted.append((state.lane, edit.apply(before), before, base))
        del edits
        answers = yield from self.search.ask(wanted, settle=False, versions=versions, options=self.options)
        related = self.search.ask(
            self._related_pairs(wanted, answers, places, closely), versions=versions, options=self.options
        )
        del wanted, answers, places  # hundreds of objects
        yield from self.search.settle()
        yield from related

    def _related_pairs(
        self, wanted: list[Wanted], answers: list[Answer], places: list[JsonPath], closely: bool
    ) -> list[Wanted]:
        """Choose related pairs to ask, by what was said of edits."""
        related: list[Wanted] = []
        for (lane, new, old, base), place, answer in zip(wanted, places, answers, strict=False):
            if is_in_metadata(place) and answer.failure is None:
                said = bool(answer.handwritten or answer.declarative)
                self._minded[place[:2]] = self._minded.get(place[:2], False) or said
            # Once for each lane and place: these ask how old and new correlate, not what the value is.
            at, pairs, shape = (*lane.key, _everywhere(place)), [], self.search.plan.shape
            is_rejected = bool(answer.handwritten or answer.declarative)
            is_new = is_rejected and self._reasons.is_new(at, answer)
            if old is not None and not is_rejected and is_in_metadata(place) and len(place) == 2:
                related.append((lane, new, new, base))  # the server brings back what it put aside
            if old is None:
                if is_new and not is_in_metadata(place):
                    related += [(lane, other, None, base) for other in company(shape, new, place)]
                continue
            if is_new or (is_rejected and closely):
                pairs = follow_ups(old, new, touched)
            if is_new:
                pairs += [*kin(shape, new, place), *twins(shape, old, new, place)]
            if place and any(
                error.origin in self._hiding and leads_to(error.field, place) for error in answer.declarative
            ):
                pairs.append((new, put(old, place, ABSENT)))
            if at not in self._turned and look(old, place) is ABSENT and look(new, place) is not ABSENT:
                self._turned.add(at)
                pairs += turns_of(shape, new, place)
            related += [(lane, one, other, base) for one, other in pairs]
        return related


def flip_options(search: UnitAsker) -> Iterator[dict[str, bool]]:
    """Yield each validation option of a unit's kinds turned the other way, where that holds for both sides."""
    if search.plan.abilities.switches:
        lanes = [state.lane for state in search.ledger.states.values()]
        options = {name: not value for lane in lanes for name, value in lane.info.options.items()}
        yield from ({name: value} for name, value in sorted(options.items()))


def _hashes() -> array[int]:
    return array("q")


def _everywhere(place: JsonPath) -> Way:
    return tuple("*" if isinstance(part, int) else part for part in place)
