"""How long it takes to reduce and explain what is pending, from what that took until now.

A finding of one kind may take a thousand times as long as one of another, and how long nobody knows before the run.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.engine.asking import Asking

COST = 60.0
"""Cases that a finding takes, as long as fewer than `ENOUGH` have shown what it is."""
ENOUGH, OWN = 20, 5
"""Findings that say what one takes: of all searches, and of one search."""
CLOSER = 3.0
"""What a case takes that is looked at closer, in plain ones: every version is asked, and all of it twice."""
MARGIN = 2.5
"""Kinds with much pending are those of large objects, which take more cases than what was settled first; and the last
wait for themselves alone. What turns out to be too much is used all the same: see `Local.run`."""


def needed(searches: Sequence[Asking]) -> float:
    """Estimate how long it takes to settle what is pending. Units: seconds."""
    spent = sum(search.seconds for search in searches)
    waiting = [search for search in searches if search.ledger.pending or search.ledger.curious or search.settling.begun]
    if not waiting or not spent:
        return 0.0
    settled = sum(_settled(search) for search in searches)
    if settled >= ENOUGH:
        usual = sum(search.settling.seconds for search in searches) / settled
    else:
        usual = COST * spent / sum(search.asked for search in searches)
    whole = 0.0
    for search in waiting:
        own = _settled(search)
        each = search.settling.seconds / own if own >= OWN else usual
        whole += each * (len(search.ledger.pending) + search.settling.begun / 2)
        whole += CLOSER * len(search.ledger.curious) * search.seconds / max(1, search.asked)
    return MARGIN * whole


def _settled(search: Asking) -> float:
    """How many findings the time was for: those on their way are halfway, more or less."""
    return search.settling.explained + search.settling.begun / 2
