"""How much faster are two workers of a campaign of a release than one, with a processor for each and without?

A worker is several processes: the search in Python and the validators in Go, which work at the same time. So two of
them on two processors share what one of them uses alone; with one processor each, none does. What the processors
themselves allow is measured too: those of one core are no two cores.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from bench.kills import compute, plan_of
from bench.record import Measured, Section

CASES = 100_000
SECONDS = 3.0
"""A loop takes so long."""
_LOOP = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
end, rounds = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < end:
    sum(range(10_000))
    rounds += 1
print(rounds)
"""


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
    most = {"two loops of Python, a processor each": f"{processors_together(SECONDS):.2f} times one"}
    lines[1] = msgspec.structs.replace(lines[1], more=lines[1].more | most)
    return Section(f"How long do one and two workers take for {CASES:,} cases of a release?", "cases", tuple(lines))


def processors_together(seconds: float) -> float:
    """Return how much more two processors compute at once than one of them alone, each in a loop of Python."""
    alone = [_rounds((number,), seconds) for number in (0, 1)]
    return _rounds((0, 1), seconds) / (sum(alone) / len(alone))


def _rounds(numbers: tuple[int, ...], seconds: float) -> int:
    """Run a loop on each of the processors of these numbers at once, and return the rounds of all."""
    processors = sorted(os.sched_getaffinity(0))
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _LOOP, str(processors[number]), str(seconds)], stdout=subprocess.PIPE, text=True
        )
        for number in numbers
    ]
    return sum(int(process.communicate()[0]) for process in running)
