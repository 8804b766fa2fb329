"""The power of the search of one suite: every sabotage judged, in as many processes as wanted, in a fixed order."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.fuzzers.budget import Clock
from harness.power.judge import Judged, SuiteTrial, honest_run, judge, sabotages_of
from harness.power.sabotage import Sabotage

_FEW = 8
"""Below so many sabotages another process costs more than it does."""


class JudgingProgress(NamedTuple):
    """How far the judging is: of so many sabotages, so many judged, so many noticed."""

    made: int
    judged: int
    noticed: int


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """What came of a suite. `judged` is by the number of the sabotage; what the time did not suffice for is missing.

    `interrupted` says that somebody ended it early.
    """

    trial: SuiteTrial
    sabotages: Sequence[Sabotage]
    chosen: Sequence[int]
    judged: dict[int, Judged]
    interrupted: bool = False


def examine(
    trial: SuiteTrial,
    *,
    jobs: int = 1,
    every: int = 1,
    clock: Clock,
    on_told: Callable[[JudgingProgress], None] = lambda told: None,
) -> SuiteOutcome:
    """Judge the sabotages of a suite. With `every` above 1 a part of them, spread evenly, that the seed chooses.

    Raises: HarnessError when the suite cannot be searched as it is.
    """
    sabotages = sabotages_of(trial.spec)
    chosen = range(trial.seed % every, len(sabotages), every)
    trial = honest_run(trial)
    judged: dict[int, Judged] = {}
    noticed = 0
    try:
        for one in _judge(trial, sabotages, chosen, jobs):
            judged[one.number] = one
            noticed += one.noticed
            on_told(JudgingProgress(len(chosen), len(judged), noticed))
            if clock.is_late():
                break
    except KeyboardInterrupt:
        return SuiteOutcome(trial, sabotages, chosen, judged, True)
    return SuiteOutcome(trial, sabotages, chosen, judged)


def _judge(trial: SuiteTrial, sabotages: Sequence[Sabotage], chosen: Sequence[int], jobs: int) -> Iterator[Judged]:
    if jobs == 1 or len(chosen) < _FEW:
        yield from (judge(trial, number, sabotages[number]) for number in chosen)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _start, (trial,)) as pool:
        yield from pool.imap_unordered(_judge_one, chosen, chunksize=4)


class _Worker:
    """What a process of the pool remembers."""

    trial: SuiteTrial
    sabotages: Sequence[Sabotage]


def _start(trial: SuiteTrial) -> None:
    """Prepare a process: Ctrl-C reaches the parent alone. Sabotages hold functions, which do not travel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.trial, _Worker.sabotages = trial, sabotages_of(trial.spec)


def _judge_one(number: int) -> Judged:
    return judge(_Worker.trial, number, _Worker.sabotages[number])
