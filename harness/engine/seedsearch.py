"""Bases: an accepted object through the lane that creates them, shown to every other lane at once.

Until every lane has one, and every update something that it changes, an object stays as small as repair made it:
what it lacks is the business of `growth_phase`.
"""

from __future__ import annotations

from collections.abc import Callable

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.keptseeds import KeptSeedObjects, given_of
from harness.engine.plan import LaneState, Search
from harness.engine.units import Lane, LaneKey
from harness.fuzzers.additions import changes_of
from harness.fuzzers.bases import Base, Repair, Repaired, accepted, starts
from harness.fuzzers.census import census, measured, path_of
from harness.fuzzers.grow import Growth
from harness.fuzzers.holding import Holding, Reached
from harness.fuzzers.slim import weight
from harness.jsonpath import JsonPath, differences
from harness.objectmodel import STATUS, named_object, stored


class SeedSearch:
    """The search for the first bases of one unit.

    `plain` is the first object that the finding lane accepted, or the best there was. `firsts` are the first ones of
    the other lanes. `is_known` says that the finder took kept objects, which are full; `known` are the lanes that did.
    """

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self.keeping = KeptSeedObjects(search)
        unit = search.plan.unit
        self.finder = Lane(unit.main, Operation.CREATE) if unit.main is not None else unit.lanes[0]
        self.plain: Base = Base(self.root())
        self.is_found = False
        self.known: list[Base] = []
        self.is_known = False
        self.firsts: dict[LaneKey, Json] = {}
        self._places = measured(search.plan.shape)[0]

    def root(self) -> Json:
        """Return an object of the kind with a name and nothing else."""
        return named_object(self.finder.info)

    def asker(self, lane: Lane, before: Json = None, validated: bool = False) -> Callable[[list[Json]], Search]:
        """Return how to ask about objects through a lane; an update without `before` is one that changes nothing."""

        def ask(objects: list[Json]) -> Search:
            if lane.operation is Operation.CREATE:
                wanted = [(lane, obj, None, obj) for obj in objects]
            else:
                both = [(stored(obj), obj) for obj in objects]
                wanted = [(lane, new, new if before is None else before, obj) for new, obj in both]
            return self.search.ask(wanted, settle=False, validated=validated)

        return ask

    def share(self, part: int) -> int:
        """Return how many questions one growth gets: a part of what is left, and no more than the type is large."""
        return min(self.search.left() // part, 400 + 5 * self._places)

    def run(self) -> Search:
        """Find an accepted object for every lane, and an update that changes something."""
        known = yield from self.keeping.ask_again(self.finder)
        if known:
            self.is_found = True
            self.known = [Base(one.case.object, one.focus) for one in known]
            self.plain = self.known[-1]
            repaired = Repaired(self.plain.obj, True)
        else:
            repaired = yield from self.find()
        given = self.search.given.accepted(self.finder)
        if given and not self.is_found:
            self.plain, self.is_found = Base(min(given, key=weight)), True
            repaired = Repaired(self.plain.obj, True)
        self.search.points.set_seeds(list(self.known or [self.plain]))
        yield from self._take(given)
        for key, state in self.search.ledger.states.items():
            if state.lane != self.finder:
                yield from self._show(key, state)
                continue
            self._note(state, repaired)
            if known:
                self.keeping.take(state, known)
            elif repaired.accepted and state.lane.operation is Operation.UPDATE:
                self.firsts[key] = repaired.obj
        for key, first in self.firsts.items():
            if key[1] is Operation.UPDATE and not self.search.ledger.states[key].changed_paths:
                yield from self._change_something(self.search.ledger.states[key], first)
        self.is_known = bool(known) and self.keeping.is_complete
        self.search.path_coverage.close()

    def _note(self, state: LaneState, repaired: Repaired) -> None:
        """Say what the search for an accepted object came to. One that the clock cut short proves nothing."""
        state.has_seed, state.remaining, state.sides = repaired.accepted, repaired.remaining, repaired.sides
        state.seed_search_complete = repaired.accepted or not self.search.plan.is_late()

    def growth(self, limit: int) -> Growth:
        """Return the growth of the first object, or of the kept ones, through the lane that found it."""
        main = (self.known or [self.plain])[0].obj
        growth = Growth(self.search.plan.shape, self.asker(self.finder), self.search.harvest, limit, main)
        for base in self.known:
            growth.arrive(base.obj)
        path_coverage = self.search.path_coverage
        growth.given_up |= {path: path_coverage.rejected.get(path, "") for path in sorted(path_coverage.tried)}
        return growth

    def find(self) -> Search:
        """Look for the first object through the lane that creates them. Returns what the repair came to.

        Of examples that are refused the repair starts too. Where some are accepted it is to find a small object, and
        soon gives up.
        """
        given = self.search.given
        has_some = bool(given.accepted(self.finder))
        repair = Repair(
            self.search.plan.shape,
            self.asker(self.finder),
            self.search.harvest,
            limit=min(self.search.left() // (10 if has_some else 3), tuning.BESIDE_EXAMPLES if has_some else 1500),
        )
        first = [] if has_some else given.rejected(self.finder)
        repaired = yield from repair.run([*first, *starts(self.search.plan.shape, self.root())])
        self.plain, self.is_found = Base(repaired.obj), repaired.accepted
        if repaired.accepted:
            holding = Holding(self.search.plan.shape)
            yield from self.confirm([self.plain], Reached(holding, holding.of(repaired.obj)))
            self.keep([self.plain])
        return repaired

    def _take(self, given: list[Json]) -> Search:
        """Take accepted objects of the user's own for bases, the fullest first: those that have what no other has.

        What grows is the plain object, and not one of these: it is to become as full without them.
        """
        holding = Holding(self.search.plan.shape)
        held, chosen = 0, list[Base]()
        for obj in sorted(given, key=weight, reverse=True):
            places = holding.of(obj)
            if obj == self.plain.obj or (places & ~held and len(chosen) < tuning.SEED_EXAMPLES):
                held |= places
                chosen.append(Base(obj))
                self.search.points.add_base(chosen[-1])
            else:
                self.search.points.add(obj)
        if chosen:
            yield from self.confirm(chosen, Reached(holding, held))
            self.keep(chosen)

    def keep(self, bases: list[Base]) -> None:
        """Keep what the finding lane accepts."""
        for base in bases:
            both = stored(base.obj)
            if self.finder.operation is Operation.CREATE:
                self.keeping.add(self.finder, base.obj, None, base.focus)
            else:
                self.keeping.add(self.finder, both, both, base.focus)

    def confirm(self, bases: list[Base], reached: Reached) -> Search:
        """See what the validators were given of accepted objects: the rest was not reached."""
        path_coverage, holding = self.search.path_coverage, reached.holding
        answers = yield from self.asker(self.finder, validated=True)([base.obj for base in bases])
        if any(answer.validated for answer in answers):
            given = 0
            for base, answer in zip(bases, answers, strict=False):
                held = holding.of_stranger(given_of(answer, base.obj))
                path_coverage.drop(holding.names(holding.of(base.obj) & ~held))
                given |= held
            reached.bits &= given
        path_coverage.accepted.update(reached)

    def _show(self, key: LaneKey, state: LaneState) -> Search:
        """Show the first object to another lane; if that does not accept it, mend it."""
        known = yield from self.keeping.ask_again(state.lane)
        if known:
            self.keeping.take(state, known)
            if not self.keeping.is_complete:
                self.firsts[key] = known[0].case.object
            return
        limit = min(self.search.left() // 4, 400)
        repair = Repair(self.search.plan.shape, self.asker(state.lane), self.search.harvest, limit=limit)
        given = self.search.given
        own = given.accepted(state.lane)[: tuning.SEED_EXAMPLES] or (
            [] if self.is_found else given.rejected(state.lane)
        )
        has_base = state.has_seed  # an example may have been accepted
        repaired = yield from repair.run([self.plain.obj, *own])
        self._note(state, repaired)
        if has_base:
            state.has_seed, state.remaining, state.sides, state.seed_search_complete = True, (), (), True
        if not repaired.accepted:
            return
        self.firsts[key] = repaired.obj
        if repaired.obj != self.plain.obj:
            self.search.points.add_base(Base(repaired.obj))
        both = stored(repaired.obj)
        self.keeping.add(state.lane, both, both if state.lane.operation is Operation.UPDATE else None)

    def _change_something(self, state: LaneState, base: Json) -> Search:
        """Find an update that changes something; what only a subresource writes is absent and has to be made."""
        if state.lane.info.subresource:
            base = yield from self.fill(state, base, tuning.FIRST_CHANGES)
        yield from self.change(state, base, tuning.FIRST_CHANGES)

    def fill(self, state: LaneState, plain: Json, limit: int) -> Search:
        """Fill in what only a subresource can write, such as the status: what is added is new to the stored object.

        Returns the fullest object.
        """
        lane, shape, path_coverage = state.lane, self.search.plan.shape, self.search.path_coverage
        missing = [path for path in census(shape) if path not in path_coverage.accepted]
        if self.search.is_spent() or not isinstance(plain, dict) or not missing:
            return plain
        before = stored(plain)
        focus: JsonPath = (STATUS,) if lane.info.subresource == STATUS and STATUS in shape.by_name else ()
        growth = Growth(
            shape,
            self.asker(lane, before, validated=True),
            self.search.harvest,
            limit,
            plain,
            frozenset(),
            focus,
            given=given_of,
            only=frozenset(missing),
        )
        grown = yield from growth.run()
        path_coverage.add(growth)
        state.changed_paths = tuple(dict.fromkeys((*state.changed_paths, *sorted(growth.accepted))))
        known = [base.obj for base in self.search.points.bases]
        for base in grown:
            if base.obj != plain and base.obj not in known:
                self.search.points.add_base(Base(base.obj, focus or base.focus))
                self.keeping.add(lane, stored(base.obj), before, focus or base.focus)
        return growth.main if growth.accepted else plain

    def change(self, state: LaneState, base: Json, limit: int) -> Search:
        """Find an update that both sides accept and that changes as much as they allow."""
        if self.search.is_spent() or not isinstance(base, dict):
            return
        shape, before = self.search.plan.shape, stored(base)
        growth = Growth(shape, self.asker(state.lane, before), self.search.harvest, limit, before, frozenset())
        yield from growth.together(changes_of(before, shape)[: tuning.MOST_CHANGES])
        # What the validators are given is costly to tell, and wanted of what was found alone.
        answers = yield from self.asker(state.lane, before, validated=True)([growth.main])
        if answers and accepted(answers[0]) and growth.main != before:
            seen = next(iter(answers[0].validated.values()), None)
            new, old = (growth.main, before) if seen is None else (seen.object, seen.old)
            paths = dict.fromkeys(path_of(place, shape) for place in differences(new, old))
            paths |= dict.fromkeys(state.changed_paths)
            state.changed_paths = tuple(path for path in paths if path != "metadata.generation")
            self.search.points.add_pair(state.lane, growth.main, before)
            self.keeping.add(state.lane, growth.main, before)
