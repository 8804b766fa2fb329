"""Bases: accepted objects found and grown through the lane that creates them, then shown to the other lanes.

What a lane that updates takes from an object is known from what its declarative side was given: a place that is sent
and put aside by the server is not reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from harness.case import Answer, Json, Operation
from harness.engine.asking import Asking
from harness.engine.plan import LaneState, Search
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, Repair, accepted, starts
from harness.fuzzers.census import census, occurring, path_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.lacking import Change
from harness.fuzzers.pairs import stored
from harness.fuzzers.places import differences, look
from harness.fuzzers.shape import Shape
from harness.fuzzers.turning import changes_of

MOST_CHANGES = 160
"""Places that one update tries to change."""
DROPPED = "accepted, and put aside by the server"


@dataclass(slots=True)
class Reach:
    """Which places of a unit's type occur in an accepted object, and which error refused the others."""

    shape: Shape
    reached: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, growth: Growth) -> None:
        """Take what one growth has reached."""
        self.reached |= growth.reached
        self.refused |= {path: error for path, error in growth.refused.items() if error}

    def drop(self, sent: Json, given: Json) -> set[str]:
        """Take back what was sent and not given to the validators. Returns those places."""
        dropped = set(occurring(sent, self.shape)) - set(occurring(given, self.shape))
        self.refused |= dict.fromkeys(sorted(dropped), DROPPED)
        return dropped

    def unreached(self) -> dict[str, str]:
        """Return the places that occur in no accepted object, with the error that refused them or what they lie in."""
        return {path: self._why(path) for path in census(self.shape) if path not in self.reached}

    def _why(self, path: str) -> str:
        while path and path not in self.refused:
            path = path[:-3] if path.endswith(("[*]", "[1]")) else path.rpartition(".")[0]
        return self.refused.get(path, "")


