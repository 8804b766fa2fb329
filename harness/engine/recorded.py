"""The search of one unit where only recorded answers count: every recorded case once, and nothing else.

A difference cannot be reduced with questions of its own, since nobody answers them for the handwritten side: the
recorded case with the fewest errors and the smallest object that shows it stands for it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import msgspec

from harness.case import Answer
from harness.engine.asker import BATCH
from harness.engine.packedfinding import PackedFinding
from harness.engine.phases import Phase
from harness.engine.plan import Search, UnitPlan
from harness.engine.search import UnitSearch
from harness.engine.units import Lane
from harness.fuzzers.bases import errors_of, told_errors
from harness.targets.recording import LaneName, Recording


def replay(search: RecordedSearch) -> Search:
    """Ask every recorded case, small ones first, until time is up; the user's own examples before all others."""
    yield from search.given.offer(search)
    for state in search.ledger.states.values():
        cases = search.recording.cases(_name(state.lane))
        nearest: Answer | None = None
        while not search.plan.is_late() and (some := [search.numbered(case) for case in islice(cases, BATCH * 2)]):
            if search.plan.abilities.versions:
                some = [msgspec.structs.replace(case, versions=True) for case in some]
            answers = yield some
            search.ledger.examine(some, answers, [None] * len(some))
            if not state.accepted:
                refused = [answer for answer in (nearest, *answers) if answer is not None and errors_of(answer)]
                nearest = min(refused, key=lambda answer: len(errors_of(answer)), default=None)
        state.has_seed = state.accepted > 0
        state.seed_search_complete = state.has_seed or not search.plan.is_late()
        if not state.has_seed and nearest is not None:
            state.remaining, state.sides = told_errors(nearest)
    yield from search.settle()


class RecordedSearch(UnitSearch):
    """Asks what a recording holds, and nothing else."""

    phases = (Phase("replay", replay),)

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None], recording: Recording) -> None:
        super().__init__(plan, on_found)
        self.recording = recording

    def more(self) -> Search:
        """Ask nothing else: nobody answers."""
        yield from ()


def _name(lane: Lane) -> LaneName:
    info = lane.info
    return info.group, info.version, info.kind, info.resource, info.subresource, str(lane.operation)
