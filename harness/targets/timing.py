"""Measures callables in this process, as a worker in another language does in its own: see `harness.case.Measure`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from harness.case import Cost, Measure, Spent
from harness.collector import paused_collector

MAX_ROUNDS = 1000
MAX_NANOSECONDS = 100_000_000
"""Maximum time of a sample, whatever the request."""
MAX_SECONDS = 4.0
"""Time after which a measurement ends, if it has at least three samples."""
FIRST_SAMPLES = 3
MAX_LOOPS = 1 << 20

Part = Callable[[], Any]


def measured(parts: Mapping[str, Part], wanted: Measure) -> Cost:
    """Measure parts in rounds: one sample of each part per round, starting with another part each time.

    So other load on the machine affects all parts equally. The garbage collector is off meanwhile. Allocations are not
    measured, because Python does not report them. Raises: what a part raises.
    """
    rounds = min(max(wanted.rounds, 1), MAX_ROUNDS)
    sample = min(max(wanted.nanoseconds, 1000), MAX_NANOSECONDS)
    end = time.monotonic() + MAX_SECONDS
    names = list(parts)
    samples: dict[str, list[float]] = {name: [] for name in names}
    with paused_collector():
        loops = {name: _calibrate(part, sample) for name, part in parts.items()}
        for number in range(rounds):
            if number >= FIRST_SAMPLES and time.monotonic() > end:
                break
            for index in range(len(names)):
                name = names[(index + number) % len(names)]
                samples[name].append(round(_measure_loops(parts[name], loops[name]) / loops[name], 1))
    return Cost("cpu", {name: Spent(tuple(samples[name]), loops[name]) for name in names})


def _measure_loops(part: Part, loops: int) -> int:
    """Return the CPU time of this thread for running a part `times` times. Units: nanoseconds."""
    start = time.thread_time_ns()
    for _ in range(loops):
        part()
    return time.thread_time_ns() - start


def _calibrate(part: Part, sample: int) -> int:
    """Return how often a part has to run for one sample; warms it up."""
    loops = 1
    while (took := _measure_loops(part, loops)) < sample and loops < MAX_LOOPS:
        loops = min(int(loops * 1.1 * sample / max(took, 1000)) + 1, loops * 100)
    return loops
