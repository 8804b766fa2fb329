"""Witnesses of exceptions, asked again before a search: what each of their cases shows, on any machine.

Nothing is searched, reduced or explained here. Which witness speaks for which exception is judged by who reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.severity import severity_of
from harness.engine.fieldsource import find_field_source
from harness.engine.units import LaneKey
from harness.errormatch.trusted import all_wordings
from harness.errormatch.witness import Shown, Witness, WitnessCase
from harness.events import Replayed
from harness.jsonpath import canonical_path
from harness.subject import Subject

BATCH = 100
TRIES = 32
"""How often a case is asked whose answers are known to change: one of them shows it, or it is gone."""

Asked: TypeAlias = tuple[str, int, WitnessCase]
"""The exception, the number of the case in its witness, and the case."""


def wanted(witnesses: Sequence[Witness], subject: Subject, lanes: Collection[LaneKey] | None = None) -> Iterator[Asked]:
    """Yield the cases that a subject can be asked: of its name, release and gates, and of some kinds and operations.

    A run that asks another question than the usual one says nothing of exceptions.
    """
    if not witnesses:
        return
    spec, info = subject.spec, subject.target.info
    if spec.against or subject.recording is not None or spec.declarative != "target" or spec.mode != "served":
        return
    for witness in witnesses:
        if witness.suite != subject.name or witness.release != info.release:
            continue
        for number, one in enumerate(witness.cases):
            if one.gates == dict(spec.gates) and (lanes is None or (one.key, one.operation) in lanes):
                yield witness.exception, number, one


def replay(
    subject: Subject, witnesses: Sequence[Witness], lanes: Collection[LaneKey] | None, trusted: Path | None
) -> tuple[Replayed, ...]:
    """Ask the witnesses that are wanted, and say what each case shows. Raises: TargetError."""
    asked = [one for one in wanted(witnesses, subject, lanes) if one[2].object is not None]
    questions = [(number, one.case) for number, (_, _, one) in enumerate(asked) for _ in range(_tries(one))]
    judge = _Comparators(subject, trusted)
    shown: list[dict[Shown, None]] = [{} for _ in asked]
    failures = [""] * len(asked)
    rest = iter(questions)
    while batch := list(islice(rest, BATCH)):
        cases = [msgspec.structs.replace(case, id=place) for place, (_, case) in enumerate(batch)]
        for (number, _), case, answer in zip(batch, cases, subject.target.ask(cases), strict=True):
            shown[number].update(dict.fromkeys(judge.shown(case, answer)))
            if answer.failure is not None and answer.failure.stage == "worker":
                failures[number] = answer.failure.message
    return tuple(
        Replayed(exception, number, tuple(found), "" if found else failure)
        for (exception, number, _), found, failure in zip(asked, shown, failures, strict=True)
    )


def _tries(one: WitnessCase) -> int:
    return TRIES if any(shown.cause == "unstable" for shown in one.shows) else 1


class _Comparators:
    """Compares answers of a subject, and remembers a comparator for each kind."""

    def __init__(self, subject: Subject, trusted: Path | None) -> None:
        self.subject = subject
        self.infos = {info.key: info for info in subject.target.info.kinds}
        self._wordings = all_wordings(trusted)
        self._comparators: dict[object, Comparator] = {}

    def shown(self, case: Case, answer: Answer) -> Iterator[Shown]:
        """Yield every difference of an answer."""
        info = self.infos[case.group, case.version, case.resource, case.subresource]
        if info.key not in self._comparators:
            known = self.subject.is_known_path(info)
            self._comparators[info.key] = Comparator(info, is_known_path=known, trusted=self._wordings)
        comparator, shape = self._comparators[info.key], self.subject.shape(info)
        for one in comparator.compare(case, answer):
            path = canonical_path(one.path)
            place = find_field_source(path, shape)
            yield Shown(
                info.kind, path, one.kind, one.type, one.origin, one.side, place.owner, place.member,
                severity=severity_of(case, answer, one, comparator),
            )  # fmt: skip


def of_rules(
    subject: Subject, witnesses: Sequence[Witness], lanes: Collection[LaneKey] | None, findings: Sequence[Finding]
) -> tuple[Replayed, ...]:
    """Say which witnesses of rules still show: those that have no object, by what a run finds of the rules."""
    shown = tuple(
        Shown(
            one.kind, one.path, one.mismatch, one.type, one.origin, one.side, one.owner, one.member, one.cause,
            one.severity,
        )
        for one in findings
    )  # fmt: skip
    asked = (one for one in wanted(witnesses, subject, lanes) if one[2].object is None)
    return tuple(Replayed(exception, number, shown) for exception, number, _ in asked)


def seed_cases(subject: Subject, witnesses: Sequence[Witness]) -> list[Case]:
    """Return the cases that the search of a subject asks as well: what they show beyond the exceptions is a finding."""
    return [one.case for _, _, one in wanted(witnesses, subject) if one.object is not None]
