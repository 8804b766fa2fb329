"""Observers that tell a mutated worker from the unmutated one, in a search of the mutated one.

Every case of the search is asked of the unmutated worker too. So a mismatch counts only if the mutant causes it, and a
mutant that survives is known to have changed answers or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.engine.plan import key_of
from harness.engine.units import Unit
from harness.field import FieldError
from harness.fuzzers.aims import Aim
from harness.fuzzers.budget import Clock
from harness.jsonpath import canonical_path
from harness.power.judge import Comparators, Compared, Signature, comparators_of
from harness.subject import Subject
from harness.targets.target import Target

ChangedError: TypeAlias = tuple[str, str, bool]
"""Canonical path, type, and whether a rule covers it, of a handwritten error that only one of both workers reports."""


@dataclass
class Untouched:
    """Observes the search of the unmutated worker: the differences that it has, and the probes that each unit reaches.

    `reached` has the names of units by probe.
    """

    trusted: Path | None = None
    seen: set[Signature] = field(default_factory=set)
    reached: dict[int, set[str]] = field(default_factory=dict)

    def observer(self, subject: Subject, unit: Unit) -> _Recorder:
        """Return the observer of one unit."""
        return _Recorder(self._record, unit.name, comparators_of(subject, unit, self.trusted), Compared.of(subject))

    def _record(self, unit: str, signatures: Sequence[Signature], answer: Answer) -> None:
        self.seen.update(signatures)
        for probe in answer.blocks:
            self.reached.setdefault(probe, set()).add(unit)


@dataclass
class MutantWatch:
    """Observes the search of a mutant, and stops it at the first mismatch that only the mutant has.

    `known` are the differences of the unmutated worker. `changed` counts compared cases with other answers,
    `hidden` the mismatches of their errors that the unmutated worker has in other cases, `errors` the handwritten
    errors that changed.
    """

    number: int
    trusted: Path | None
    known: frozenset[Signature]
    untouched: Target
    clock: Clock = field(default_factory=Clock)
    shown: str = ""
    reached: bool = False
    asked: int = 0
    changed: int = 0
    hidden: int = 0
    errors: Counter[ChangedError] = field(default_factory=Counter)

    def observer(self, subject: Subject, unit: Unit) -> _Lockstep:
        """Return the observer of one unit."""
        return _Lockstep(self, comparators_of(subject, unit, self.trusted), Compared.of(subject))


@dataclass(slots=True)
class _Recorder:
    """Passes on what the answers of one unit show."""

    record: Callable[[str, Sequence[Signature], Answer], None]
    unit: str
    comparators: Comparators
    compared: Compared

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record every batch."""
        for case, answer in zip(cases, answers, strict=True):
            self.record(self.unit, _signatures(self.comparators, self.compared, case, answer), answer)

    def aims(self) -> Sequence[Aim]:
        """Return no aims: the search must not change."""
        return ()

    def outcome(self) -> None:
        """Return nothing: the results are in the watch."""


@dataclass(slots=True)
class _Lockstep:
    """Asks every case of one unit again, of the unmutated worker."""

    watch: MutantWatch
    comparators: Comparators
    compared: Compared

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Look for the first mismatch that only the mutant has."""
        watch = self.watch
        if watch.shown:
            return
        watch.asked += len(cases)
        watch.reached |= any(watch.number in answer.blocks for answer in answers)
        asked = [(case, answer) for case, answer in zip(cases, answers, strict=True) if self.compared.has(case)]
        plain = [msgspec.structs.replace(case, blocks="") for case, _ in asked]
        for (case, answer), other in zip(asked, watch.untouched.ask(plain), strict=True):
            if _is_same(answer, other):
                continue
            watch.changed += 1
            watch.errors.update(_changed_errors(answer, other))
            own = set(_signatures(self.comparators, self.compared, case, other))
            for signature in _signatures(self.comparators, self.compared, case, answer):
                if signature in own:
                    continue
                if signature in watch.known:
                    watch.hidden += signature[2][0] != "conversion"  # any object that is accepted may show that one
                else:
                    watch.shown = _words_of(signature)
                    watch.reached = True
                    watch.clock.stop()
                    return

    def aims(self) -> Sequence[Aim]:
        """Return no aims: the search must not change."""
        return ()

    def outcome(self) -> None:
        """Return nothing: the results are in the watch."""


def _signatures(comparators: Comparators, compared: Compared, case: Case, answer: Answer) -> list[Signature]:
    """Return the differences of an answer, as the search would record them."""
    comparator = comparators.get(key_of(case))
    failure = answer.failure
    if comparator is None or not compared.has(case) or (failure and not (failure.panic or failure.stage == "self")):
        return []
    return [(key_of(case), case.operation, one) for one in comparator.signatures(case, answer)]


def _is_same(answer: Answer, other: Answer) -> bool:
    """Whether the handwritten validators agree, in whatever order: some go over maps.

    So they do where one worker could not answer, in its time or memory.
    """
    failures = [one.failure for one in (answer, other) if one.failure is not None]
    if failures:
        return answer.failure == other.failure or not any(failure.panic for failure in failures)
    return Counter(_without_source(answer.handwritten)) == Counter(_without_source(other.handwritten))


def _changed_errors(answer: Answer, other: Answer) -> set[ChangedError]:
    """Return the handwritten errors that only one of two answers has, without their values."""
    return {_plain(one) for one in set(_without_source(answer.handwritten)) ^ set(_without_source(other.handwritten))}


def _without_source(errors: Sequence[FieldError]) -> list[FieldError]:
    """Return errors without the lines of code that made each: a mutant is another function."""
    return [msgspec.structs.replace(error, source="", stack="") if error.source else error for error in errors]


def _plain(error: FieldError) -> ChangedError:
    return canonical_path(error.field), error.type, error.covered


def _words_of(signature: Signature) -> str:
    key, operation, (kind, *rest) = signature
    return " ".join(filter(None, (f"{kind}:", "/".join(filter(None, key)), str(operation), *rest)))
