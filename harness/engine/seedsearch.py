"""The seed phase: finds an accepted object for every request of a unit.

1. Find one through the request that creates objects: a kept one, an example of the user, or a repaired one.
2. Offer it to every other request, and repair it where that rejects it.
3. For each update, find a pair that changes something.

Objects stay as small as repair makes them; the growth phase adds to them later.
"""

from __future__ import annotations

from collections.abc import Callable

from harness import tuning
from harness.case import Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.keptseeds import KeptSeedObjects, validated_object
from harness.engine.plan import RequestState, Search
from harness.engine.units import RequestKey, RequestKind
from harness.fuzzers.additions import possible_changes
from harness.fuzzers.growth import Growth
from harness.fuzzers.pathbits import PathBits, PathSet
from harness.fuzzers.repair import Repair, RepairResult, SeedObject, first_candidates, is_accepted
from harness.fuzzers.smallseeds import encoded_size
from harness.fuzzers.typepaths import measure, path_of, type_paths
from harness.jsonpath import JsonPath, differences
from harness.objectmodel import STATUS, named_object, stored

GROWTH_CASES, GROWTH_CASES_PER_PATH = 400, 5
"""At most so many cases for one growth: a fixed number, and some for every path of the type."""
MIN_REPAIR_CASES, MAX_REPAIR_CASES, MAX_REPAIR_CASES_OF_OTHERS = 600, 1500, 400
"""So many cases to repair the first object, if they are left: of a kind without one nothing can be told. At most
so many, and to repair it for another request."""


