"""Bases: accepted objects found and grown through the lane that creates them, then shown to the other lanes."""

from __future__ import annotations

from collections.abc import Callable

from harness.case import Json, Operation
from harness.engine.asking import Asking
from harness.engine.plan import LaneState, Search
from harness.engine.units import Lane
from harness.fuzzers.bases import Base, Repair, accepted, starts
from harness.fuzzers.grow import Growth
from harness.fuzzers.pairs import stored


class Founding:
    """The search for the bases of one unit."""

    def __init__(self, search: Asking) -> None:
        self.search = search

    @property
    def _finder(self) -> Lane:
        unit = self.search.plan.unit
        return Lane(unit.main, Operation.CREATE) if unit.main is not None else unit.lanes[0]

    def root(self) -> Json:
        """Return an object of the kind with a name and nothing else."""
        info = self._finder.info
        metadata: dict[str, Json] = {"name": "a"}
        if info.namespaced:
            metadata["namespace"] = "default"
        return {"apiVersion": info.api_version, "kind": info.kind, "metadata": metadata}

    def _asker(self, lane: Lane) -> Callable[[list[Json]], Search]:
        """Return how to ask about objects through a lane; an update is one that changes nothing."""

        def ask(objects: list[Json]) -> Search:
            if lane.operation is Operation.CREATE:
                return self.search.ask([(lane, obj, None, obj) for obj in objects], settle=False)
            both = [stored(obj) for obj in objects]
            return self.search.ask([(lane, obj, obj, obj) for obj in both], settle=False)

        return ask

    def run(self) -> Search:
        """Find accepted objects, grow them, and see which lanes accept them."""
        plan, finder = self.search.plan, self._finder
        share = min(self.search.left() // 3, 1500)
        repair = Repair(plan.shape, self._asker(finder), self.search.harvest, limit=share)
        repaired = yield from repair.run(starts(plan.shape, self.root()))
        grown: list[Base] = [Base(repaired.obj)]
        if repaired.accepted and not self.search.spent():
            limit = min(self.search.left() // 4, 900)
            grown = yield from Growth(plan.shape, self._asker(finder), self.search.harvest, limit, repaired.obj).run()
            grown.append(Base(repaired.obj))
        self.search.points.found(grown)
        for state in self.search.ledger.states.values():
            if state.lane == finder:
                state.base, state.remaining = repaired.accepted, repaired.remaining
            else:
                yield from self._accept_in(state, grown)
        yield from self.search.settle()

    def _accept_in(self, state: LaneState, grown: list[Base]) -> Search:
        """See whether another lane accepts the bases; if it does not, mend them for it."""
        ask = self._asker(state.lane)
        firsts = [grown[0].obj, grown[-1].obj]
        answers = yield from ask(firsts)
        for answer in answers:
            if accepted(answer):
                state.base = True
                yield from self._grow_status(state.lane, grown[0].obj)
                return
        repair = Repair(self.search.plan.shape, ask, self.search.harvest, limit=min(self.search.left() // 4, 400))
        repaired = yield from repair.run(firsts)
        state.base, state.remaining = repaired.accepted, repaired.remaining
        if repaired.accepted:
            self.search.points.add_base(Base(repaired.obj))

    def _grow_status(self, lane: Lane, plain: Json) -> Search:
        """Fill in the status through a subresource, the only way in: what is added is new to the stored object."""
        if (
            not lane.info.subresource
            or "status" not in self.search.plan.shape.by_name
            or "status" in plain
            or self.search.spent()
        ):
            return
        before = stored(plain)

        def ask(objects: list[Json]) -> Search:
            return self.search.ask([(lane, stored(obj), before, obj) for obj in objects], settle=False)

        limit = min(self.search.left() // 8, 300)
        grown = yield from Growth(
            self.search.plan.shape, ask, self.search.harvest, limit, plain, skip=frozenset()
        ).run()
        known = [base.obj for base in self.search.points.bases]
        for base in grown:
            if base.obj.get("status") and base.obj not in known:
                self.search.points.add_base(Base(base.obj, ("status",)))
