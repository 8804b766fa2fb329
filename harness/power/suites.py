"""The power of the search of one suite: every mutant judged, in as many processes as wanted, in a fixed order."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.fuzzers.budget import Clock
from harness.power.judge import Judgement, SuiteTrial, judge, mutants_of, run_original
from harness.power.mutant import Mutant

_FEW = 8
"""Below so many mutants another process costs more than it does."""


class JudgingProgress(NamedTuple):
    """How far the judging is: of so many mutants, so many judged, so many killed."""

    made: int
    judged: int
    killed: int


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """What came of a suite. `judged` is by the number of the mutant; what the time did not suffice for is missing.

    `interrupted` says that somebody ended it early.
    """

    trial: SuiteTrial
    mutants: Sequence[Mutant]
    chosen: Sequence[int]
    judged: dict[int, Judgement]
    interrupted: bool = False


def examine(
    trial: SuiteTrial,
    *,
    jobs: int = 1,
    every: int = 1,
    clock: Clock,
    on_told: Callable[[JudgingProgress], None] = lambda told: None,
) -> SuiteOutcome:
    """Judge the mutants of a suite. With `every` above 1 a part of them, spread evenly, that the seed chooses.

    Raises: HarnessError when the suite cannot be searched as it is.
    """
    mutants = mutants_of(trial.spec)
    chosen = range(trial.seed % every, len(mutants), every)
    trial = run_original(trial)
    judged: dict[int, Judgement] = {}
    killed = 0
    try:
        for one in _judge(trial, mutants, chosen, jobs):
            judged[one.number] = one
            killed += one.killed
            on_told(JudgingProgress(len(chosen), len(judged), killed))
            if clock.is_late():
                break
    except KeyboardInterrupt:
        return SuiteOutcome(trial, mutants, chosen, judged, True)
    return SuiteOutcome(trial, mutants, chosen, judged)


def _judge(trial: SuiteTrial, mutants: Sequence[Mutant], chosen: Sequence[int], jobs: int) -> Iterator[Judgement]:
    if jobs == 1 or len(chosen) < _FEW:
        yield from (judge(trial, number, mutants[number]) for number in chosen)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _start, (trial,)) as pool:
        yield from pool.imap_unordered(_judge_one, chosen, chunksize=4)


class _Worker:
    """What a process of the pool remembers."""

    trial: SuiteTrial
    mutants: Sequence[Mutant]


def _start(trial: SuiteTrial) -> None:
    """Prepare a process: Ctrl-C reaches the parent alone. Mutants hold functions, which do not travel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.trial, _Worker.mutants = trial, mutants_of(trial.spec)


def _judge_one(number: int) -> Judgement:
    return judge(_Worker.trial, number, _Worker.mutants[number])
