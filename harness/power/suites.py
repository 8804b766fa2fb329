"""Mutation testing of one suite: judges its mutants, in one process or several."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from harness.fuzzers.budget import Clock
from harness.power.judge import Judgement, SuiteTrial, judge, mutants_of, run_original
from harness.power.mutant import Mutant, Record, State

_MIN_MUTANTS_FOR_PROCESSES = 8
"""With fewer mutants, starting processes takes longer than they save."""


class JudgingProgress(NamedTuple):
    """The progress of judging: the numbers of mutants made, judged and killed."""

    made: int
    judged: int
    killed: int


@dataclass(frozen=True, slots=True)
class SuiteOutcome:
    """The outcome of a suite. `judged` has the judgements by the number of the mutant, as far as the time sufficed.

    `interrupted`: the user ended it early.
    """

    trial: SuiteTrial
    mutants: Sequence[Mutant]
    chosen: Sequence[int]
    judged: dict[int, Judgement]
    interrupted: bool = False

    def records(self) -> dict[int, Record]:
        """Return the record of every chosen mutant, by its number."""
        found = {}
        for number in self.chosen:
            one, judged = self.mutants[number], self.judged.get(number)
            state: State = "unjudged" if judged is None else "killed" if judged.killed else "survived"
            found[number] = Record(
                one.name, one.side, one.operator, one.location, one.rule, state, judged.shown if judged else "", "",
                one.shown_by if state == "survived" else "", judged.cases if judged else 0,
            )  # fmt: skip
        return found


def examine(
    trial: SuiteTrial,
    *,
    jobs: int = 1,
    every: int = 1,
    clock: Clock,
    wanted: Callable[[Mutant], bool] = lambda mutant: True,
    on_progress: Callable[[JudgingProgress], None] = lambda progress: None,
) -> SuiteOutcome:
    """Judge the wanted mutants of a suite; with `every` above 1 only every nth, starting where the seed says.

    Raises: HarnessError when the original suite cannot be searched.
    """
    mutants = mutants_of(trial.spec)
    chosen = [number for number in range(trial.seed % every, len(mutants), every) if wanted(mutants[number])]
    trial = run_original(trial)
    judged: dict[int, Judgement] = {}
    killed = 0
    try:
        for one in _judge(trial, mutants, chosen, jobs):
            judged[one.number] = one
            killed += one.killed
            on_progress(JudgingProgress(len(chosen), len(judged), killed))
            if clock.is_late():
                break
    except KeyboardInterrupt:
        return SuiteOutcome(trial, mutants, chosen, judged, True)
    return SuiteOutcome(trial, mutants, chosen, judged)


def _judge(trial: SuiteTrial, mutants: Sequence[Mutant], chosen: Sequence[int], jobs: int) -> Iterator[Judgement]:
    if jobs == 1 or len(chosen) < _MIN_MUTANTS_FOR_PROCESSES:
        yield from (judge(trial, number, mutants[number]) for number in chosen)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs, _start, (trial,)) as pool:
        yield from pool.imap_unordered(_judge_one, chosen, chunksize=4)


class _Worker:
    """The state of a process of the pool."""

    trial: SuiteTrial
    mutants: Sequence[Mutant]


def _start(trial: SuiteTrial) -> None:
    """Prepare a process: ignore Ctrl-C, and create the mutants again, because functions cannot be pickled."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.trial, _Worker.mutants = trial, mutants_of(trial.spec)


def _judge_one(number: int) -> Judgement:
    return judge(_Worker.trial, number, _Worker.mutants[number])
