"""The growth phase: adds fields to the first seeds, through the create request and then through all others.

This takes thousands of cases for a large type, so other phases run in between (see `harness.engine.phases.grow`).

A path counts as reached by an update only if the validators received it: PrepareForUpdate may reset a path that was
sent.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from harness.case import Answer, Case, Json, Operation
from harness.engine.asker import UnitAsker
from harness.engine.plan import RequestState, Search
from harness.engine.seedsearch import SeedSearch
from harness.engine.units import RequestKind
from harness.fuzzers.additions import Addition
from harness.fuzzers.growth import Growth
from harness.fuzzers.pathbits import PathBits
from harness.fuzzers.repair import SeedObject, is_accepted
from harness.fuzzers.smallseeds import seeds_of_parts, smaller_seeds
from harness.fuzzers.splicing import splice_in
from harness.jsonpath import edits_to


def splice_from_donors(search: UnitAsker, growth: Growth) -> Search:
    """Splice in the objects of donors (searches that grow shared types), after waiting until they are ready."""
    search.needs_donors = True
    while search.waits():
        yield []
    yield from splice_in(growth, search.plan.donors)


def shrink_seeds(
    seed_search: SeedSearch, request: RequestKind, seeds: Sequence[SeedObject], more: Sequence[SeedObject] = ()
) -> Generator[list[Case], list[Answer], tuple[dict[int, SeedObject], list[SeedObject]]]:
    """Return accepted smaller objects, by the id of the seed that each can replace, and the accepted ones of `more`."""
    smaller = [list(smaller_seeds(base, seed_search.plain.obj)) for base in seeds]
    limit = 0 if seed_search.search.is_spent() else seed_search.share(8)
    candidates = [one for group in (more, *smaller) for one in group][:limit]
    answers = yield from seed_search.asker(request)([one.obj for one in candidates])
    accepted = {id(one) for one, answer in zip(candidates, answers, strict=False) if is_accepted(answer)}
    replacements = {
        id(base): one for base, group in zip(seeds, smaller, strict=True) for one in group[::-1] if id(one) in accepted
    }
    return replacements, [one for one in more if id(one) in accepted]


def _select_needed(seeds: list[SeedObject], path_bits: PathBits) -> list[SeedObject]:
    """Return the seeds that have a path that no seed before them has."""
    covered = 0
    needed = []
    for base in seeds:
        paths = path_bits.of(base.obj)
        if paths & ~covered:
            covered |= paths
            needed.append(base)
    return needed


class GrowthPhase:
    """The growth of one unit's seeds. `is_done`: it has ended."""

    def __init__(self, seed_search: SeedSearch) -> None:
        self.seed_search, self.search = seed_search, seed_search.search
        self.is_done = False
        self._is_complete = False
        self._grown: list[SeedObject] = seed_search.known[:-1]

    def run(self) -> Search:
        """Grow through the finder first, then through the other requests; then make small seeds with parts of it."""
        self._is_complete = self.seed_search.is_known
        if self.seed_search.is_found and not self.seed_search.is_known:
            yield from self._grow()
        for key, state in self.search.ledger.states.items():
            if key in self.seed_search.firsts:
                yield from self._grow_through(state, self.seed_search.firsts[key])
        yield from self._add_small_seeds()
        self.search.path_coverage.close()
        self.seed_search.keeping.write(self._is_complete)
        self.is_done = True

    def _grow(self) -> Search:
        """Grow the first object, or the kept ones. The fullest becomes the first seed, and the plain one the last."""
        seed_search, search, plain = self.seed_search, self.search, self.seed_search.plain
        growth = seed_search.growth(seed_search.share(4))
        yield from splice_from_donors(search, growth)
        growth.variants += seed_search.known[1:-1]
        grown = yield from growth.run()
        self._is_complete = growth.left() > 0 and not search.is_spent()
        yield from seed_search.confirm(grown, growth.accepted)
        search.path_coverage.add(growth)
        fuller = [base for base in _select_needed(grown, growth.accepted.path_bits) if base.obj != plain.obj]
        if not search.is_spent():
            seed_search.keeping.forget(seed_search.finder)
        seed_search.keep([*fuller, plain])
        search.points.set_grown(fuller, seed_search.known or [plain])
        self._grown = fuller

    def _grow_through(self, state: RequestState, first: Json) -> Search:
        """Find fuller seeds and pairs for another request, starting from the finder's seeds."""
        seed_search = self.seed_search
        base = yield from self._find_fullest(state, first)
        if state.request.operation is Operation.UPDATE:
            if state.request.info.subresource:
                known = len(self.search.points.seeds)
                base = yield from seed_search.fill(state, base, seed_search.share(8))
                yield from self._shrink(state.request, self.search.points.seeds[known:], [])
            yield from seed_search.change(state, base, seed_search.share(8))

    def _add_small_seeds(self) -> Search:
        """Add small seeds with one part of the fullest object each, and shrink the other grown ones."""
        if self._grown:
            first, *others = self._grown
            yield from self._shrink(
                self.seed_search.finder, others, seeds_of_parts(first.obj, self.seed_search.plain.obj)
            )

    def _shrink(self, request: RequestKind, seeds: list[SeedObject], more: list[SeedObject]) -> Search:
        """Replace seeds by smaller ones that the request accepts too, and add those of `more` that it accepts."""
        replacements, accepted = yield from shrink_seeds(self.seed_search, request, seeds, more)
        self.search.points.replace(replacements, accepted)

    def _find_fullest(self, state: RequestState, first: Json) -> Search:
        """Return the fullest object with as many of its fields as this request accepts."""
        seed_search, search = self.seed_search, self.search
        full = search.points.seeds[0].obj
        ask = seed_search.asker(state.request)
        answers = yield from ask([full])
        if answers and is_accepted(answers[0]):
            return full
        growth = Growth(search.plan.shape, ask, search.harvest, seed_search.share(8), first, frozenset())
        yield from growth.add_all([Addition.of_value(*edit) for edit in edits_to(full, first)])
        if growth.main is not first:
            search.points.add_seed(SeedObject(growth.main))
        return growth.main
