"""Mutation testing of the handwritten validators of a release: would a plain run notice one edit of their Go code?

1. Search the unmutated validators: which differences they have, and which kinds reach each edited statement.
2. Search each mutant, with the kinds that reach its statement, until the first difference that only it has.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias, cast

import msgspec

from harness import engine
from harness.case import Case
from harness.engine import RunConfig
from harness.engine.observers import ObserverFactory
from harness.engine.plan import key_of
from harness.engine.units import units_of
from harness.events import Budget
from harness.power.judge import Signature, require_finished
from harness.power.lockstep import MutantWatch, Untouched
from harness.power.mutant import Record, State
from harness.subject import Example, Note, Subject, SubjectSpec
from harness.subject.api import Api, open_api
from harness.subject.openers.kubernetes import open_release
from harness.subject.subject import silent
from harness.targets.kubernetes import KubernetesTarget
from harness.targets.kubernetes.mutants.gomutant import ENVIRONMENT, GoMutant
from harness.targets.process import PendingBatch
from harness.targets.target import Target

BASE_CASES = 120_000
"""The number of cases for the search of the unmutated validators, which shows what kinds reach a statement."""
MAX_UNITS = 4
"""At most so many kinds are searched for a mutant: pod specs are in twenty, and a budget must suffice for each."""
NOBODY = "nobody"
"""The name under which probes are told that no search asks for."""
_SHOWN_ERRORS = 3
Requests: TypeAlias = tuple[str, ...]
"""The names of the resources and subresources of a unit."""


@dataclass(frozen=True, slots=True)
class CodeTrial:
    """The settings for judging mutants of handwritten code, plain data that is sent to every process.

    `parts` are a release under several feature gates. `cases` is the budget of a mutant. `observers` are those of an
    ordinary run, because their aims are part of the search. `binary` is the worker with all mutants, `functions` is the
    probe at the entry of the function of each. `known` are the differences of the unmutated validators, `reached` the
    units that reach each probe, by part.
    """

    parts: tuple[SubjectSpec, ...]
    seed: int
    cases: int
    kinds: tuple[str, ...] = ()
    observers: Mapping[str, ObserverFactory] = field(default_factory=dict)
    trusted: Path | None = None
    examples: tuple[Example, ...] = ()
    binary: Path = Path()
    mutants: Mapping[int, GoMutant] = field(default_factory=dict)
    functions: Mapping[int, int] = field(default_factory=dict)
    known: frozenset[Signature] = frozenset()
    reached: tuple[Mapping[int, tuple[Requests, ...]], ...] = ()

    def config(self, cases: int, watch: ObserverFactory, kinds: Sequence[str]) -> RunConfig:
        """Return the configuration of a search that a watch observes."""
        return RunConfig(
            seed=self.seed, budget=Budget(None, max(1, cases)), kinds=kinds, trusted=self.trusted,
            examples=self.examples, observers={"power": watch, **self.observers},
        )  # fmt: skip

    def units(self, part: int, number: int) -> tuple[Requests, ...]:
        """Return the units that reach a mutant's statement, or else those that enter its function."""
        own = self.reached[part]
        return (own.get(number) or own.get(self.functions[number], ()))[:MAX_UNITS]


