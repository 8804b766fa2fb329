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

from harness.engine.aiming import Aiming
from harness.engine.asking import Asking
from harness.engine.drawing import Drawing
from harness.engine.founding import Founding
from harness.engine.growing import Growing
from harness.engine.packed import Packed
from harness.engine.phases import PHASES, Phase, rounds
from harness.engine.plan import Search, UnitPlan
from harness.engine.sweep import Sweep
from harness.engine.taking import Taking


class UnitSearch(Asking):
    """The search of one unit. `run` is the generator, `phase` the phase it is in.

    `is_awaited` says that others wait for it, `error` why it ended early on an internal problem.
    """

    phases: tuple[Phase[Any], ...] = PHASES
    is_awaited = False

    def __init__(self, plan: UnitPlan, on_found: Callable[[Packed], None]) -> None:
        super().__init__(plan, on_found)
        self.phase: Phase[Any] = self.phases[0]
        self.error = ""
        self.is_saturated = False

    # What phases share is made by the first that needs it: of thousands of kinds, most are never asked about.

    @cached_property
    def taking(self) -> Taking:
        """What the operations put aside."""
        return Taking(self)

    @cached_property
    def drawing(self) -> Drawing:
        """What random cases are drawn from."""
        return Drawing(self.points, self.taking.has)

    @cached_property
    def aiming(self) -> Aiming:
        """What was tried to make rules fire."""
        return Aiming(self)

    @cached_property
    def founding(self) -> Founding:
        """The seed objects that were found first."""
        return Founding(self)

    @cached_property
    def growing(self) -> Growing:
        """What became of them."""
        return Growing(self.founding)

    @cached_property
    def sweep(self) -> Sweep:
        """Which boundary values were put where."""
        return Sweep(self, self.taking)

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
