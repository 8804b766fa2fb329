"""The search of one unit, as one generator: it yields batches of cases, is sent answers, and tells what it found.

Corpus, bases, a deterministic pass over (base, place, probe), then random rounds weighted by discovery. A new
signature is reduced and explained on the spot. Nothing here reads a clock but through `is_late` and `is_over`.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable
from pathlib import Path

from harness.case import Case, Json
from harness.engine.aimphase import FIRST, LIMITS, THEN, AimPhase
from harness.engine.asker import BATCH, UnitAsker, Wanted
from harness.engine.boundaryphase import EVERY_PROBE, PASSES, BoundaryPhase, flip_options
from harness.engine.growthphase import GrowthPhase
from harness.engine.packedfinding import PackedFinding
from harness.engine.plan import Ahead, Search, UnitPlan, key_of
from harness.engine.randomphase import RandomPhase
from harness.engine.seedsearch import SeedSearch
from harness.engine.versions import through_versions
from harness.engine.writableparts import WritableParts
from harness.fuzzers.bases import starts
from harness.fuzzers.slim import smallest_first

AHEAD = 2
"""Batches of the random phase on their way at once: one is answered while another is drawn or compared."""
GROWTH, PASS = 600, 200
"""Questions of growth, then of the first pass, and so on. Full objects are worth more than small ones edited early."""
SATURATED = 4000
"""Questions in a row that show nothing new, after which a search that may end before its budget does."""


class UnitSearch(UnitAsker):
    """The search of one unit. `run` is the generator; `is_awaited` says that others wait for it."""

    is_awaited = False

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None]) -> None:
        super().__init__(plan, on_found)
        self.writable = WritableParts(self)
        self.random_phase = RandomPhase(self.points, self.writable.has)
        self.error = ""
        self.has_bases = self.is_founded = self.is_saturated = False

    def run(self) -> Search:
        """Search until the budget is used up."""
        yield from self._replay()
        yield from self.given.offer(self)
        aim_phase, seed_search = AimPhase(self), SeedSearch(self)
        # Declarative rules speak whatever else is wrong: many need no object that both sides accept.
        first = starts(self.plan.shape, seed_search.root())
        yield from aim_phase.run(first, FIRST, settle=False, most=self.left() // 4)
        # The server writes most of the metadata itself, whatever a request says.
        yield from aim_phase.as_it_stands(first, "metadata.")
        yield from seed_search.run()
        self.has_bases = True
        yield from self._aim(aim_phase)
        self.is_founded = True
        boundary_phase, growth_phase = BoundaryPhase(self, self.writable), GrowthPhase(seed_search)
        yield from self.writable.learn(self.points.bases[0].obj)
        yield from self._near(boundary_phase)
        yield from in_turns(self, (growth_phase.run(), GROWTH), (self._meanwhile(boundary_phase, growth_phase), PASS))
        yield from self._aim(aim_phase)
        del aim_phase  # it knows everything that it asked
        yield from self._near(boundary_phase)
        yield from through_versions(self, self.points.bases)
        if self.plan.near:  # the places themselves were gone through
            yield from self._until_saturated()
        bases = smallest_first(self.points.bases)  # growth has ended: no more come
        for number, (turns, places) in enumerate(() if self.is_saturated else PASSES):
            before = self.asked
            yield from boundary_phase.run(bases, turns, places)
            yield from self._random_rounds(self.asked + (self.asked - before) // 2)
            yield from boundary_phase.cross(bases)
            for options in flip_options(self) if not number else ():
                yield from boundary_phase.with_options(options).run(bases, turns)
        yield from self._until_saturated()
        if not self.is_saturated:
            yield from self._random_rounds(None)
        yield from self._lenders_failures()
        yield from self.settle()

    def more(self) -> Search:
        """Go on drawing after `run`: there was time left."""
        if not (self.error or self.is_saturated):
            yield from self._random_rounds(None)
            yield from self.settle()

    def _lenders_failures(self) -> Search:
        """Have asked again what failed while others looked for objects to lend: nobody but us tells of it."""
        self.borrows = True
        while self.waits():
            yield []
        for stock in self.plan.stocks:
            self.ledger.suspect(stock.failed)

    def _until_saturated(self) -> Search:
        """Where that is enough, draw until so many questions in a row have shown nothing new."""
        since, known = self.asked, self.ledger.discoveries
        while self.plan.near.until_saturated and not self.is_saturated and not self.is_spent():
            yield from self._random_round()
            if self.ledger.discoveries > known:
                since, known = self.asked, self.ledger.discoveries
            self.is_saturated = self.asked - since >= SATURATED

    def _aim(self, aim_phase: AimPhase) -> Search:
        """Go for what observers still want to see, from the bases that there are."""
        bases = [base.obj for base in self.points.bases]
        # What is met is explained afterwards: where differences are many it takes long, and aims are worth more.
        yield from aim_phase.run(bases, THEN, settle=False)
        yield from aim_phase.as_it_stands(bases)
        yield from aim_phase.run(bases, LIMITS, "accept")

    def _near(self, boundary_phase: BoundaryPhase) -> Search:
        """Go through every probe at the places that the search leans to, from every base, before anything else."""
        if self.points.near:
            yield from boundary_phase.run(list(self.points.bases), EVERY_PROBE, "near")

    def _meanwhile(self, boundary_phase: BoundaryPhase, growth_phase: GrowthPhase) -> Search:
        """Look for differences around the first objects, which are small, as long as they grow."""
        if not growth_phase.is_done:
            yield from boundary_phase.run(list(self.points.bases), range(5), "new")
        while not growth_phase.is_done and not self.is_spent():
            yield from self._random_round()

    def fail(self, error: Exception) -> None:
        """Remember that the search ended on an internal problem."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        self.error = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"

    # Corpus

    def _replay(self) -> Search:
        lanes = {state.lane.key: state.lane for state in self.ledger.states.values()}
        known = [(lanes.get((key_of(case), case.operation)), case) for case in self.plan.corpus]
        wanted = [(lane, case) for lane, case in known if lane is not None]
        for _, case in wanted:
            self.points.add(case.object)
        yield from self.given.replay(self, wanted)
        # What they show is explained when there are objects to compare them with.
        shown = [(lanes.get((key_of(case), case.operation)), case) for case in self.plan.witnesses]
        yield from self.ask([(lane, case.object, case.old, None) for lane, case in shown if lane], settle=False)

    # The random phase

    def _random_rounds(self, until: int | None) -> Search:
        """Draw batches until so many cases were asked, or until the budget is used up.

        With others to be asked meanwhile, one after the other. Alone, the target works on the next while one is
        compared, so that what it shows leads the batches after the next.
        """
        sent: deque[tuple[Ahead, list[Json]]] = deque()
        while True:
            yield []
            while len(sent) < (AHEAD if self.plan.draws_ahead else 1) and not self._has_drawn(until):
                wanted = self._draw_batch()
                sent.append((Ahead(self.cases_of(wanted)), [base for _, _, _, base in wanted]))
                yield sent[-1][0]
            if not sent:
                return
            cases, bases = sent.popleft()
            answers = yield cases
            self.ledger.examine(cases, answers, bases)
            yield from self.settle()

    def _has_drawn(self, until: int | None) -> bool:
        return self.is_spent() or (until is not None and self.asked >= until)

    def _random_round(self) -> Search:
        """Draw one batch; points that lately showed something new are drawn more often."""
        yield from self._random_rounds(self.asked + 1)

    def _draw_batch(self) -> list[Wanted]:
        lanes = [state.lane for state in self.ledger.states.values()]
        return [self.random_phase.draw(lanes[n % len(lanes)], n % len(lanes)) for n in range(min(BATCH, self.left()))]


def in_turns(search: UnitAsker, *parts: tuple[Search, int]) -> Search:
    """Run every part to its end, at least so many questions of it at a time. A part is stopped between batches."""
    waiting: list[tuple[Search, int, list[Case] | None]] = [(part, turn, None) for part, turn in parts]
    while waiting:
        part, turn, batch = waiting.pop(0)
        until = search.asked + turn
        try:
            if batch is None:
                batch = next(part)
            while search.asked < until:
                batch = part.send((yield batch))
        except StopIteration:
            continue
        waiting.append((part, turn, batch))
