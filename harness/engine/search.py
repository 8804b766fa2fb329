"""The search of one kind and its subresources: it goes through `PHASES` and explains what it meets on the way.

As one generator, it yields batches of cases, is sent their answers, and tells what it found. Nothing here reads a clock
but through `is_late` and `is_over`.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from harness.engine.aimphase import AimPhase
from harness.engine.asker import UnitAsker
from harness.engine.boundaryphase import BoundaryPhase
from harness.engine.growthphase import GrowthPhase
from harness.engine.packedfinding import PackedFinding
from harness.engine.phases import PHASES, Phase, rounds
from harness.engine.plan import Search, UnitPlan
from harness.engine.randomphase import RandomPhase
from harness.engine.seedsearch import SeedSearch
from harness.engine.writableparts import WritableParts


class UnitSearch(UnitAsker):
    """The search of one unit. `run` is the generator, `phase` the phase it is in.

    `is_awaited` says that others wait for it, `error` why it ended early on an internal problem.
    """

    phases: tuple[Phase[Any], ...] = PHASES
    is_awaited = False

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None]) -> None:
        super().__init__(plan, on_found)
        self.phase: Phase[Any] = self.phases[0]
        self.error = ""
        self.is_saturated = False

    # What phases share is made by the first that needs it: of thousands of kinds, most are never asked about.

    @cached_property
    def writable(self) -> WritableParts:
        """What the operations put aside."""
        return WritableParts(self)

    @cached_property
    def random_phase(self) -> RandomPhase:
        """What random cases are drawn from."""
        return RandomPhase(self.points, self.writable.has)

    @cached_property
    def aim_phase(self) -> AimPhase:
        """What was tried to make rules fire."""
        return AimPhase(self)

    @cached_property
    def seed_search(self) -> SeedSearch:
        """The seed objects that were found first."""
        return SeedSearch(self)

    @cached_property
    def growth_phase(self) -> GrowthPhase:
        """What became of them."""
        return GrowthPhase(self.seed_search)

    @cached_property
    def boundary_phase(self) -> BoundaryPhase:
        """Which boundary values were put where."""
        return BoundaryPhase(self, self.writable)

    def run(self) -> Search:
        """Search until the budget is used up."""
        for phase in self.phases:
            self.phase = phase
            self.ledger.phase = phase.name
            yield from phase.run(self)

    def more(self) -> Search:
        """Go on drawing after `run`: there was time left."""
        if not (self.error or self.is_saturated):
            yield from rounds(self, None)
            yield from self.settle()

    def fail(self, error: Exception) -> None:
        """Remember that the search ended on an internal problem."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        self.error = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
