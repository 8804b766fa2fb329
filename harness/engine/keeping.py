"""Accepted objects that an earlier run has kept: asked about first, and taken when they still are accepted."""

from __future__ import annotations

from harness.case import Answer, Json, Operation
from harness.engine.asking import Asking
from harness.engine.plan import LaneState, Search, key_of
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, accepted
from harness.fuzzers.census import occurring, path_of
from harness.fuzzers.corpus import KeptBase, KeptBases
from harness.fuzzers.places import Place, differences


def given_of(answer: Answer, sent: Json) -> Json:
    """Return what the validators were given, as far as the target says so."""
    seen = next(iter(answer.validated.values()), None)
    return sent if seen is None else seen.object


class Keeping:
    """The accepted objects of one unit, those of before and those of now."""

    def __init__(self, search: Asking) -> None:
        self.search = search
        self._found: list[KeptBase] = []
        self._lanes: set[tuple[object, Operation]] = set()

    def add(self, lane: Lane, new: Json, old: Json, focus: Place = ()) -> None:
        """Keep what was accepted now."""
        case = lane.info.case(lane.operation, new, old, mode=self.search.plan.mode)
        self._found.append(KeptBase(case, focus))

    def write(self) -> None:
        """Hand over what is known; what belongs to operations that nobody asked about stays as it was."""
        plan = self.search.plan
        if plan.keep is None or not self._found:
            return
        before = plan.kept.bases if plan.kept is not None else ()
        others = [one for one in before if (key_of(one.case), one.case.operation) not in self.search.ledger.states]
        plan.keep(KeptBases((*self._found, *others), dict(sorted(self.search.reach.refused.items()))))

    def again(self, lane: Lane) -> Search:
        """Ask again about what was accepted through a lane. Returns it when all of it still is, else nothing."""
        kept = self.search.plan.kept
        ours = [
            one
            for one in (kept.bases if kept is not None else ())
            if key_of(one.case) == lane.info.key and one.case.operation is lane.operation
        ]
        if kept is None or not ours:
            return []
        wanted = [(lane, one.case.object, one.case.old, one.case.object) for one in ours]
        answers = yield from self.search.ask(wanted, settle=False, validated=True)
        if len(answers) < len(ours) or not all(map(accepted, answers)):
            return []
        reach, shape = self.search.reach, self.search.plan.shape
        reach.refused |= kept.refused
        for one, answer in zip(ours, answers, strict=True):
            sent, old = one.case.object, one.case.old
            found = set(occurring(sent, shape)) & set(occurring(given_of(answer, sent), shape))
            reach.reached |= found if sent == old else found - set(occurring(old, shape))
        self._found += ours
        return ours

    def take(self, state: LaneState, ours: list[KeptBase]) -> None:
        """Take what is accepted still for the bases and the pairs of its lane."""
        points, shape = self.search.points, self.search.plan.shape
        known = [base.obj for base in points.bases]
        for case, focus in ((one.case, one.focus) for one in ours):
            if case.old is not None and case.old != case.object:
                changed = (path_of(place, shape) for place in differences(case.object, case.old))
                state.changed = tuple(dict.fromkeys((*state.changed, *changed)))
                points.add_pair(state.lane, case.object, case.old)
            if case.object not in known and case.old != case.object:
                points.add_base(Base(case.object, focus))
        state.base = True
