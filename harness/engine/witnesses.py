"""Asks the witnesses of exceptions again before a search, and records which differences their cases show now.

An exception tolerates findings; its witness is the case that shows one. Nothing is searched, reduced or explained here,
and the readers of the result decide what it means for an exception.
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
from harness.engine.fieldsource import find_field_source, own_path
from harness.engine.units import RequestKey
from harness.errormatch.trusted import all_wordings
from harness.errormatch.witness import Shown, Witness, WitnessCase
from harness.events import Replayed
from harness.jsonpath import canonical_path
from harness.subject import Subject

BATCH = 100
UNSTABLE_TRIES = 32
"""How often a case is asked whose answers are known to differ, before its difference counts as gone."""

NumberedWitness: TypeAlias = tuple[str, int, WitnessCase]
"""The exception, the number of the case in its witness, and the case."""


def select_witnesses(
    witnesses: Sequence[Witness], subject: Subject, requests: Collection[RequestKey] | None = None
) -> Iterator[NumberedWitness]:
    """Yield the witness cases of a subject: those with its name, release and gates, for these requests (None: all).

    There are none for a run in another mode, against another target or from a recording, because exceptions are not
    about those.
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
            if one.gates == dict(spec.gates) and (requests is None or (one.key, one.operation) in requests):
                yield witness.exception, number, one


def replay(
    subject: Subject, witnesses: Sequence[Witness], requests: Collection[RequestKey] | None, trusted: Path | None
) -> tuple[Replayed, ...]:
    """Ask the selected witnesses, and return the differences that each case shows. Raises: TargetError."""
    asked = [one for one in select_witnesses(witnesses, subject, requests) if one[2].object is not None]
    questions = [(number, one.case) for number, (_, _, one) in enumerate(asked) for _ in range(_tries(one))]
    comparators = _Comparators(subject, trusted)
    shown: list[dict[Shown, None]] = [{} for _ in asked]
    failures = [""] * len(asked)
    rest = iter(questions)
    while batch := list(islice(rest, BATCH)):
        cases = [msgspec.structs.replace(case, id=index) for index, (_, case) in enumerate(batch)]
        for (number, _), case, answer in zip(batch, cases, subject.target.ask(cases), strict=True):
            shown[number].update(dict.fromkeys(comparators.differences(case, answer)))
            if answer.failure is not None and answer.failure.stage == "worker":
                failures[number] = answer.failure.message
    return tuple(
        Replayed(exception, number, tuple(found), "" if found else failure)
        for (exception, number, _), found, failure in zip(asked, shown, failures, strict=True)
    )


def _tries(one: WitnessCase) -> int:
    return UNSTABLE_TRIES if any(shown.cause == "unstable" for shown in one.shows) else 1


class _Comparators:
    """Compares answers of a subject, with one comparator for each kind."""

    def __init__(self, subject: Subject, trusted: Path | None) -> None:
        self.subject = subject
        self.infos = {info.key: info for info in subject.target.info.kinds}
        self._wordings = all_wordings(trusted)
        self._comparators: dict[object, Comparator] = {}

    def differences(self, case: Case, answer: Answer) -> Iterator[Shown]:
        """Yield every difference of an answer."""
        info = self.infos[case.group, case.version, case.resource, case.subresource]
        if info.key not in self._comparators:
            self._comparators[info.key] = self.subject.comparator(info, self._wordings)
        comparator, shape = self._comparators[info.key], self.subject.shape(info)
        for one in comparator.compare(case, answer):
            path = canonical_path(one.path)
            field = find_field_source(canonical_path(own_path(comparator, case, one.path, shape)), shape)
            yield Shown(
                info.kind, path, one.kind, one.type, one.origin, one.side, field.owner, field.member,
                severity=severity_of(case, answer, one, comparator), version=case.version,
            )  # fmt: skip


def replay_rules(
    subject: Subject, witnesses: Sequence[Witness], requests: Collection[RequestKey] | None, findings: Sequence[Finding]
) -> tuple[Replayed, ...]:
    """Return the differences of witnesses without an object: those are about rules, so the rule findings of the run."""
    shown = tuple(
        Shown(
            one.kind, one.path, one.mismatch, one.type, one.origin, one.side, one.owner, one.member, one.cause,
            one.severity, one.version,
        )
        for one in findings
    )  # fmt: skip
    asked = (one for one in select_witnesses(witnesses, subject, requests) if one[2].object is None)
    return tuple(Replayed(exception, number, shown) for exception, number, _ in asked)


def seed_cases(subject: Subject, witnesses: Sequence[Witness]) -> list[Case]:
    """Return the witness cases for the search to ask as well: a difference that no exception tolerates is a finding."""
    return [one.case for _, _, one in select_witnesses(witnesses, subject) if one.object is not None]
