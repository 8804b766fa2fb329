"""Mutation testing of a suite: would a run with this seed and budget kill each mutant?

1. Search the original suite, and keep a few cases for every kind of answer.
2. Ask these cases of the mutated suite.
3. If they show no new difference, search the mutated suite until the first one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from harness import engine
from harness.case import Answer, Case, Mode
from harness.compare.comparator import Comparator
from harness.diagnostics import HarnessError, InputError
from harness.engine import RunConfig
from harness.engine.observers import ObserverFactory
from harness.engine.plan import key_of
from harness.engine.units import Unit, units_of
from harness.errormatch.trusted import all_wordings
from harness.events import Budget, Result
from harness.fuzzers.aims import Aim
from harness.fuzzers.budget import Clock
from harness.jsonpath import canonical_path
from harness.power.known import Known
from harness.power.mutant import Mutant, number_mutants
from harness.power.operators import code, rules
from harness.subject import Example, Note, Rework, Subject, SubjectSpec, load_suite, open_suite
from harness.subject.subject import silent
from harness.subject.suitefile import forget_suite
from harness.suite import Suite

BATCH = 50
MAX_SAMPLES_PER_ANSWER = 2
"""At most so many samples are kept for each set of errors."""
MAX_ACCEPTED_SAMPLES = 300
"""At most so many accepted samples are kept for each kind and operation."""
Signature = tuple[Any, ...]
"""Kind, operation and signature of a mismatch."""
Comparators = dict[tuple[str, str, str, str], Comparator]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result for one mutant. `shown` is the difference that killed it, empty for none; `cases` were asked."""

    number: int
    shown: str
    cases: int

    @property
    def killed(self) -> bool:
        """Whether a difference killed the mutant."""
        return bool(self.shown)


@dataclass(frozen=True, slots=True)
class SuiteTrial:
    """The settings for judging the mutants of one suite.

    `original` are the signatures of the unmutated suite, `samples` the cases that are asked first. `observers` are
    those of an ordinary run, because their aims are part of the search. A mutant that survives is searched `again` so
    many times with the next seeds, unless it is listed as `equivalent`.
    """

    spec: SubjectSpec
    seed: int
    cases: int
    kinds: tuple[str, ...] = ()
    trusted: Path | None = None
    again: int = 0
    equivalent: tuple[Known, ...] = ()
    original: frozenset[Signature] = frozenset()
    samples: tuple[Case, ...] = ()
    observers: Mapping[str, ObserverFactory] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def seeds(self) -> range:
        """The random seeds of its searches, in order."""
        return range(self.seed, self.seed + 1 + self.again)

    def seeds_of(self, mutant: Mutant) -> range:
        """Return the random seeds of the searches of one mutant, in order."""
        return self.seeds[:1] if any(one.matches(mutant.name) for one in self.equivalent) else self.seeds


def mutants_of(spec: SubjectSpec) -> tuple[Mutant, ...]:
    """Return every mutant of a suite, in the order of its sources. Raises: InputError."""
    found: list[Mutant] = []

    def rework(suite: Suite, universe: Any, compiled: Any) -> Any:
        found.extend(rules.mutants_of(compiled))
        return compiled

    open_suite(spec, rework=rework).close()
    suite = load_suite(spec.location)
    assert isinstance(suite, Suite)
    found.extend(code.mutants_of(suite.folder))
    return tuple(number_mutants(found))


_wordings = cache(all_wordings)


def comparators_of(subject: Subject, unit: Unit, trusted: Path | None) -> Comparators:
    """Return a comparator for each resource of a unit, by its key. `trusted` is the file of trusted wordings."""
    wordings = _wordings(trusted)
    return {request.info.key: subject.comparator(request.info, wordings) for request in unit.requests}


def run_original(trial: SuiteTrial) -> SuiteTrial:
    """Search the original suite, whose differences cannot kill a mutant. Raises: HarnessError."""
    watch = Watch(trial.trusted)
    for seed in trial.seeds:
        _search(replace(trial, seed=seed), _opener(None), watch)
    return replace(trial, original=frozenset(watch.seen), samples=tuple(watch.samples()))


def judge(trial: SuiteTrial, number: int, mutant: Mutant) -> Judgement:
    """Search a mutated suite until the first difference that the original one does not show.

    The suite runs in this process: the original run has shown that its code does not kill the process, and starting
    processes for thousands of mutants, each asked for a second, would take longer. A mutant that loops is stopped like
    any validator.
    """
    watch, opener = Watch(trial.trusted, trial.original), _opener(mutant.rework)
    with _folder(replace(trial.spec, in_process=True), mutant) as spec:
        try:
            with opener(spec, silent) as subject:  # the original run has reported the warnings of the suite
                asked = _ask(subject, trial, watch)
        except InputError as error:
            return Judgement(number, f"cannot be loaded: {error.diagnostics[0].message}", 0)
        for seed in trial.seeds_of(mutant):
            if not watch.shown:
                asked += _search(replace(trial, spec=spec, seed=seed), opener, watch).cases
    return Judgement(number, watch.shown, asked)


