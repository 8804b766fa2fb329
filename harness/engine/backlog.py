"""Estimates how long it takes to settle (reduce and explain) pending findings, from the time that settled ones took.

A finding of one kind may take a thousand times as long as one of another, and there is no estimate before the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from harness import tuning
from harness.engine.asker import UnitAsker

DEFAULT_CASES_PER_FINDING = 60.0
"""The assumed cost of a finding in cases, until `MIN_SETTLED` findings are settled."""
MIN_SETTLED, MIN_SETTLED_OF_SEARCH = 20, 5
"""At least so many settled findings, of all searches or of one, are needed for an average cost."""
REPEATED_CASE_COST = 3.0
"""The cost of a case with a new error that is asked again, in plain cases: all versions are asked, and twice."""
MARGIN = 2.5
"""The estimate is multiplied by this, because kinds with many pending findings have large objects, which take more
cases than those settled first, and because the last findings cannot share batches. Time that is left over is used:
see `Local.run`."""
MAX_PER_SEARCH, MAX_PER_PROCESS = 48, 480
"""At most so many findings are settled at once by one search, and by all of a process. With few searches, large batches
keep the target busy; with many, each finding in progress takes memory."""


def choose_batch(searches: Sequence[UnitAsker]) -> int:
    """Return how many findings a search should settle at once; more if fewer searches have any."""
    enough = MAX_PER_PROCESS // tuning.EXPLAINED_AT_ONCE  # more busy searches do not change the result
    busy = sum(1 for _ in islice((search for search in searches if _unsettled(search)), enough))
    return max(tuning.EXPLAINED_AT_ONCE, min(MAX_PER_SEARCH, MAX_PER_PROCESS // max(1, busy)))


def is_quiet(searches: Sequence[UnitAsker], age: float) -> bool:
    """Whether nothing is pending, and the later half of the run has seen no new signature."""
    if any(_unsettled(search) for search in searches):
        return False
    return 2 * max((search.ledger.last for search in searches), default=0.0) <= age


def seconds_needed(searches: Sequence[UnitAsker]) -> float:
    """Estimate how long it takes to settle all pending findings. Units: seconds."""
    spent = sum(search.seconds for search in searches)
    waiting = [search for search in searches if search.ledger.new_error_cases or _unsettled(search)]
    if not waiting or not spent:
        return 0.0
    settled = sum(_settled(search) for search in searches)
    if settled >= MIN_SETTLED:
        usual = sum(search.shrink_phase.seconds for search in searches) / settled
    else:
        usual = DEFAULT_CASES_PER_FINDING * spent / sum(search.asked for search in searches)
    total = 0.0
    for search in waiting:
        own = _settled(search)
        each = search.shrink_phase.seconds / own if own >= MIN_SETTLED_OF_SEARCH else usual
        total += each * _unsettled(search)
        total += REPEATED_CASE_COST * len(search.ledger.new_error_cases) * search.seconds / max(1, search.asked)
    return MARGIN * total


def _settled(search: UnitAsker) -> float:
    """Return the number of settled findings; those in progress count half."""
    return search.shrink_phase.explained + search.shrink_phase.begun / 2


def is_left(searches: Sequence[UnitAsker]) -> bool:
    """Whether any difference is not explained."""
    return any(map(_left, searches))


def count_left(searches: Sequence[UnitAsker]) -> int:
    """Return the number of differences that are not explained, including those in progress."""
    return sum(map(_left, searches))


def _left(search: UnitAsker) -> int:
    return len(search.ledger.pending) + len(search.ledger.suspects) + search.shrink_phase.begun


def _unsettled(search: UnitAsker) -> float:
    """Return the number of findings to settle; those in progress count half."""
    return len(search.ledger.pending) + search.shrink_phase.begun / 2
