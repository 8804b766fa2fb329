"""The search of one unit from a recording of handwritten answers: it asks every recorded case once, and no others.

A difference cannot be reduced, because the recording has no handwritten answers to other cases. Its case is the
recorded one with the fewest errors and the smallest object.
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
from harness.engine.units import RequestKind
from harness.fuzzers.repair import describe_errors, errors_of
from harness.targets.recording import Recording, RequestName


def replay(search: RecordedSearch) -> Search:
    """Ask the user's examples and then every recorded case, small ones first, until the time is up."""
    yield from search.given.offer(search)
    for state in search.ledger.states.values():
        cases = search.recording.cases(_name(state.request))
        nearest: Answer | None = None
        while not search.plan.is_late() and (batch := [search.numbered(case) for case in islice(cases, BATCH * 2)]):
            if search.plan.abilities.versions:
                batch = [msgspec.structs.replace(case, versions=True) for case in batch]
            answers = yield batch
            search.ledger.examine(batch, answers, [None] * len(batch))
            if not state.accepted:
                rejected = [answer for answer in (nearest, *answers) if answer is not None and errors_of(answer)]
                nearest = min(rejected, key=lambda answer: len(errors_of(answer)), default=None)
        state.has_seed = state.accepted > 0
        state.seed_search_complete = state.has_seed or not search.plan.is_late()
        if not state.has_seed and nearest is not None:
            state.remaining, state.sides = describe_errors(nearest)
    yield from search.settle()


class RecordedSearch(UnitSearch):
    """Asks only the cases of a recording."""

    phases = (Phase("replay", replay),)

    def __init__(self, plan: UnitPlan, on_found: Callable[[PackedFinding], None], recording: Recording) -> None:
        super().__init__(plan, on_found)
        self.recording = recording

    def more(self) -> Search:
        """Ask nothing: the recording has no other answers."""
        yield from ()


def _name(request: RequestKind) -> RequestName:
    info = request.info
    return info.group, info.version, info.kind, info.resource, info.subresource, str(request.operation)