class SeedSearch:
    """The search for the first seeds of one unit.

    `finder` is the request that finds the first object: the create, if there is one. `plain` is that object, or the
    best rejected candidate. `firsts` has the first objects of the other requests. `known` are the kept objects of an
    earlier run that the finder still accepts; `is_known`: they are complete, so that nothing needs to grow.
    """

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self.keeping = KeptSeedObjects(search)
        unit = search.plan.unit
        self.finder = RequestKind(unit.main, Operation.CREATE) if unit.main is not None else unit.requests[0]
        self.plain: SeedObject = SeedObject(self.root())
        self.is_found = False
        self.known: list[SeedObject] = []
        self.is_known = False
        self.firsts: dict[RequestKey, Json] = {}
        self._path_count = measure(search.plan.shape)[0]

    def root(self) -> Json:
        """Return an object of the kind with only a name."""
        return named_object(self.finder.info)

    def asker(
        self, request: RequestKind, before: Json = None, validated: bool = False
    ) -> Callable[[list[Json]], Search]:
        """Return a function that asks objects through a request; an update without `before` changes nothing."""

        def ask(objects: list[Json]) -> Search:
            if request.operation is Operation.CREATE:
                specs = [(request, obj, None, obj) for obj in objects]
            else:
                pairs = [(stored(obj), obj) for obj in objects]
                specs = [(request, new, new if before is None else before, obj) for new, obj in pairs]
            return self.search.ask(specs, settle=False, validated=validated)

        return ask

    def share(self, part: int) -> int:
        """Return the case limit of one growth: 1/`part` of the cases left, and not more than the type's size needs."""
        return min(self.search.left() // part, GROWTH_CASES + GROWTH_CASES_PER_PATH * self._path_count)

    def run(self) -> Search:
        """Find an accepted object for every request, and an update that changes something."""
        known = yield from self.keeping.ask_again(self.finder)
        if known:
            self.is_found = True
            self.known = [SeedObject(one.case.object, one.focus) for one in known]
            self.plain = self.known[-1]
            repaired = RepairResult(self.plain.obj, True)
        else:
            repaired = yield from self.find()
        given = self.search.given.accepted(self.finder)
        if given and not self.is_found:
            self.plain, self.is_found = SeedObject(min(given, key=encoded_size)), True
            repaired = RepairResult(self.plain.obj, True)
        self.search.points.set_seeds(list(self.known or [self.plain]))
        yield from self._add_examples(given)
        for key, state in self.search.ledger.states.items():
            if state.request != self.finder:
                yield from self._offer(key, state)
                continue
            self._record(state, repaired)
            if known:
                self.keeping.take(state, known)
            elif repaired.accepted and state.request.operation is Operation.UPDATE:
                self.firsts[key] = repaired.obj
        for key, first in self.firsts.items():
            if key[1] is Operation.UPDATE and not self.search.ledger.states[key].changed_paths:
                yield from self._change_something(self.search.ledger.states[key], first)
        self.is_known = bool(known) and self.keeping.is_complete
        self.search.path_coverage.close()

    def _record(self, state: RequestState, repaired: RepairResult) -> None:
        """Record the result of the search for an accepted object, and whether a time limit cut it short."""
        state.has_seed, state.remaining, state.sides = repaired.accepted, repaired.remaining, repaired.sides
        state.seed_search_complete = repaired.accepted or not self.search.plan.is_late()

    def growth(self, limit: int) -> Growth:
        """Return the growth of the first object, or of the kept ones, through the finder."""
        main = (self.known or [self.plain])[0].obj
        growth = Growth(self.search.plan.shape, self.asker(self.finder), self.search.harvest, limit, main)
        for base in self.known:
            growth.record_accepted(base.obj)
        path_coverage = self.search.path_coverage
        growth.given_up |= {path: path_coverage.rejected.get(path, "") for path in sorted(path_coverage.tried)}
        return growth

    def find(self) -> Search:
        """Look for the first object through the finder. Returns: the result of the repair.

        Repair starts from rejected examples of the user too. If an example is accepted, repair only has to find a
        smaller object, and gives up soon.
        """
        given = self.search.given
        has_accepted = bool(given.accepted(self.finder))
        repair = Repair(
            self.search.plan.shape,
            self.asker(self.finder),
            self.search.harvest,
            limit=min(self.search.left() // 10, tuning.BESIDE_EXAMPLES)
            if has_accepted
            else min(max(self.search.left() // 3, MIN_REPAIR_CASES), self.search.left() * 3 // 4, MAX_REPAIR_CASES),
        )
        examples = [] if has_accepted else given.rejected(self.finder)
        repaired = yield from repair.run([*examples, *first_candidates(self.search.plan.shape, self.root())])
        self.plain, self.is_found = SeedObject(repaired.obj), repaired.accepted
        if repaired.accepted:
            path_bits = PathBits(self.search.plan.shape)
            yield from self.confirm([self.plain], PathSet(path_bits, path_bits.of(repaired.obj)))
            self.keep([self.plain])
        return repaired

    def _add_examples(self, given: list[Json]) -> Search:
        """Add accepted examples of the user to the seeds, the fullest first, as long as each adds a path.

        Growth starts from the plain object rather than from an example, so that it does not depend on examples.
        """
        path_bits = PathBits(self.search.plan.shape)
        covered, chosen = 0, list[SeedObject]()
        for obj in sorted(given, key=encoded_size, reverse=True):
            paths = path_bits.of(obj)
            if obj == self.plain.obj or (paths & ~covered and len(chosen) < tuning.SEED_EXAMPLES):
                covered |= paths
                chosen.append(SeedObject(obj))
                self.search.points.add_seed(chosen[-1])
            else:
                self.search.points.add(obj)
        if chosen:
            yield from self.confirm(chosen, PathSet(path_bits, covered))
            self.keep(chosen)

    def keep(self, seeds: list[SeedObject]) -> None:
        """Keep seeds that the finder accepts for a later run."""
        for base in seeds:
            stored_obj = stored(base.obj)
            if self.finder.operation is Operation.CREATE:
                self.keeping.add(self.finder, base.obj, None, base.focus)
            else:
                self.keeping.add(self.finder, stored_obj, stored_obj, base.focus)

    def confirm(self, seeds: list[SeedObject], reached: PathSet) -> Search:
        """Remove from `reached` the paths of accepted objects that their validators did not receive."""
        path_coverage, path_bits = self.search.path_coverage, reached.path_bits
        answers = yield from self.asker(self.finder, validated=True)([base.obj for base in seeds])
        if any(answer.validated for answer in answers):
            received_bits = 0
            for base, answer in zip(seeds, answers, strict=False):
                received = path_bits.of_unshared(validated_object(answer, base.obj))
                path_coverage.drop(path_bits.names(path_bits.of(base.obj) & ~received))
                received_bits |= received
            reached.bits &= received_bits
        path_coverage.accepted.update(reached)

    def _offer(self, key: RequestKey, state: RequestState) -> Search:
        """Ask another request about the first object, and repair the object if it is rejected."""
        known = yield from self.keeping.ask_again(state.request)
        if known:
            self.keeping.take(state, known)
            if not self.keeping.is_complete:
                self.firsts[key] = known[0].case.object
            return
        limit = min(self.search.left() // 4, MAX_REPAIR_CASES_OF_OTHERS)
        repair = Repair(self.search.plan.shape, self.asker(state.request), self.search.harvest, limit=limit)
        given = self.search.given
        own = given.accepted(state.request)[: tuning.SEED_EXAMPLES] or (
            [] if self.is_found else given.rejected(state.request)
        )
        had_seed = state.has_seed  # an accepted example
        repaired = yield from repair.run([self.plain.obj, *own])
        self._record(state, repaired)
        if had_seed:
            state.has_seed, state.remaining, state.sides, state.seed_search_complete = True, (), (), True
        if not repaired.accepted:
            return
        self.firsts[key] = repaired.obj
        if repaired.obj != self.plain.obj:
            self.search.points.add_seed(SeedObject(repaired.obj))
        stored_obj = stored(repaired.obj)
        self.keeping.add(state.request, stored_obj, stored_obj if state.request.operation is Operation.UPDATE else None)

    def _change_something(self, state: RequestState, base: Json) -> Search:
        """Find an update that changes something; fields that only a subresource can write are added first."""
        if state.request.info.subresource:
            base = yield from self.fill(state, base, tuning.FIRST_CHANGES)
        yield from self.change(state, base, tuning.FIRST_CHANGES)

    def fill(self, state: RequestState, plain: Json, limit: int) -> Search:
        """Add fields that only a subresource can write, such as the status, in updates of the object without them.

        Returns: the fullest object.
        """
        request, shape, path_coverage = state.request, self.search.plan.shape, self.search.path_coverage
        missing = [path for path in type_paths(shape) if path not in path_coverage.accepted]
        if self.search.is_spent() or not isinstance(plain, dict) or not missing:
            return plain
        before = stored(plain)
        focus: JsonPath = (STATUS,) if request.info.subresource == STATUS and STATUS in shape.by_name else ()
        growth = Growth(
            shape,
            self.asker(request, before, validated=True),
            self.search.harvest,
            limit,
            plain,
            frozenset(),
            focus,
            as_validated=validated_object,
            wanted_paths=frozenset(missing),
        )
        grown = yield from growth.run()
        path_coverage.add(growth)
        state.changed_paths = tuple(dict.fromkeys((*state.changed_paths, *sorted(growth.accepted))))
        known = [base.obj for base in self.search.points.seeds]
        for base in grown:
            if base.obj != plain and base.obj not in known:
                self.search.points.add_seed(SeedObject(base.obj, focus or base.focus))
                self.keeping.add(request, stored(base.obj), before, focus or base.focus)
        return growth.main if growth.accepted else plain

    def change(self, state: RequestState, base: Json, limit: int) -> Search:
        """Find an accepted update that changes as many fields as possible."""
        if self.search.is_spent() or not isinstance(base, dict):
            return
        shape, before = self.search.plan.shape, stored(base)
        growth = Growth(shape, self.asker(state.request, before), self.search.harvest, limit, before, frozenset())
        yield from growth.add_all(possible_changes(before, shape)[: tuning.MOST_CHANGES])
        # Only the result is asked for the objects that the validators receive, because serialising them is costly.
        answers = yield from self.asker(state.request, before, validated=True)([growth.main])
        if answers and is_accepted(answers[0]) and growth.main != before:
            validated = next(iter(answers[0].validated.values()), None)
            new, old = (growth.main, before) if validated is None else (validated.object, validated.old)
            paths = dict.fromkeys(path_of(path, shape) for path in differences(new, old))
            paths |= dict.fromkeys(state.changed_paths)
            state.changed_paths = tuple(path for path in paths if path != "metadata.generation")
            self.search.points.add_pair(state.request, growth.main, before)
            self.keeping.add(state.request, growth.main, before)
