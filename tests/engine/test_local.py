"""The searches of one process use the time they have."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case
from harness.engine.config import RunConfig
from harness.engine.local import Callbacks, Local
from harness.engine.search import UnitSearch
from harness.events import Budget
from harness.fuzzers.budget import Clock
from tests.engine.toys import ToySpec, ToySubject
from tests.fuzzers.toys import WIDGETS, ToyTarget


def test_time_that_was_kept_for_nothing_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing stops at three fifths for much that is pending; when that took no time, it goes on nearly to the end."""
    now = [0.0]
    drawn: list[float] = []
    subject: Any = ToySubject(ToySpec())

    def turn(search: UnitSearch) -> None:
        now[0] += 0.25

    clock = Clock(100.0, lambda: now[0])
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_time=100.0)), Callbacks(on_turn=turn), clock)
    clock.needed = lambda: 40.0 if now[0] <= 60.0 else 0.0
    original = UnitSearch.more

    def more(search: UnitSearch) -> Any:
        drawn.append(now[0])
        return original(search)

    monkeypatch.setattr(UnitSearch, "more", more)
    outcome = local.run()
    assert outcome.stopped == "budget"
    assert drawn
    assert 60.0 < drawn[0] < 90.0
    assert 95.0 < now[0] < 101.0


class Ruleless(ToyTarget):
    """There are errors, and no rules that could say something else."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        checks = tuple(msgspec.structs.replace(error, covered=False) for error in answer.handwritten)
        return msgspec.structs.replace(answer, handwritten=checks, declarative=())


def test_a_run_that_meets_nothing_uses_its_time() -> None:
    """Nothing is kept for what will not be met, nor for a closer look at errors that the target cannot give."""
    now, new_error_cases = [0.0], [0]
    subject: Any = ToySubject(ToySpec())
    subject.target = Ruleless([WIDGETS])

    def turn(search: UnitSearch) -> None:
        now[0] += 0.25
        new_error_cases[0] += len(search.ledger.new_error_cases)

    clock = Clock(100.0, lambda: now[0])
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_time=100.0)), Callbacks(on_turn=turn), clock).run()
    assert [()] == [unit.findings for unit in outcome.units]
    assert 0 == new_error_cases[0]
    assert 98.5 < now[0] < 101.0


def test_what_both_sides_look_at_is_known_by_its_errors() -> None:
    """Places of errors that are covered or declared, not those that the handwritten side alone looks at."""
    subject: Any = ToySubject(ToySpec())
    subject.target = ToyTarget([WIDGETS])
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=2000)), Callbacks(), Clock())
    local.run()
    (search,) = local.searches
    assert {"spec.mode", "spec.title", "spec.replicas", "spec.ceiling"} <= search.ledger.judged
    assert not search.ledger.judged & {"spec.ports[*].number", "spec.selector", "spec.labels"}


def test_a_mistake_of_ours_is_told_as_ours_and_loses_nothing() -> None:
    """It is no lost target: nobody who reads it should look for a mistake in the worker."""
    subject: Any = ToySubject(ToySpec())

    def fails(asked: int) -> None:
        if asked > 1500:
            raise RuntimeError("no such thing")

    subject.target = ToyTarget([WIDGETS], fails)
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=4000)), Callbacks(), Clock()).run()
    assert outcome.stopped == "internal-error"
    assert outcome.stopped_detail.startswith("a bug of the harness, please report it: RuntimeError: no such thing (")
    assert [True] == [bool(unit.findings) for unit in outcome.units]


def test_restarts_are_those_of_the_target_whatever_stands_in_front_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker behind a wrapper was started again: the run says so."""
    monkeypatch.setattr(ToyTarget, "restarts", 3)
    subject: Any = ToySubject(ToySpec())
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=50)), Callbacks(), Clock()).run()
    assert outcome.restarts == 3


def test_who_stops_the_clock_interrupts_the_run() -> None:
    """After the turn that it is in, and without a word about what was not answered."""
    subject: Any = ToySubject(ToySpec())
    clock, notes = Clock(), list[str]()
    telling = Callbacks(on_turn=lambda search: clock.stop(), note=notes.append)
    outcome = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=2000)), telling, clock).run()
    assert ("interrupted", []) == (outcome.stopped, notes)
    assert 0 < sum(unit.cases for unit in outcome.units) < 2000
