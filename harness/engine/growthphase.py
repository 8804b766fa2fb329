"""Growth: the first bases are made fuller, through the lane that creates them, and then through all the others.

This takes thousands of questions for a large type, so that a search goes on with other things in between.

What a lane that updates takes from an object is known from what its declarative side was given: a place that is sent
and put aside by the server is not reached.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from harness.case import Answer, Case, Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.plan import LaneState, Search
from harness.engine.seedsearch import SeedSearch
from harness.engine.units import Lane
from harness.fuzzers.additions import Addition
from harness.fuzzers.bases import Base, accepted
from harness.fuzzers.borrowing import borrow
from harness.fuzzers.grow import Growth
from harness.fuzzers.holding import Holding
from harness.fuzzers.slim import parts, slimmer
from harness.jsonpath import edits_to


def borrowed(search: UnitAsker, growth: Growth) -> Search:
    """Bring in what others lend, once they are ready: it is worth waiting for."""
    search.borrows = True
    while search.waits():
        yield []
    yield from borrow(growth, search.plan.stocks)


def slimmed(
    seed_search: SeedSearch, lane: Lane, bases: Sequence[Base], more: Sequence[Base] = ()
) -> Generator[list[Case], list[Answer], tuple[dict[int, Base], list[Base]]]:
    """Return what may stand for these bases, by their identity, and which of `more` fit: what this lane accepts."""
    ways = [list(slimmer(base, seed_search.plain.obj)) for base in bases]
    most = 0 if seed_search.search.is_spent() else seed_search.share(8)
    wanted = [one for way in (more, *ways) for one in way][:most]
    answers = yield from seed_search.asker(lane)([one.obj for one in wanted])
    fit = {id(one) for one, answer in zip(wanted, answers, strict=False) if accepted(answer)}
    instead = {id(base): one for base, way in zip(bases, ways, strict=True) for one in way[::-1] if id(one) in fit}
    return instead, [one for one in more if id(one) in fit]


def _select_needed(bases: list[Base], holding: Holding) -> list[Base]:
    """Return the bases that have a place which those before have not."""
    held = 0
    found = []
    for base in bases:
        places = holding.of(base.obj)
        if places & ~held:
            held |= places
            found.append(base)
    return found


class GrowthPhase:
    """The growth of one unit's bases. `is_done` once there is nothing left to do."""

    def __init__(self, seed_search: SeedSearch) -> None:
        self.seed_search, self.search = seed_search, seed_search.search
        self.is_done = False
        self._is_complete = False
        self._grown: list[Base] = seed_search.known[:-1]

    def run(self) -> Search:
        """Grow what the finding lane accepts, then what the others make of it."""
        self._is_complete = self.seed_search.is_known
        if self.seed_search.is_found and not self.seed_search.is_known:
            yield from self._grow()
        for key, state in self.search.ledger.states.items():
            if key in self.seed_search.firsts:
                yield from self._through(state, self.seed_search.firsts[key])
        yield from self._in_parts()
        self.search.path_coverage.close()
        self.seed_search.keeping.write(self._is_complete)
        self.is_done = True

    def _grow(self) -> Search:
        """Grow the first object, or what was kept. The fullest comes first among the bases, the plain one last."""
        seed_search, search, plain = self.seed_search, self.search, self.seed_search.plain
        growth = seed_search.growth(seed_search.share(4))
        yield from borrowed(search, growth)
        growth.variants += seed_search.known[1:-1]
        grown = yield from growth.run()
        self._is_complete = growth.left() > 0 and not search.is_spent()
        yield from seed_search.confirm(grown, growth.accepted)
        search.path_coverage.add(growth)
        fuller = [base for base in _select_needed(grown, growth.accepted.holding) if base.obj != plain.obj]
        if not search.is_spent():
            seed_search.keeping.forget(seed_search.finder)
        seed_search.keep([*fuller, plain])
        search.points.set_grown(fuller, seed_search.known or [plain])
        self._grown = fuller

    def _through(self, state: LaneState, first: Json) -> Search:
        """Find fuller bases and pairs for another lane, by the bases of the finding one."""
        seed_search = self.seed_search
        basis = yield from self._fullest(state, first)
        if state.lane.operation is Operation.UPDATE:
            if state.lane.info.subresource:
                known = len(self.search.points.bases)
                basis = yield from seed_search.fill(state, basis, seed_search.share(8))
                yield from self._slim(state.lane, self.search.points.bases[known:], [])
            yield from seed_search.change(state, basis, seed_search.share(8))

    def _in_parts(self) -> Search:
        """Put what the fullest object holds into small ones, and what else was grown."""
        if self._grown:
            first, *others = self._grown
            yield from self._slim(self.seed_search.finder, others, parts(first.obj, self.seed_search.plain.obj))

    def _slim(self, lane: Lane, bases: list[Base], more: list[Base]) -> Search:
        """Replace bases by slim ones that this lane accepts too, and add more of those that it accepts."""
        instead, fit = yield from slimmed(self.seed_search, lane, bases, more)
        self.search.points.replace(instead, fit)

    def _fullest(self, state: LaneState, first: Json) -> Search:
        """Return as much of the fullest object as this lane accepts."""
        seed_search, search = self.seed_search, self.search
        full = search.points.bases[0].obj
        ask = seed_search.asker(state.lane)
        answers = yield from ask([full])
        if answers and accepted(answers[0]):
            return full
        growth = Growth(search.plan.shape, ask, search.harvest, seed_search.share(8), first, frozenset())
        yield from growth.together([Addition.alone(*edit) for edit in edits_to(full, first)])
        if growth.main is not first:
            search.points.add_base(Base(growth.main))
        return growth.main