class Founding:
    """The search for the bases of one unit."""

    def __init__(self, search: Asking) -> None:
        self.search = search
        self.reach = Reach(search.plan.shape)
        self._places = len(census(search.plan.shape))

    @property
    def _finder(self) -> Lane:
        unit = self.search.plan.unit
        return Lane(unit.main, Operation.CREATE) if unit.main is not None else unit.lanes[0]

    @property
    def _harvest(self) -> Harvest:
        return self.search.harvest

    def root(self) -> Json:
        """Return an object of the kind with a name and nothing else."""
        info = self._finder.info
        metadata: dict[str, Json] = {"name": "a"}
        if info.namespaced:
            metadata["namespace"] = "default"
        return {"apiVersion": info.api_version, "kind": info.kind, "metadata": metadata}

    def _asker(self, lane: Lane, before: Json = None, validated: bool = False) -> Callable[[list[Json]], Search]:
        """Return how to ask about objects through a lane; an update without `before` is one that changes nothing."""

        def ask(objects: list[Json]) -> Search:
            if lane.operation is Operation.CREATE:
                wanted = [(lane, obj, None, obj) for obj in objects]
            else:
                both = [(stored(obj), obj) for obj in objects]
                wanted = [(lane, new, new if before is None else before, obj) for new, obj in both]
            return self.search.ask(wanted, settle=False, validated=validated)

        return ask

    def run(self) -> Search:
        """Find accepted objects, grow them, and see which lanes accept them."""
        plan, finder = self.search.plan, self._finder
        share = min(self.search.left() // 3, 1500)
        repair = Repair(plan.shape, self._asker(finder), self._harvest, limit=share)
        repaired = yield from repair.run(starts(plan.shape, self.root()))
        grown: list[Base] = [Base(repaired.obj)]
        if repaired.accepted and not self.search.spent():
            growth = Growth(plan.shape, self._asker(finder), self._harvest, self._share(4), repaired.obj)
            grown = yield from growth.run()
            yield from self._confirm(finder, growth, grown)
            grown.append(Base(repaired.obj))
        self.search.points.found(grown)
        basis: Json
        for state in self.search.ledger.states.values():
            if state.lane == finder:
                state.base, state.remaining = repaired.accepted, repaired.remaining
                basis = repaired.obj if repaired.accepted else None
            else:
                basis = yield from self._accept_in(state, grown)
                if basis is not None and state.lane.info.subresource:
                    basis = yield from self._grow_through(state, basis)
            if basis is not None and state.lane.operation is Operation.UPDATE:
                yield from self._change(state, basis)
        yield from self.search.settle()

    def _share(self, part: int) -> int:
        return min(self.search.left() // part, 200 + 4 * self._places)

    def _confirm(self, lane: Lane, growth: Growth, grown: list[Base]) -> Search:
        """See what the validators were given of the grown objects: the rest was not reached."""
        answers = yield from self._asker(lane, validated=True)([base.obj for base in grown])
        if any(answer.validated for answer in answers):
            given: set[str] = set()
            for base, answer in zip(grown, answers, strict=False):
                obj = _given(answer, base.obj)
                self.reach.drop(base.obj, obj)
                given.update(occurring(obj, self.search.plan.shape))
            growth.reached &= given
        self.reach.add(growth)

    def _accept_in(self, state: LaneState, grown: list[Base]) -> Search:
        """See whether another lane accepts the bases; if it does not, mend them for it. Returns the fullest."""
        ask, shape = self._asker(state.lane), self.search.plan.shape
        full, plain = grown[0].obj, grown[-1].obj
        answers = yield from ask([full, plain])
        found = [obj for obj, answer in zip((full, plain), answers, strict=False) if accepted(answer)]
        if not found:
            repair = Repair(shape, ask, self._harvest, limit=min(self.search.left() // 4, 400))
            repaired = yield from repair.run([full, plain])
            state.base, state.remaining = repaired.accepted, repaired.remaining
            if not repaired.accepted:
                return None
            found = [repaired.obj]
        state.base = True
        if found[0] is full:
            return full
        growth = Growth(shape, ask, self._harvest, self._share(8), found[0], frozenset())
        yield from growth.together(
            [Change(place, [(place, look(full, place))]) for place in differences(full, found[0])]
        )
        if growth.main is not plain:
            self.search.points.add_base(Base(growth.main))
        return growth.main

    def _grow_through(self, state: LaneState, plain: Json) -> Search:
        """Fill in what only a subresource can write, such as the status: what is added is new to the stored object.

        Returns the fullest object.
        """
        lane = state.lane
        if lane.operation is not Operation.UPDATE or self.search.spent() or not isinstance(plain, dict):
            return plain
        shape, before = self.search.plan.shape, stored(plain)
        focus = ("status",) if lane.info.subresource == "status" and "status" in shape.by_name else ()
        missing = [path for path in census(shape) if path not in self.reach.reached]
        if not missing:
            return plain
        ask = self._asker(lane, before, validated=True)
        growth = Growth(
            shape, ask, self._harvest, self._share(8), plain, frozenset(), focus, given=_given, only=frozenset(missing)
        )
        grown = yield from growth.run()
        self.reach.add(growth)
        state.changed = tuple(sorted(growth.reached))
        known = [base.obj for base in self.search.points.bases]
        for base in grown:
            if base.obj != plain and base.obj not in known:
                self.search.points.add_base(Base(base.obj, focus or base.focus))
        return growth.main if growth.reached else plain

    def _change(self, state: LaneState, base: Json) -> Search:
        """Find an update that both sides accept and that changes as much as they allow."""
        if self.search.spent() or not isinstance(base, dict):
            return
        shape, before = self.search.plan.shape, stored(base)
        ask = self._asker(state.lane, before, validated=True)
        growth = Growth(shape, ask, self._harvest, self._share(8), before, frozenset(), given=_given)
        yield from growth.together(changes_of(before, shape)[:MOST_CHANGES])
        answers = yield from ask([growth.main])
        if answers and accepted(answers[0]) and growth.main != before:
            seen = next(iter(answers[0].validated.values()), None)
            new, old = (growth.main, before) if seen is None else (seen.object, seen.old)
            paths = dict.fromkeys(path_of(place, shape) for place in differences(new, old))
            paths |= dict.fromkeys(state.changed)
            state.changed = tuple(path for path in paths if path != "metadata.generation")
            self.search.points.add_pair(state.lane, growth.main, before)


def _given(answer: Answer, sent: Json) -> Json:
    """Return what the validators were given, as far as the target says so."""
    seen = next(iter(answer.validated.values()), None)
    return sent if seen is None else seen.object
