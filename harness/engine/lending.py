"""Lenders: searches that grow what many kinds share, once in each process, before those that share it grow.

A lender looks for no difference; a crash that it meets is asked again by the search that its kind belongs to. It is no
part of the units: every process that needs one has its own, so that what a unit borrows depends on the seed and the
budget alone, and neither on processes nor on shards.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace

from harness import tuning
from harness.case import Answer, Case, Operation
from harness.engine.growthphase import borrowed, slimmed
from harness.engine.phases import Phase
from harness.engine.plan import Search, UnitPlan
from harness.engine.search import UnitSearch
from harness.engine.seedsearch import SeedSearch
from harness.engine.units import Lane, Unit
from harness.fuzzers.bases import Base
from harness.fuzzers.budget import shares
from harness.fuzzers.census import measured
from harness.fuzzers.grow import Growth
from harness.fuzzers.lending import Stock, lenders, seats
from harness.fuzzers.shape import Shape


def lend(search: Lender) -> Search:
    """Grow one object as far as it goes. However it ends, nobody waits for it any more."""
    stock, seed_search = search.stock, search.seed_search
    try:
        yield from seed_search.find()
        if seed_search.is_found:
            growth = seed_search.growth(seed_search.share(1))
            yield from borrowed(search, growth)
            stock.bases += yield from _grown(seed_search, growth)
            unreached = growth.rejected.keys() - growth.accepted
            stock.rejected |= {path: growth.rejected[path] for path in sorted(unreached)}
    finally:
        stock.failed += search.ledger.failed_cases()
        stock.is_ready, search.is_awaited = True, False


def _grown(seed_search: SeedSearch, growth: Growth) -> Generator[list[Case], list[Answer], list[Base]]:
    """Grow, and put what only one base holds into a small one, once for all who borrow it.

    Another mode of a variant may allow places outside of its focus: where only it holds them it stays as it is.
    """
    first, *others = yield from growth.run()
    instead, _ = yield from slimmed(seed_search, seed_search.finder, others)
    slim = [instead.get(id(base), base) for base in others]
    held = growth.held(first.obj)
    for small in slim:
        held |= growth.held(small.obj)
    lacking = (growth.held(base.obj) & ~held for base in others)
    return [first, *(base if lost else small for base, small, lost in zip(others, slim, lacking, strict=True))]


class Lender(UnitSearch):
    """The search that fills one stock: an accepted object, and its growth."""

    phases = (Phase("lend", lend, tuning.AWAITED, is_flat=True),)
    is_awaited = True

    def __init__(self, plan: UnitPlan, stock: Stock) -> None:
        super().__init__(plan, lambda finding: None)
        self.stock = stock


class Lending:
    """Who lends to whom in a run over these units, of these shapes. `cases` is the budget of the run in cases."""

    def __init__(self, units: Sequence[Unit], shapes: Sequence[Shape], cases: int | None) -> None:
        self.units, self.shapes = units, shapes
        found = lenders(shapes)
        self._order = sorted(found, key=lambda index: (measured(shapes[index])[0], index))
        self.stocks = {index: Stock(shapes[index], found[index]) for index in self._order}
        sizes = [measured(shapes[index])[0] for index in self._order]
        budgets: list[int] | list[None] = [None] * len(sizes)
        if cases is not None:
            budgets = shares(cases // tuning.LENDERS_PART, sizes)
        self._cases: dict[int, int | None] = dict(zip(self._order, budgets, strict=True))

    def to_unit(self, index: int) -> tuple[Stock, ...]:
        """Return the stocks that a unit borrows from."""
        return self._wanted(index, self._order)

    def needed(self, wanted: Iterable[Stock]) -> list[tuple[Unit, int | None, Stock, tuple[Stock, ...]]]:
        """Return what lenders are made of to fill these stocks: a unit, its share, its stock, whom it borrows from."""
        found, asked = [], list(wanted)
        for place in range(len(self._order) - 1, -1, -1):
            index = self._order[place]
            stock = self.stocks[index]
            if any(stock is one for one in asked):
                before = self._wanted(index, self._order[:place])
                asked += before
                found.append((self._unit(index, place), self._cases[index], stock, before))
        return found[::-1]

    def _wanted(self, index: int, lending: Sequence[int]) -> tuple[Stock, ...]:
        stocks = [self.stocks[one] for one in lending]
        types = frozenset(name for stock in stocks for name in stock.types)
        names = {name for _, name in seats(self.shapes[index], types)}
        return tuple(stock for stock in stocks if names & stock.types)

    def _unit(self, index: int, place: int) -> Unit:
        unit = self.units[index]
        lane = unit.lanes[0] if unit.main is None else Lane(unit.main, Operation.CREATE)
        return replace(unit, index=len(self.units) + place, lanes=(lane,))
