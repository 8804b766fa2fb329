"""How small do findings get, and how long does it take? Every signature of a search, reduced alone and timed.

A leaf is a scalar, an empty list or an empty object. A pair is as large as a reader finds it: every leaf of new, and of
old those that stand elsewhere or say something else.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from unittest.mock import patch

from bench.record import Measured, Section
from harness.case import Case, Json
from harness.engine.config import RunConfig
from harness.engine.ledger import Sighting
from harness.engine.local import Callbacks, Local
from harness.engine.shrinkphase import ShrinkPhase
from harness.engine.units import RequestKind
from harness.events import Budget
from harness.fuzzers.budget import Clock
from harness.fuzzers.reduce import Reducer
from harness.subject import SubjectSpec, open_subject
from harness.targets.target import Target, drive


def leaves(case: Case) -> int:
    """Count what a reader has to take in."""
    new, old = dict(_leaves(case.object)), dict(_leaves(case.old)) if case.old is not None else {}
    return len(new) + sum(1 for path, value in old.items() if path not in new or new[path] != value)


def _leaves(value: Json, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    if isinstance(value, dict) and value:
        for name, below in value.items():
            yield from _leaves(below, (*at, name))
    elif isinstance(value, list) and value:
        for index, below in enumerate(value):
            yield from _leaves(below, (*at, index))
    else:
        yield at, value


def measure(kubernetes: str, seconds: float, seed: int, most: int = 200) -> Section:
    """Search a release, then reduce what was first met of at most so many signatures once more, one after the other."""
    order = RunConfig(seed=seed, budget=Budget(max_time=seconds))
    with open_subject(SubjectSpec("kubernetes", kubernetes)) as subject:
        local = Local(subject, order, Callbacks(), Clock(seconds))
        met: list[tuple[ShrinkPhase, RequestKind, Sighting]] = []
        reducer = ShrinkPhase.reducer

        def noted(shrink_phase: ShrinkPhase, request: RequestKind, shown: Sighting) -> Reducer:
            met.append((shrink_phase, request, shown))
            return reducer(shrink_phase, request, shown)

        with patch.object(ShrinkPhase, "reducer", noted):  # a search lets go of what it has settled
            local.run()
        timed = [_reduced(*one, subject.target) for one in met[:: max(1, len(met) // most)]]
    if not timed:
        return Section("How small do findings get?", "findings", (), ("nothing was found",))
    sizes, times, asked, alone = zip(*timed, strict=True)
    more: dict[str, int | str] = {
        "leaves, median": f"{median(sizes):g}",
        "seconds, median": f"{median(times):.3f}",
        "seconds, slowest of ten": f"{sorted(times)[len(times) * 9 // 10]:.3f}",
        "cases, median": f"{median(asked):g}",
        "without any other error": f"{sum(alone)}/{len(alone)}",
    }
    line = Measured(f"kubernetes: {kubernetes}", len(timed), sum(times), more=more)
    return Section("How small do findings get, and how soon?", "findings", (line,))


def _reduced(
    shrink_phase: ShrinkPhase, request: RequestKind, met: Sighting, target: Target
) -> tuple[int, float, int, bool]:
    reducer = shrink_phase.reducer(request, met)
    started = time.perf_counter()
    case = drive(reducer.run(), target.ask)
    seconds = time.perf_counter() - started
    said = reducer.answer
    errors = (*said.handwritten, *said.declarative) if said else ()
    return leaves(case), seconds, reducer.evaluated, len({(error.type, error.field) for error in errors}) <= 1
