"""How much faster are two workers of a campaign of a release than one, with a processor for each and without?

A worker is several processes: the search in Python and the validators in Go, which work at the same time. So two of
them on two processors share what one of them uses alone; with one processor each, none does.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from bench.kills import compute, plan_of
from bench.record import Measured, Section

CASES = 100_000


def measure(release: str) -> Section:
    """Compute the same campaign with one and with two workers, pinned to a processor each and not."""
    lines: list[Measured] = []
    with tempfile.TemporaryDirectory() as temporary:
        for pinned in (True, False):
            for workers in (1, 2):
                ledger = Path(temporary, f"{workers}-{pinned}")
                found = compute(ledger, plan_of(release, CASES), CASES, None, workers, pinned)
                name = f"{workers} {'worker' if workers == 1 else 'workers'}{', a processor each' if pinned else ''}"
                lines.append(msgspec.structs.replace(found, name=name))
    return Section(f"How long do one and two workers take for {CASES:,} cases of a release?", "cases", tuple(lines))
