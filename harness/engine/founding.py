"""Bases: accepted objects found and grown through the lane that creates them, then shown to the other lanes.

What a lane that updates takes from an object is known from what its declarative side was given: a place that is sent
and put aside by the server is not reached.
"""

from __future__ import annotations

from collections.abc import Callable

from harness.case import Json, Operation
from harness.engine.asking import Asking
from harness.engine.keeping import Keeping, given_of
from harness.engine.plan import LaneState, Search
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, Repair, Repaired, accepted, starts
from harness.fuzzers.census import census, occurring, path_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.grow import Growth
from harness.fuzzers.lacking import Change
from harness.fuzzers.pairs import stored
from harness.fuzzers.places import differences, look
from harness.fuzzers.turning import changes_of

MOST_CHANGES = 160
"""Places that one update tries to change."""


class Founding:
    """The search for the bases of one unit."""

    def __init__(self, search: Asking) -> None:
        self.search = search
        self.reach = search.reach
        self.keeping = Keeping(search)
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
        finder = self._finder
        known = yield from self.keeping.again(finder)
        if known:
            repaired = Repaired(known[0].case.object, True)
            grown = [Base(one.case.object, one.focus) for one in known]
        else:
            repaired, grown = yield from self._find(finder)
        self.search.points.found(grown)
        for state in self.search.ledger.states.values():
            if state.lane != finder:
                yield from self._through(state, grown)
                continue
            state.base, state.remaining = repaired.accepted, repaired.remaining
            if known:
                self.keeping.take(state, known)
            elif repaired.accepted and state.lane.operation is Operation.UPDATE:
                yield from self._change(state, repaired.obj)
        self.reach.tell()
        self.keeping.write()
        yield from self.search.settle()

    def _find(self, finder: Lane) -> Search:
        """Repair, then grow. Returns what the repair came to, and the bases: the fullest first, the first one last."""
        shape = self.search.plan.shape
        repair = Repair(shape, self._asker(finder), self._harvest, limit=min(self.search.left() // 3, 1500))
        repaired = yield from repair.run(starts(shape, self.root()))
        grown: list[Base] = [Base(repaired.obj)]
        if repaired.accepted and not self.search.spent():
            growth = Growth(shape, self._asker(finder), self._harvest, self._share(4), repaired.obj)
            grown = yield from growth.run()
            yield from self._confirm(finder, growth, grown)
            grown.append(Base(repaired.obj))
        if repaired.accepted:
            for base in grown:
                both = stored(base.obj)
                if finder.operation is Operation.CREATE:
                    self.keeping.add(finder, base.obj, None, base.focus)
                else:
                    self.keeping.add(finder, both, both, base.focus)
        return repaired, grown

    def _through(self, state: LaneState, grown: list[Base]) -> Search:
        """Find bases and pairs for another lane, by the bases of the first one."""
        known = yield from self.keeping.again(state.lane)
        if known:
            self.keeping.take(state, known)
            return
        basis = yield from self._accept_in(state, grown)
        if basis is None:
            return
        both = stored(basis)
        self.keeping.add(state.lane, both, both if state.lane.operation is Operation.UPDATE else None)
        if state.lane.operation is Operation.UPDATE:
            if state.lane.info.subresource:
                basis = yield from self._grow_through(state, basis)
            yield from self._change(state, basis)

    def _share(self, part: int) -> int:
        return min(self.search.left() // part, 200 + 4 * self._places)

    def _confirm(self, lane: Lane, growth: Growth, grown: list[Base]) -> Search:
        """See what the validators were given of the grown objects: the rest was not reached."""
        answers = yield from self._asker(lane, validated=True)([base.obj for base in grown])
        if any(answer.validated for answer in answers):
            given: set[str] = set()
            for base, answer in zip(grown, answers, strict=False):
                obj = given_of(answer, base.obj)
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
        if self.search.spent() or not isinstance(plain, dict):
            return plain
        shape, before = self.search.plan.shape, stored(plain)
        focus = ("status",) if lane.info.subresource == "status" and "status" in shape.by_name else ()
        missing = [path for path in census(shape) if path not in self.reach.reached]
        if not missing:
            return plain
        ask = self._asker(lane, before, validated=True)
        growth = Growth(
            shape,
            ask,
            self._harvest,
            self._share(8),
            plain,
            frozenset(),
            focus,
            given=given_of,
            only=frozenset(missing),
        )
        grown = yield from growth.run()
        self.reach.add(growth)
        state.changed = tuple(sorted(growth.reached))
        known = [base.obj for base in self.search.points.bases]
        for base in grown:
            if base.obj != plain and base.obj not in known:
                self.search.points.add_base(Base(base.obj, focus or base.focus))
                self.keeping.add(lane, stored(base.obj), before, focus or base.focus)
        return growth.main if growth.reached else plain

    def _change(self, state: LaneState, base: Json) -> Search:
        """Find an update that both sides accept and that changes as much as they allow."""
        if self.search.spent() or not isinstance(base, dict):
            return
        shape, before = self.search.plan.shape, stored(base)
        ask = self._asker(state.lane, before, validated=True)
        growth = Growth(shape, ask, self._harvest, self._share(8), before, frozenset(), given=given_of)
        yield from growth.together(changes_of(before, shape)[:MOST_CHANGES])
        answers = yield from ask([growth.main])
        if answers and accepted(answers[0]) and growth.main != before:
            seen = next(iter(answers[0].validated.values()), None)
            new, old = (growth.main, before) if seen is None else (seen.object, seen.old)
            paths = dict.fromkeys(path_of(place, shape) for place in differences(new, old))
            paths |= dict.fromkeys(state.changed)
            state.changed = tuple(path for path in paths if path != "metadata.generation")
            self.search.points.add_pair(state.lane, growth.main, before)
            self.keeping.add(state.lane, growth.main, before)
