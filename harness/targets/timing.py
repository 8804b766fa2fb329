"""Measures callables in this process, as a worker in another language does in its own: see `harness.case.Measure`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from harness.case import Cost, Measure, Spent
from harness.collector import collector_at_rest

MOST_ROUNDS = 1000
MOST_NANOSECONDS = 100_000_000
"""What a sample takes at most, whatever is asked for."""
MOST_SECONDS = 4.0
"""When a measurement ends with the samples it has, unless they are fewer than three."""
FIRST_SAMPLES = 3
MOST_LOOPS = 1 << 20

Part = Callable[[], Any]


def measured(parts: Mapping[str, Part], wanted: Measure) -> Cost:
    """Time each part in turns: a sample of each, then the next sample of each, another part first.

    What slows the machine down meets all parts alike. The garbage collector rests meanwhile; Python does not tell what
    a call allocates. Raises: whatever a part raises.
    """
    rounds = min(max(wanted.rounds, 1), MOST_ROUNDS)
    sample = min(max(wanted.nanoseconds, 1000), MOST_NANOSECONDS)
    end = time.monotonic() + MOST_SECONDS
    names = list(parts)
    samples: dict[str, list[float]] = {name: [] for name in names}
    with collector_at_rest():
        loops = {name: _calibrated(part, sample) for name, part in parts.items()}
        for number in range(rounds):
            if number >= FIRST_SAMPLES and time.monotonic() > end:
                break
            for index in range(len(names)):
                name = names[(index + number) % len(names)]
                samples[name].append(round(_timed(parts[name], loops[name]) / loops[name], 1))
    return Cost("cpu", {name: Spent(tuple(samples[name]), loops[name]) for name in names})


def _timed(part: Part, loops: int) -> int:
    """Return what this thread computed while the part ran so many times. Units: nanoseconds."""
    start = time.thread_time_ns()
    for _ in range(loops):
        part()
    return time.thread_time_ns() - start


def _calibrated(part: Part, sample: int) -> int:
    """Return how often a part has to run for one sample; warms it up."""
    loops = 1
    while (took := _timed(part, loops)) < sample and loops < MOST_LOOPS:
        loops = min(int(loops * 1.1 * sample / max(took, 1000)) + 1, loops * 100)
    return loops
