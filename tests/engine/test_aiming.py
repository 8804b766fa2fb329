"""What observers want to see is gone for, wherever it lies and whatever it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from harness.case import Answer, Case
from harness.compare.mismatch import canonical_path
from harness.engine.units import Unit
from harness.events import Result
from harness.fuzzers.aims import Aim
from harness.subject import Subject
from tests.engine.test_run import search

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


def test_aiming_is_a_function_of_the_seed() -> None:
    """The same aims, the same cases and the same findings."""
    first, again = hunted(), hunted()
    assert first.observed == again.observed
    assert [one.fingerprint for one in first.findings] == [one.fingerprint for one in again.findings]