def search_untouched(trial: CodeTrial, cases: int = BASE_CASES) -> CodeTrial:
    """Search the unmutated validators in every part, and return the trial with what they show. Raises: HarnessError."""
    known: set[Signature] = set()
    reached = []
    for spec in trial.parts:
        watch = Untouched(trial.trusted)
        config = trial.config(cases // len(trial.parts), watch, trial.kinds)
        require_finished(engine.run(spec, config, opener=_opener(trial.binary, -1)))
        known |= watch.seen
        reached.append(_by_weight(watch.reached, spec, trial))
    return replace(trial, known=frozenset(known), reached=tuple(reached))


def _by_weight(reached: Mapping[int, set[str]], spec: SubjectSpec, trial: CodeTrial) -> dict[int, tuple[Requests, ...]]:
    """Order the units that reach each probe: those that compare most first."""
    with start_mutant(trial.binary, 0, spec) as worker:
        units = sorted(units_of(worker.info.kinds, trial.kinds), key=lambda unit: (-unit.weight, unit.name))
    requests = {unit.name: tuple(dict.fromkeys(one.info.name for one in unit.requests)) for unit in units}
    return {probe: tuple(own for name, own in requests.items() if name in names) for probe, names in reached.items()}


def judge_mutant(trial: CodeTrial, number: int, untouched: Callable[[SubjectSpec], Target]) -> Record:
    """Search a mutant until the first difference that the unmutated validators do not have.

    `untouched` returns their worker for a part.
    """
    wanted = [(spec, trial.units(part, number)) for part, spec in enumerate(trial.parts)]
    wanted = [(spec, units) for spec, units in wanted if units]
    watches: list[MutantWatch] = []
    for spec, units in wanted:
        watch = MutantWatch(number, trial.trusted, trial.known, untouched(spec))
        watches.append(watch)
        config = trial.config(trial.cases // len(wanted), watch, sum(units, ()))
        result = engine.run(spec, config, opener=_opener(trial.binary, number), clock=watch.clock)
        require_finished(result)
        if watch.shown:
            break
    return _record(trial.mutants[number], watches)


def _record(mutant: GoMutant, watches: Sequence[MutantWatch]) -> Record:
    shown = next((watch.shown for watch in watches if watch.shown), "")
    state: State = "killed" if shown else "survived" if any(watch.reached for watch in watches) else "unreached"
    changed = sum(watch.changed for watch in watches)
    return Record(
        mutant.name, "handwritten", mutant.operator, mutant.location, mutant.change, state, shown,
        _reason(state, watches), "" if shown else mutant.shown_by, sum(watch.asked for watch in watches), changed,
        uncompared=state == "survived" and changed > 0 and not any(
            watch.hidden or any(covered for _, _, covered in watch.errors) for watch in watches
        ),
    )  # fmt: skip


def _reason(state: State, watches: Sequence[MutantWatch]) -> str:
    """Say why no difference was seen."""
    if state == "killed":
        return ""
    if state == "unreached":
        return "no case reaches the statement" if watches else "no case of the unmutated validators enters the function"
    changed = sum(watch.changed for watch in watches)
    if not changed:
        return "no case that was asked has another answer"
    errors = sum((watch.errors for watch in watches), start=type(watches[0].errors)())
    places = dict.fromkeys(f"{type} at {path or 'the object'}" for (path, type, _), _ in errors.most_common())
    named = "; ".join(list(places)[:_SHOWN_ERRORS])
    if any(watch.hidden for watch in watches):
        return f"{changed:,} cases have other answers ({named}), with differences that the unedited code has in others"
    if any(covered for _, _, covered in errors):
        return f"{changed:,} cases have other answers ({named}), which are compared as equal"
    return f"{changed:,} cases have other answers ({named}), and no rule reports these errors"


def judge_all(trial: CodeTrial, numbers: Sequence[int], jobs: int) -> Iterator[tuple[int, Record]]:
    """Judge mutants in several processes, and yield the results as they come."""
    if jobs == 1 or len(numbers) == 1:
        with _Untouched(trial) as workers:
            yield from ((number, judge_mutant(trial, number, workers.of)) for number in numbers)
        return
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(numbers)), _start, (trial,)) as pool:
        yield from pool.imap_unordered(_judge_one, numbers)


class _Untouched(ExitStack):
    """The unmutated workers of a process, one for each part, started on first use."""

    def __init__(self, trial: CodeTrial) -> None:
        super().__init__()
        self._binary = trial.binary
        self._workers: dict[str, Target] = {}

    def of(self, spec: SubjectSpec) -> Target:
        """Return the worker of a part."""
        if spec.gates_text not in self._workers:
            self._workers[spec.gates_text] = self.enter_context(start_mutant(self._binary, 0, spec))
        return self._workers[spec.gates_text]


class _Process:
    """The state of a process of the pool."""

    trial: CodeTrial
    untouched: _Untouched


def _start(trial: CodeTrial) -> None:
    """Prepare a process: ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.trial, _Process.untouched = trial, _Untouched(trial)


def _judge_one(number: int) -> tuple[int, Record]:
    return number, judge_mutant(_Process.trial, number, _Process.untouched.of)


class MutantWorker(KubernetesTarget):
    """The worker with one mutant. Each answer that tells probes tells those of its own resource alone."""

    _is_new = True

    def submit(self, cases: Sequence[Case]) -> PendingBatch:
        """Send a batch; the first case takes what the start of the worker reached."""
        sent = ask_apart(cases)
        if self._is_new and sent:
            sent[0] = msgspec.structs.replace(sent[0], blocks=sent[0].blocks or NOBODY)
            self._is_new = False
        return super().submit(sent)


def ask_apart(cases: Sequence[Case]) -> list[Case]:
    """Return a batch in which the last case of each resource asks for probes.

    A search asks with the last of its cases, but that for a donor asks nothing: what it reaches would be told to the
    next search, of another kind.
    """
    sent = []
    for case, after in zip_longest(cases, cases[1:]):
        is_last = after is None or key_of(after)[:3] != key_of(case)[:3]
        sent.append(msgspec.structs.replace(case, blocks=NOBODY) if is_last and not case.blocks else case)
    return sent


def start_mutant(binary: Path, number: int, spec: SubjectSpec, note: Note = silent) -> MutantWorker:
    """Start the worker with one mutant: 0 is none, -1 none with all probes."""
    environment = {ENVIRONMENT: str(number)}
    return MutantWorker(spec.location, gates=spec.gates, note=note, binary=binary, environment=environment)


def _opener(binary: Path, number: int) -> Callable[[SubjectSpec, Note], Subject]:
    def start(spec: SubjectSpec, note: Note) -> Target:
        return cast(Target, start_mutant(binary, number, spec, note))

    return partial(open_release, start=start, read=_types_of)


@lru_cache(maxsize=1)
def _types_of(location: str) -> Api:
    """Read the types of a release once for all of its mutants."""
    return open_api(kubernetes=location)
