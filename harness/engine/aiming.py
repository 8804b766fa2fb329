"""The directed pass: what observers still want to see is gone for, all aims at once, breadth first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from harness.case import Json, Operation
from harness.engine.asking import BATCH, Asking
from harness.engine.plan import Search
from harness.engine.units import Lane
from harness.fuzzers.aiming import shots
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair, stored

_TURNS = (2, 4, 8, 16, 30)
"""How many shots each aim gets before the next aim's turn comes."""


class Aiming:
    """The directed pass of one unit's search."""

    def __init__(self, search: Asking) -> None:
        self.search = search
        states = search.ledger.states.values()
        self._creates = [state.lane for state in states if state.lane.operation is Operation.CREATE]
        self._updates = [state.lane for state in states if state.lane.operation is Operation.UPDATE]

    def run(self, bases: Sequence[Json], turns: int = len(_TURNS), settle: bool = True) -> Search:
        """Go for every aim from these objects, until all are reached, nothing is left to try or the share is spent."""
        running: dict[tuple[object, ...], Iterator[Pair]] = {}
        for width in _TURNS[:turns]:
            aims = self._aims()
            for start in range(0, len(aims), max(1, BATCH // width)):
                if self.search.spent():
                    return
                wanted: list[tuple[Lane, Json, Json, Json]] = []
                for aim in aims[start : start + max(1, BATCH // width)]:
                    steps = running.setdefault(_key(aim), shots(aim, self.search.plan.shape, bases))
                    for shot in islice(steps, width):
                        wanted += self._through(aim, shot, bases[0])
                yield from self.search.ask(wanted, settle)

    def _aims(self) -> list[Aim]:
        """Return what is wanted now, by all observers, each once; what must fire before what must not."""
        every = [aim for observer in self.search.plan.observers.values() for aim in observer.aims()]
        distinct = {_key(aim): aim for aim in every}
        return sorted(distinct.values(), key=lambda aim: aim.wants != "reject")

    def _through(self, aim: Aim, shot: Pair, base: Json) -> list[tuple[Lane, Json, Json, Json]]:
        """Choose the lanes for a shot: a status is written through subresources, all else through the main resource."""
        new, old = shot
        is_status = aim.path == "status" or aim.path.startswith(("status.", "status["))
        if old is None and self._creates and not is_status and not aim.update:
            return [(lane, new, None, base) for lane in self._creates[:1]]
        if old is None:
            new, old = stored(new), stored(base)
        lanes = [lane for lane in self._updates if (lane.info.subresource == "status") == is_status]
        return [(lane, new, old, base) for lane in lanes or self._updates]


def _key(aim: Aim) -> tuple[object, ...]:
    return aim.path, aim.type, aim.origin, aim.tag, aim.wants, aim.update
