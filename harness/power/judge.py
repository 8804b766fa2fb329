"""Judges mutants of a suite: would a run of this seed and budget kill them?

The suite is searched as it is; a few of the cases that were asked there, of every sort of answer, are put to the
mutated suite first. When they show nothing, it is searched in full, up to the first difference that is new.
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
from harness.subject.suitefile import forget_suite
from harness.suite import Suite

BATCH = 50
ALIKE = 2
"""How many samples there are of one sort of answer."""
ACCEPTED = 300
"""How many samples are accepted by both sides, for each kind and operation."""
Signature = tuple[Any, ...]
Comparators = dict[tuple[str, str, str, str], Comparator]
"""Kind, operation and signature of a mismatch."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run of the budget said of one mutant. `shown` is the difference it was killed by, empty for none.

    `cases` is how many were asked until then.
    """

    number: int
    shown: str
    cases: int

    @property
    def killed(self) -> bool:
        """Whether a difference showed."""
        return bool(self.shown)


@dataclass(frozen=True, slots=True)
class SuiteTrial:
    """How every mutant of one suite is judged: `original` is what differs without any, `samples` are asked first.

    `observers` are those of an ordinary run: what they aim at is part of how it searches. What survives the search of
    the seed is searched `again` so many times, with the seeds that follow; what is listed as `equivalent` is not, since
    nobody would look at it.
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
        """The seeds of its searches, in turn."""
        return range(self.seed, self.seed + 1 + self.again)

    def seeds_of(self, mutant: Mutant) -> range:
        """The seeds of the searches of one mutant, in turn."""
        return self.seeds[:1] if any(one.matches(mutant.name) for one in self.equivalent) else self.seeds


def mutants_of(spec: SubjectSpec) -> tuple[Mutant, ...]:
    """Return every mutant of a suite, in the order of its sources. Raises: InputError."""
    found: list[Mutant] = []

    def rework(suite: Suite, universe: Any, compiled: Any) -> Any:
        found.extend(rules.mutants_of(compiled))
        return compiled

    open_suite(spec, _silent, rework).close()
    suite = load_suite(spec.location)
    assert isinstance(suite, Suite)
    found.extend(code.mutants_of(suite.folder))
    return tuple(number_mutants(found))


_wordings = cache(all_wordings)


def comparators_of(subject: Subject, unit: Unit, trusted: Path | None) -> Comparators:
    """Return a comparator for each resource of a unit, by its key. `trusted` is the file of trusted wordings."""
    wordings = _wordings(trusted)
    return {
        lane.info.key: Comparator(lane.info, is_known_path=subject.is_known_path(lane.info), trusted=wordings)
        for lane in unit.lanes
    }


def _silent(text: str) -> None:
    """Tell nobody: the warnings of a suite are those of its run."""


def run_original(trial: SuiteTrial) -> SuiteTrial:
    """Search the suite as it is; what differs there proves nothing of a mutant. Raises: HarnessError."""
    watch = Watch(trial.trusted)
    for seed in trial.seeds:
        _search(replace(trial, seed=seed), _opener(None), watch)
    return replace(trial, original=frozenset(watch.seen), samples=tuple(watch.samples()))


def judge(trial: SuiteTrial, number: int, mutant: Mutant) -> Judgement:
    """Search a mutated suite until the first difference that the original one does not show.

    In this process: the original run has shown that the suite's code ends neither itself nor others, and thousands of
    mutants would each start processes to be asked for a second. One that loops is stopped as a validator is.
    """
    watch, opener = Watch(trial.trusted, trial.original), _opener(mutant.rework)
    with _folder(replace(trial.spec, in_process=True), mutant) as spec:
        try:
            with opener(spec, _silent) as subject:
                asked = _ask(subject, trial, watch)
        except InputError as error:
            return Judgement(number, f"cannot be loaded: {error.diagnostics[0].message}", 0)
        for seed in trial.seeds_of(mutant):
            if not watch.shown:
                asked += _search(replace(trial, spec=spec, seed=seed), opener, watch).cases
    return Judgement(number, watch.shown, asked)


def _ask(subject: Subject, trial: SuiteTrial, watch: Watch) -> int:
    """Put the samples to a mutated suite. Returns how many were asked."""
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
    """Give a mutant of files a folder of its own."""
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
    broken = next((one.error for one in result.kinds if one.error), "")
    if broken:
        raise HarnessError(f"sorry, this is a bug of the harness: a search broke off: {broken}")
    return result


@dataclass(slots=True)
class Watch:
    """Looks on at one search in this process. With `original` signatures it ends the search at the first other one."""

    trusted: Path | None = None
    original: frozenset[Signature] | None = None
    seen: set[Signature] = field(default_factory=set)
    shown: str = ""
    clock: Clock = field(default_factory=Clock)
    sorts: dict[Signature, list[Case]] = field(default_factory=dict)

    def samples(self) -> list[Case]:
        """Return a few cases of every sort of answer, those with errors first."""
        by_errors = sorted(self.sorts.items(), key=lambda pair: not pair[0][2])
        return [case for _, cases in by_errors for case in cases]

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
        """Note what differs, until the first difference that ends the search: nobody needs it explained."""
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
        """Remember a case when few like it were seen."""
        errors = frozenset(
            (side, error.type, canonical_path(error.field), error.origin)
            for side, found in enumerate((answer.handwritten, answer.declarative))
            for error in found
        )
        alike = self.watch.sorts.setdefault((key_of(case), case.operation, errors), [])
        if len(alike) < (ALIKE if errors else ACCEPTED):
            alike.append(case)

    def aims(self) -> Sequence[Aim]:
        """Ask for nothing: what is judged is the search as it is."""
        return ()

    def outcome(self) -> None:
        """Everything is in the watch."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Which answers a run compares: what it asks as no server would be asked is for observers alone."""

    mode: Mode = "served"
    switches: bool = False

    @classmethod
    def of(cls, subject: Subject) -> Compared:
        """Read it off a subject that is open."""
        return cls(subject.spec.mode, "switches" in subject.target.info.abilities)

    def has(self, case: Case) -> bool:
        """Whether the answer to a case is compared."""
        return case.mode == self.mode and (not case.options or self.switches)


def _may_differ(answer: Answer) -> bool:
    """Whether the ledger of the search would compare an answer: objects that do not even decode show nothing."""
    failure = answer.failure
    return failure is None or failure.panic or failure.stage == "self"
