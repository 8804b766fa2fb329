"""Accepted objects that an earlier run has kept: asked about first, and taken when they still are accepted."""

from __future__ import annotations

import msgspec

from harness.case import Answer, Case, Json
from harness.engine.asker import UnitAsker
from harness.engine.plan import LaneState, Search, key_of
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, accepted
from harness.fuzzers.census import path_of
from harness.fuzzers.corpus import KeptSeed, KeptSeeds
from harness.fuzzers.holding import Holding
from harness.jsonpath import JsonPath, differences


def given_of(answer: Answer, sent: Json) -> Json:
    """Return what the validators were given, as far as the target says so."""
    seen = next(iter(answer.validated.values()), None)
    return sent if seen is None else seen.object


def _is_of(case: Case, lane: Lane) -> bool:
    return key_of(case) == lane.info.key and case.operation is lane.operation


class KeptSeedObjects:
    """The accepted objects of one unit, those of before and those of now."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self._found: list[KeptSeed] = []
        self._has_lost = False

    @property
    def is_complete(self) -> bool:
        """Whether an earlier run found all that there is to find, and all of it still holds."""
        kept = self.search.plan.kept
        return kept is not None and kept.done and not self._has_lost

    def add(self, lane: Lane, new: Json, old: Json, focus: JsonPath = ()) -> None:
        """Keep what was accepted now."""
        case = lane.info.case(lane.operation, new, old, mode=self.search.plan.mode)
        self._found.append(KeptSeed(case, focus))

    def forget(self, lane: Lane) -> None:
        """Forget what is kept of a lane: what follows replaces it."""
        self._found = [one for one in self._found if not _is_of(one.case, lane)]

    def write(self, done: bool) -> None:
        """Hand over what is known; what belongs to operations that nobody asked about stays as it was."""
        plan = self.search.plan
        if plan.keep is None or not self._found:
            return
        before = plan.kept.seeds if plan.kept is not None else ()
        others = [one for one in before if (key_of(one.case), one.case.operation) not in self.search.ledger.states]
        found = {msgspec.json.encode(one.case): one for one in self._found}.values()
        path_coverage = self.search.path_coverage
        tried = tuple(sorted(path_coverage.tried - path_coverage.accepted))
        plan.keep(KeptSeeds((*found, *others), dict(sorted(path_coverage.rejected.items())), tried, done))

    def ask_again(self, lane: Lane) -> Search:
        """Ask again about what was accepted through a lane, one question each. Returns what still is."""
        kept = self.search.plan.kept
        ours = [one for one in (kept.seeds if kept is not None else ()) if _is_of(one.case, lane)]
        if kept is None or not ours:
            return []
        wanted = [(lane, one.case.object, one.case.old, one.case.object) for one in ours]
        answers = yield from self.search.ask(wanted, settle=False, validated=True)
        both = [(one, answer) for one, answer in zip(ours, answers, strict=False) if accepted(answer)]
        self._has_lost |= len(both) < len(answers)
        path_coverage, holding = self.search.path_coverage, Holding(self.search.plan.shape)
        path_coverage.rejected |= kept.rejected
        path_coverage.tried |= set(kept.tried)
        for one, answer in both:
            sent, old = one.case.object, one.case.old
            found = holding.of(sent) & holding.of_stranger(given_of(answer, sent))
            path_coverage.accepted.update(holding.names(found if sent == old else found & ~holding.of(old)))
        still = [one for one, _ in both]
        self._found += [*still, *ours[len(answers) :]]  # what there was no time for stays as it was
        return still

    def take(self, state: LaneState, ours: list[KeptSeed]) -> None:
        """Take what is accepted still for the bases and the pairs of its lane."""
        points, shape = self.search.points, self.search.plan.shape
        known = [base.obj for base in points.bases]
        for case, focus in ((one.case, one.focus) for one in ours):
            if case.old is not None and case.old != case.object:
                changed = (path_of(place, shape) for place in differences(case.object, case.old))
                state.changed_paths = tuple(dict.fromkeys((*state.changed_paths, *changed)))
                points.add_pair(state.lane, case.object, case.old)
            if case.object not in known and case.old != case.object:
                points.add_base(Base(case.object, focus))
        state.has_seed = True
