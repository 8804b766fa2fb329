"""Those who look on see everything that is asked, in every process, and change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.events import Result
from harness.fuzzers.aims import Aim
from harness.subject import Subject
from tests.engine.test_run import search


@dataclass
class Counter:
    """Counts what it sees."""

    name: str
    cases: int = 0
    ages: list[float] = field(default_factory=list)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        assert [case.id for case in cases] == [answer.id for answer in answers] or len(cases) == len(answers)
        self.cases += len(cases)
        self.ages.append(seconds)

    def aims(self) -> Sequence[Aim]:
        return ()

    def outcome(self) -> tuple[str, int, bool]:
        return self.name, self.cases, self.ages == sorted(self.ages)


class Counting:
    """Makes counters."""

    def observer(self, subject: Subject, unit: Unit) -> Counter:
        return Counter(unit.name)


def looked_on(jobs: int) -> Result:
    """Run with a counter that looks on."""
    return search(600, jobs=jobs, observers={"count": Counting()})


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_case_is_seen_once(jobs: int) -> None:
    """Drawn ones, those of seeds, of reductions and of experiments, whatever the number of processes."""
    result = looked_on(jobs)
    seen = result.observed["count"]
    assert sum(cases for _, cases, _ in seen) == result.cases
    assert all(in_order for _, _, in_order in seen)


def test_looking_on_changes_nothing() -> None:
    """The same cases, the same findings."""
    plain = search(600)
    result = looked_on(1)
    assert (plain.cases, [one.fingerprint for one in plain.findings]) == (
        result.cases, [one.fingerprint for one in result.findings],
    )  # fmt: skip
    assert not plain.observed
