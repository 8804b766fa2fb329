"""Witnesses of exceptions are asked before a search: what they show, and which of them a run can ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness import engine
from harness.case import Answer, Case, Operation
from harness.engine import RunConfig
from harness.engine.units import RequestKind
from harness.engine.witnesses import UNSTABLE_TRIES, replay, seed_cases
from harness.errormatch.witness import Shown, Witness, WitnessCase
from harness.events import Budget, Result
from harness.subject import SubjectSpec, open_subject

SUITE = Path(__file__).parents[2] / "examples" / "migration"
SPEC = SubjectSpec("suite", str(SUITE))
LONG: dict[str, Any] = {
    "apiVersion": "backup.example.com/v1",
    "kind": "Backup",
    "metadata": {"name": "a"},
    "spec": {"schedule": "nightly", "keepDays": 29, "destination": "vault"},
}
SHOWN = Shown("Backup", "spec.keepDays", "extra", "FieldValueInvalid", "maximum", "declarative")


def case(**more: Any) -> WitnessCase:
    """A backup that is kept for a day too long for one side."""
    made = WitnessCase((SHOWN,), "backup.example.com", "v1", "Backup", "backups", Operation.CREATE, object=LONG)
    return msgspec.structs.replace(made, **more)


def witness(*cases: WitnessCase, suite: str = "migration", release: str = "") -> Witness:
    return Witness("g1", suite, release, cases or (case(),))


def run(*witnesses: Witness, spec: SubjectSpec = SPEC, **more: Any) -> Result:
    """A search for nothing, which asks witnesses all the same."""
    return engine.run(spec, RunConfig(seed=1, budget=Budget(None, 0), witnesses=witnesses, **more))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_case_says_what_it_shows(jobs: int) -> None:
    """Whatever the number of processes: path, error, side, type and severity; the rest needs experiments."""
    good = case(object={**LONG, "spec": {**LONG["spec"], "keepDays": 7}})
    found = run(witness(case(), good), jobs=jobs).replayed
    [shown] = found[0].shown
    assert (0, 1, ()) == (found[0].case, found[1].case, found[1].shown)
    assert ("spec.keepDays", "extra", "maximum", "declarative", "keepDays", "", "verdict", "v1") == (
        shown.path, shown.mismatch, shown.origin, shown.side, shown.member, shown.cause, shown.severity, shown.version,
    )  # fmt: skip
    assert shown.owner.endswith(".BackupSpec")


UNASKED: dict[str, tuple[Witness, dict[str, Any]]] = {
    "another suite": (witness(suite="other"), {}),
    "another release": (witness(release="1.2"), {}),
    "other gates": (witness(case(gates={"Wide": True})), {}),
    "another operation": (witness(), {"operations": ["update"]}),
    "another kind": (witness(case(resource="others")), {}),
    "another question": (witness(), {"spec": replace(SPEC, mode="given")}),
}


@pytest.mark.parametrize(("one", "more"), UNASKED.values(), ids=UNASKED)
def test_what_a_run_cannot_ask_is_left_alone(one: Witness, more: dict[str, Any]) -> None:
    """And says nothing of its exception."""
    assert () == run(one, **more).replayed


def test_the_search_asks_the_cases_as_well() -> None:
    """What a witness shows is found by the smallest search, reduced and explained, under any seed."""
    for seed in (1, 2):
        found = engine.run(SPEC, RunConfig(seed=seed, budget=Budget(None, 12), witnesses=(witness(),))).findings
        assert ["boundary"] == [one.cause for one in found if one.path == "spec.keepDays"]


class Fickle:
    """A target that gives the good answer but now and then: a case in so many shows a difference."""

    def __init__(self, target: Any, every: int) -> None:
        self.target, self.info, self.every, self.asked = target, target.info, every, 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        answers = self.target.ask(cases)
        self.asked += len(cases)
        # The first of a batch never shows it.
        return [one if one.id % self.every == self.every - 1 else Answer(one.id) for one in answers]


@pytest.mark.parametrize(("cause", "asked", "shown"), [("boundary", 1, 0), ("unstable", UNSTABLE_TRIES, 1)])
def test_what_is_unstable_is_asked_often(cause: str, asked: int, shown: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the answers shows it, and a difference is told once."""
    with open_subject(SPEC, lambda text: None) as subject:
        target = Fickle(subject.target, UNSTABLE_TRIES // 2)
        one = case(shows=(msgspec.structs.replace(SHOWN, cause=cause),))
        monkeypatch.setattr(subject, "target", target)
        requests = [RequestKind(info, operation).key for info in target.info.kinds for operation in info.operations]
        [found] = replay(subject, [witness(one)], requests, None)
        assert (asked, shown) == (target.asked, len(found.shown))
        assert 1 == len(seed_cases(subject, [witness(one)]))
        monkeypatch.undo()
