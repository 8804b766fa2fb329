"""How long it takes to reduce and explain what is pending, from what that took until now.

A finding of one kind may take a thousand times as long as one of another, and how long nobody knows before the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from harness import tuning
from harness.engine.asker import UnitAsker

COST = 60.0
"""Cases that a finding takes, as long as fewer than `ENOUGH` have shown what it is."""
ENOUGH, OWN = 20, 5
"""Findings that say what one takes: of all searches, and of one search."""
CLOSER = 3.0
"""What a case takes that is looked at closer, in plain ones: every version is asked, and all of it twice."""
MARGIN = 2.5
"""Kinds with much pending are those of large objects, which take more cases than what was settled first; and the last
wait for themselves alone. What turns out to be too much is used all the same: see `Local.run`."""
MANY, WHOLE = 48, 480
"""Findings that one search settles at most at once when time is short, and all of a process: when few have any, nobody
else's questions fill the time of waiting; when all have, each that is on its way takes its room."""


def abreast(searches: Sequence[UnitAsker]) -> int:
    """Say how many findings a search should settle at once, the more the fewer searches have any."""
    most = WHOLE // tuning.ABREAST  # with so many, and with more, each settles the least
    busy = sum(1 for _ in islice((search for search in searches if _unsettled(search)), most))
    return max(tuning.ABREAST, min(MANY, WHOLE // max(1, busy)))


def is_quiet(searches: Sequence[UnitAsker], age: float) -> bool:
    """Whether nothing is pending, and nothing new is to be expected: the later half of the run has met none."""
    if any(_unsettled(search) for search in searches):
        return False
    return 2 * max((search.ledger.last for search in searches), default=0.0) <= age


def seconds_needed(searches: Sequence[UnitAsker]) -> float:
    """Estimate how long it takes to settle what is pending. Units: seconds."""
    spent = sum(search.seconds for search in searches)
    waiting = [search for search in searches if search.ledger.new_error_cases or _unsettled(search)]
    if not waiting or not spent:
        return 0.0
    settled = sum(_settled(search) for search in searches)
    if settled >= ENOUGH:
        usual = sum(search.shrink_phase.seconds for search in searches) / settled
    else:
        usual = COST * spent / sum(search.asked for search in searches)
    whole = 0.0
    for search in waiting:
        own = _settled(search)
        each = search.shrink_phase.seconds / own if own >= OWN else usual
        whole += each * _unsettled(search)
        whole += CLOSER * len(search.ledger.new_error_cases) * search.seconds / max(1, search.asked)
    return MARGIN * whole


def _settled(search: UnitAsker) -> float:
    """How many findings the time was for: those on their way are halfway, more or less."""
    return search.shrink_phase.explained + search.shrink_phase.begun / 2


def is_left(searches: Sequence[UnitAsker]) -> bool:
    """Whether anything was met that is not explained; no more searches are looked at than have to be."""
    return any(map(_left, searches))


def count_left(searches: Sequence[UnitAsker]) -> int:
    """Count what was met and is not explained, what is on its way included."""
    return sum(map(_left, searches))


def _left(search: UnitAsker) -> int:
    return len(search.ledger.pending) + len(search.ledger.suspects) + search.shrink_phase.begun


def _unsettled(search: UnitAsker) -> float:
    """How many findings are left: those on their way are halfway."""
    return len(search.ledger.pending) + search.shrink_phase.begun / 2
