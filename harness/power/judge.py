"""Judges sabotages of a suite: would a run of this seed and budget notice?

The suite is searched as it is; a few of the cases that were asked there, of every sort of answer, are put to the
sabotaged suite first. When they show nothing, it is searched in full, up to the first difference that is new.
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
from harness.engine.observers import Onlooker
from harness.engine.plan import key_of
from harness.engine.units import Unit, units_of
from harness.errormatch.trusted import all_wordings
from harness.events import Budget, Result
from harness.fuzzers.aims import Aim
from harness.fuzzers.budget import Clock
from harness.jsonpath import canonical_path
from harness.power.known import Known
from harness.power.operators import code, rules
from harness.power.sabotage import Sabotage, numbered
from harness.subject import Example, Note, Rework, Subject, SubjectSpec, load_suite, open_suite
from harness.subject.suitefile import forget_suite
from harness.suite import Suite

BATCH = 50
ALIKE = 2
"""How many tellers there are of one sort of answer."""
ACCEPTED = 300
"""How many tellers are accepted by both sides, for each kind and operation."""
Signature = tuple[Any, ...]
Comparators = dict[tuple[str, str, str, str], Comparator]
"""Kind, operation and signature of a mismatch."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run of the budget said of one sabotage. `shown` is the difference it was noticed by, empty for none.

    `cases` is how many were asked until then.
    """

    number: int
    shown: str
    cases: int

    @property
    def noticed(self) -> bool:
        """Whether a difference showed."""
        return bool(self.shown)


@dataclass(frozen=True, slots=True)
class SuiteTrial:
    """How every sabotage of one suite is judged: `honest` is what differs without any, `tellers` are asked first.

    `onlookers` are those of an ordinary run: what they aim at is part of how it searches. What survives the search of
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
    honest: frozenset[Signature] = frozenset()
    tellers: tuple[Case, ...] = ()
    onlookers: Mapping[str, Onlooker] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def seeds(self) -> range:
        """The seeds of its searches, in turn."""
        return range(self.seed, self.seed + 1 + self.again)

    def seeds_of(self, sabotage: Sabotage) -> range:
        """The seeds of the searches of one sabotage, in turn."""
        return self.seeds[:1] if any(one.matches(sabotage.name) for one in self.equivalent) else self.seeds


def sabotages_of(spec: SubjectSpec) -> tuple[Sabotage, ...]:
    """Return every sabotage of a suite, in the order of its sources. Raises: InputError."""
    found: list[Sabotage] = []

    def rework(suite: Suite, universe: Any, compiled: Any) -> Any:
        found.extend(rules.sabotages_of(compiled))
        return compiled

    open_suite(spec, _silent, rework).close()
    suite = load_suite(spec.location)
    assert isinstance(suite, Suite)
    found.extend(code.sabotages_of(suite.folder))
    return tuple(numbered(found))


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


def honest_run(trial: SuiteTrial) -> SuiteTrial:
    """Search the suite as it is; what differs there proves nothing of a sabotage. Raises: HarnessError."""
    watch = Watch(trial.trusted)
    for seed in trial.seeds:
        _search(replace(trial, seed=seed), _opener(None), watch)
    return replace(trial, honest=frozenset(watch.seen), tellers=tuple(watch.tellers()))


def judge(trial: SuiteTrial, number: int, sabotage: Sabotage) -> Judged:
    """Search a sabotaged suite until the first difference that the honest one does not show.

    In this process: the honest run has shown that the suite's code ends neither itself nor others, and thousands of
    sabotages would each start processes to be asked for a second. One that loops is stopped as a validator is.
    """
    watch, opener = Watch(trial.trusted, trial.honest), _opener(sabotage.rework)
    with _folder(replace(trial.spec, in_process=True), sabotage) as spec:
        try:
            with opener(spec, _silent) as subject:
                asked = _ask(subject, trial, watch)
        except InputError as error:
            return Judged(number, f"cannot be loaded: {error.diagnostics[0].message}", 0)
        for seed in trial.seeds_of(sabotage):
            if not watch.shown:
                asked += _search(replace(trial, spec=spec, seed=seed), opener, watch).cases
    return Judged(number, watch.shown, asked)


def _ask(subject: Subject, trial: SuiteTrial, watch: Watch) -> int:
    """Put the tellers to a sabotaged suite. Returns how many were asked."""
    watchers = [watch.observer(subject, unit) for unit in units_of(subject.target.info.kinds, trial.kinds)]
    for start in range(0, len(trial.tellers), BATCH):
        cases = trial.tellers[start : start + BATCH]
        answers = subject.target.ask(cases)
        for watcher in watchers:
            watcher.examine(cases, answers, 0.0)
        if watch.shown:
            return start + len(cases)
    return len(trial.tellers)


@contextmanager
def _folder(spec: SubjectSpec, sabotage: Sabotage) -> Iterator[SubjectSpec]:
    """Give a sabotage of files a folder of its own."""
    if not sabotage.files:
        yield spec
        return
    with tempfile.TemporaryDirectory(prefix="harness-power-") as place:
        folder = Path(place) / Path(spec.location).resolve().name
        shutil.copytree(spec.location, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name, text in sabotage.files.items():
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
            onlookers={"power": watch, **trial.onlookers},
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
    """Looks on at one search in this process. With `honest` signatures it ends the search at the first other one."""

    trusted: Path | None = None
    honest: frozenset[Signature] | None = None
    seen: set[Signature] = field(default_factory=set)
    shown: str = ""
    clock: Clock = field(default_factory=Clock)
    sorts: dict[Signature, list[Case]] = field(default_factory=dict)

    def tellers(self) -> list[Case]:
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
            if self.watch.honest is None:
                self._keep(case, answer)
            for mismatch in comparator.compare(case, answer):
                signature = (key_of(case), case.operation, mismatch.signature)
                self.watch.seen.add(signature)
                if self.watch.honest is not None and signature not in self.watch.honest:
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
