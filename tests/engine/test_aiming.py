"""What observers want to see is gone for, wherever it lies and whatever it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Json
from harness.compare.mismatch import canonical_path
from harness.engine.units import Unit
from harness.events import Result
from harness.fuzzers.aims import Aim
from harness.subject import Subject
from tests.engine.test_run import search
from tests.engine.toys import ToySubject
from tests.fuzzers.toys import ToyTarget

AIMS = (
    Aim("spec.title", "FieldValueTooLong", "maxLength", limit=9),
    Aim("spec.mode", "FieldValueNotSupported"),
    Aim("spec.mode", "FieldValueRequired"),
    Aim("spec.replicas", "FieldValueInvalid", "minimum", limit=0),
    Aim("spec.ceiling", "FieldValueInvalid", "immutable", update=True),
)


@dataclass
class Hunter:
    """Wants errors of the declarative side, and remembers after how many cases it saw each."""

    seen: dict[tuple[str, str, str], int] = field(default_factory=dict)
    cases: int = 0

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        self.cases += len(cases)
        for answer in answers:
            for error in answer.declarative:
                self.seen.setdefault((canonical_path(error.field), error.type, error.origin), self.cases)

    def aims(self) -> Sequence[Aim]:
        return [aim for aim in AIMS if (aim.path, aim.type, aim.origin) not in self.seen]

    def outcome(self) -> dict[tuple[str, str, str], int]:
        return self.seen


class Hunting:
    """Makes hunters."""

    def observer(self, subject: Subject, unit: Unit) -> Hunter:
        return Hunter()


def hunted(jobs: int = 1) -> Result:
    """Search with a hunter in every unit."""
    return search(600, jobs=jobs, onlookers={"hunt": Hunting()})


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_aim_is_reached_before_there_are_bases(jobs: int) -> None:
    """A hundred cases are enough for five rules, in every process."""
    for seen in hunted(jobs).observed["hunt"]:
        assert all(seen[aim.path, aim.type, aim.origin] <= 100 for aim in AIMS)


class Preparing(ToyTarget):
    """A server that throws every title away, unless it is asked about objects as they stand."""

    def _answer(self, case: Case) -> Answer:
        if case.mode == "served":
            case = msgspec.structs.replace(case, object=_untitled(case.object), old=_untitled(case.old))
        return super()._answer(case)


def _untitled(obj: Json) -> Json:
    spec = obj.get("spec") if isinstance(obj, dict) else None
    if not isinstance(spec, dict):
        return obj
    return {**obj, "spec": {name: value for name, value in spec.items() if name != "title"}}


def _open_preparing(spec: Any, note: Callable[[str], None]) -> Any:
    subject = ToySubject(spec)
    subject.target = Preparing(subject.target.info.kinds)
    subject.target.info = msgspec.structs.replace(subject.target.info, abilities=("update", "modes"))
    return subject


def test_what_the_server_never_lets_through_is_seen_as_it_stands_and_not_compared() -> None:
    """The rule fires for the observer, and no finding tells of what no user can do."""
    result = search(3000, onlookers={"hunt": Hunting()}, opener=_open_preparing)
    assert all(("spec.title", "FieldValueTooLong", "maxLength") in seen for seen in result.observed["hunt"])
    assert "spec.title" not in {finding.path for finding in result.findings}
    assert result.findings


def test_aiming_is_a_function_of_the_seed() -> None:
    """The same aims, the same cases and the same findings."""
    first, again = hunted(), hunted()
    assert first.observed == again.observed
    assert [one.fingerprint for one in first.findings] == [one.fingerprint for one in again.findings]