def _ask(subject: Subject, trial: SuiteTrial, watch: Watch) -> int:
    """Ask the samples of a mutated suite. Returns: the number of cases asked."""
    watchers = [watch.observer(subject, unit) for unit in units_of(subject.target.info.kinds, trial.kinds)]
    for start in range(0, len(trial.samples), BATCH):
        cases = trial.samples[start : start + BATCH]
        answers = subject.target.ask(cases)
        for watcher in watchers:
            watcher.examine(cases, answers, 0.0)
        if watch.shown:
            return start + len(cases)
    return len(trial.samples)


@contextmanager
def _folder(spec: SubjectSpec, mutant: Mutant) -> Iterator[SubjectSpec]:
    """Copy the suite to a temporary folder with the mutated files, if the mutant changes files."""
    if not mutant.files:
        yield spec
        return
    with tempfile.TemporaryDirectory(prefix="harness-power-") as place:
        folder = Path(place) / Path(spec.location).resolve().name
        shutil.copytree(spec.location, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in mutant.files.items():
            (folder / name).write_text(text(), encoding="utf-8")
        try:
            yield replace(spec, location=str(folder))
        finally:
            forget_suite(folder)


def _opener(rework: Rework | None) -> Callable[[SubjectSpec, Note], Subject]:
    return lambda spec, note: open_suite(spec, note, rework)


def _search(trial: SuiteTrial, opener: Callable[[SubjectSpec, Note], Subject], watch: Watch) -> Result:
    watch.clock = Clock()
    result = engine.run(
        trial.spec,
        RunConfig(
            seed=trial.seed,
            budget=Budget(None, trial.cases),
            kinds=trial.kinds,
            trusted=trial.trusted,
            examples=trial.examples,
            observers={"power": watch, **trial.observers},
        ),
        opener=opener,
        clock=watch.clock,
    )
    require_finished(result)
    return result


def require_finished(result: Result) -> None:
    """Require that no search of a run was aborted, because an unfinished search says nothing about mutants.

    Raises: HarnessError.
    """
    error = next((kind.error for kind in result.kinds if kind.error), "")
    if error:
        raise HarnessError(f"sorry, this is a bug in the harness: a search was aborted: {error}")


@dataclass(slots=True)
class Watch:
    """Observes one search in this process. With `original` signatures it stops the search at the first other one."""

    trusted: Path | None = None
    original: frozenset[Signature] | None = None
    seen: set[Signature] = field(default_factory=set)
    shown: str = ""
    clock: Clock = field(default_factory=Clock)
    by_errors: dict[Signature, list[Case]] = field(default_factory=dict)

    def samples(self) -> list[Case]:
        """Return a few cases for every set of errors, those with errors first."""
        in_order = sorted(self.by_errors.items(), key=lambda pair: not pair[0][2])
        return [case for _, cases in in_order for case in cases]

    def observer(self, subject: Subject, unit: Unit) -> Watcher:
        """Return the observer of one unit."""
        return Watcher(self, comparators_of(subject, unit, self.trusted), Compared.of(subject))


@dataclass(slots=True)
class Watcher:
    """Compares every answer of one unit."""

    watch: Watch
    comparators: Comparators
    compared: Compared

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record the signatures of differences, until the first one that stops the search."""
        for case, answer in zip(cases, answers, strict=True):
            if self.watch.shown:
                return
            comparator = self.comparators.get(key_of(case))
            if comparator is None or not self.compared.has(case) or not _may_differ(answer):
                continue
            if self.watch.original is None:
                self._keep(case, answer)
            for mismatch in comparator.compare(case, answer):
                signature = (key_of(case), case.operation, mismatch.signature)
                self.watch.seen.add(signature)
                if self.watch.original is not None and signature not in self.watch.original:
                    self.watch.shown = f"{mismatch.kind}: {mismatch.detail}"
                    self.watch.clock.stop()
                    break

    def _keep(self, case: Case, answer: Answer) -> None:
        """Keep a case as a sample, if there are few with the same errors."""
        errors = frozenset(
            (side, error.type, canonical_path(error.field), error.origin)
            for side, side_errors in enumerate((answer.handwritten, answer.declarative))
            for error in side_errors
        )
        cases = self.watch.by_errors.setdefault((key_of(case), case.operation, errors), [])
        if len(cases) < (MAX_SAMPLES_PER_ANSWER if errors else MAX_ACCEPTED_SAMPLES):
            cases.append(case)

    def aims(self) -> Sequence[Aim]:
        """Return no aims: the search must not change."""
        return ()

    def outcome(self) -> None:
        """Return nothing: the results are in the watch."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Decides which answers a run compares: cases in another mode or with other options are only for observers."""

    mode: Mode = "served"
    switches: bool = False

    @classmethod
    def of(cls, subject: Subject) -> Compared:
        """Return the settings of an open subject."""
        return cls(subject.spec.mode, "switches" in subject.target.info.abilities)

    def has(self, case: Case) -> bool:
        """Whether the answer to a case is compared."""
        return case.mode == self.mode and (not case.options or self.switches)


def _may_differ(answer: Answer) -> bool:
    """Whether the ledger of the search would compare an answer; it does not if, for example, decoding failed."""
    failure = answer.failure
    return failure is None or failure.panic or failure.stage == "self"
