"""The search of one unit, a kind with its subresources: it runs through `PHASES` and explains the differences it sees.

It is one generator that yields batches of cases, is sent their answers, and reports findings. It reads the clock only
through `is_late` and `is_over`, so that everything else about it is deterministic.
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
from harness.engine.combinedphase import CombinedPhase
from harness.engine.growthphase import GrowthPhase
from harness.engine.packedfinding import PackedFinding
from harness.engine.phases import PHASES, Phase, rounds
from harness.engine.plan import Search, UnitPlan
from harness.engine.randomphase import RandomPhase
from harness.engine.seedsearch import SeedSearch
from harness.engine.writableparts import WritableParts


class UnitSearch(UnitAsker):
    """The search of one unit. `run` is the generator, `phase` the current phase.

    `is_awaited`: other searches wait for it. `error` is the internal error that ended it early.
    """

    phases: tuple[Phase[Any], ...] = PHASES
    is_awaited = False

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None]) -> None:
        super().__init__(plan, on_found)
        self.phase: Phase[Any] = self.phases[0]
        self.error = ""
        self.is_saturated = False

    # State that phases share is created on first use, because most of thousands of kinds are never asked.

    @cached_property
    def writable(self) -> WritableParts:
        """Which parts of an object each request can write."""
        return WritableParts(self)

    @cached_property
    def random_phase(self) -> RandomPhase:
        """The state of the random phase."""
        return RandomPhase(self.points, self.writable.has)

    @cached_property
    def aim_phase(self) -> AimPhase:
        """The state of the aim phase."""
        return AimPhase(self)

    @cached_property
    def seed_search(self) -> SeedSearch:
        """The state of the seed phase."""
        return SeedSearch(self)

    @cached_property
    def growth_phase(self) -> GrowthPhase:
        """The state of the growth phase."""
        return GrowthPhase(self.seed_search)

    @cached_property
    def boundary_phase(self) -> BoundaryPhase:
        """The state of the boundary phase."""
        return BoundaryPhase(self, self.writable)

    @cached_property
    def combined_phase(self) -> CombinedPhase:
        """The state of the combined phase."""
        return CombinedPhase(self, self.writable)

    def run(self) -> Search:
        """Search until the budget is used up."""
        yield from self._followed(self._phases())

    def more(self) -> Search:
        """Draw more cases after `run`, if there is time left."""
        if not (self.error or self.is_saturated):
            yield from self._followed(self._more())

    def _phases(self) -> Search:
        for phase in self.phases:
            self.phase = phase
            self.ledger.phase = phase.name
            yield from phase.run(self)

    def _more(self) -> Search:
        yield from rounds(self, None)
        yield from self.settle()

    def _followed(self, steps: Search) -> Search:
        return steps if self.plan.firsts is None else self.plan.firsts.follow(steps)

    def fail(self, error: Exception) -> None:
        """Record the internal error that ended the search."""
        self.error = describe_error(error)


def describe_error(error: BaseException) -> str:
    """Return the type and message of an exception, and the file and line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"
