"""Donors: searches that grow objects of a type that many kinds share, like pod templates, for others to splice in.

Every process that needs a donor runs its own before the kinds that share its type grow, so that the objects spliced
into a unit depend on the seed and the budget alone, not on processes or shards. A donor's search reports no difference;
a case that crashes is asked again by the search of its kind.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace

from harness import tuning
from harness.case import Answer, Case, Operation
from harness.engine.growthphase import shrink_seeds, splice_from_donors
from harness.engine.phases import Phase
from harness.engine.plan import Search, UnitPlan
from harness.engine.search import UnitSearch
from harness.engine.seedsearch import SeedSearch
from harness.engine.units import RequestKind, Unit
from harness.fuzzers.budget import shares
from harness.fuzzers.donors import Donor, find_donors, splice_paths
from harness.fuzzers.growth import Growth
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import measure


def donate(search: DonorSearch) -> Search:
    """Grow one object as far as possible; when this ends in any way, no search waits for it any more."""
    donor, seed_search = search.donor, search.seed_search
    try:
        yield from seed_search.find()
        if seed_search.is_found:
            growth = seed_search.growth(seed_search.share(1))
            yield from splice_from_donors(search, growth)
            donor.seeds += yield from _grown(seed_search, growth)
            unreached = growth.rejected.keys() - growth.accepted
            donor.rejected |= {path: growth.rejected[path] for path in sorted(unreached)}
    finally:
        donor.failed += search.ledger.failed_cases()
        donor.is_ready, search.is_awaited = True, False


def _grown(seed_search: SeedSearch, growth: Growth) -> Generator[list[Case], list[Answer], list[SeedObject]]:
    """Grow, and replace the seeds after the first by smaller ones, once for all searches that splice them in.

    A seed stays as it is if its smaller one loses a path that no other seed has: another union member may allow paths
    outside its focus.
    """
    first, *others = yield from growth.run()
    replacements, _ = yield from shrink_seeds(seed_search, seed_search.finder, others)
    smaller = [replacements.get(id(base), base) for base in others]
    covered = growth.paths_of(first.obj)
    for small in smaller:
        covered |= growth.paths_of(small.obj)
    lost = (growth.paths_of(base.obj) & ~covered for base in others)
    return [first, *(base if paths else small for base, small, paths in zip(others, smaller, lost, strict=True))]


class DonorSearch(UnitSearch):
    """The search that fills one donor: it finds an accepted object and grows it."""

    phases = (Phase("donate", donate, tuning.AWAITED, is_flat=True),)
    is_awaited = True

    def __init__(self, plan: UnitPlan, donor: Donor) -> None:
        super().__init__(plan, lambda finding: None)
        self.donor = donor


class DonorPlan:
    """The donors of a run over units with these shapes, and the units that use them. `cases` is the run's budget."""

    def __init__(self, units: Sequence[Unit], shapes: Sequence[Shape], cases: int | None) -> None:
        self.units, self.shapes = units, shapes
        found = find_donors(shapes)
        self._order = sorted(found, key=lambda index: (measure(shapes[index])[0], index))
        self.donors = {index: Donor(shapes[index], found[index]) for index in self._order}
        sizes = [measure(shapes[index])[0] for index in self._order]
        budgets: list[int] | list[None] = [None] * len(sizes)
        if cases is not None:
            budgets = shares(cases // tuning.DONORS_PART, sizes)
        self._cases: dict[int, int | None] = dict(zip(self._order, budgets, strict=True))

    def to_unit(self, index: int) -> tuple[Donor, ...]:
        """Return the donors whose objects a unit splices in."""
        return self._donors_for(index, self._order)

    def needed(self, wanted: Iterable[Donor]) -> list[tuple[Unit, int | None, Donor, tuple[Donor, ...]]]:
        """Return the searches to fill these donors: unit, share of cases, donor, and the donors that it uses."""
        searches, needed = [], list(wanted)
        for position in range(len(self._order) - 1, -1, -1):
            index = self._order[position]
            donor = self.donors[index]
            if any(donor is one for one in needed):
                before = self._donors_for(index, self._order[:position])
                needed += before
                searches.append((self._unit(index, position), self._cases[index], donor, before))
        return searches[::-1]

    def _donors_for(self, index: int, donor_indexes: Sequence[int]) -> tuple[Donor, ...]:
        donors = [self.donors[donor_index] for donor_index in donor_indexes]
        types = frozenset(name for donor in donors for name in donor.types)
        names = {name for _, name in splice_paths(self.shapes[index], types)}
        return tuple(donor for donor in donors if names & donor.types)

    def _unit(self, index: int, position: int) -> Unit:
        unit = self.units[index]
        request = unit.requests[0] if unit.main is None else RequestKind(unit.main, Operation.CREATE)
        return replace(unit, index=len(self.units) + position, requests=(request,))
