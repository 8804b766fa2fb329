"""What is asked follows the time that is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness import tuning
from harness.case import Answer, Case, Failure, Operation
from harness.engine.asker import BATCH
from harness.engine.config import RunConfig
from harness.engine.local import Callbacks, Local
from harness.engine.units import RequestKind
from harness.events import Budget
from harness.fuzzers.budget import Clock
from harness.targets.target import drive
from tests.engine.toys import ToySpec, ToySubject


def test_no_further_batch_is_sent_once_it_is_late() -> None:
    """Thousands of objects may be wanted at once, of a kind whose cases take milliseconds."""
    now = [0.0]
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_time=100.0)), Callbacks(), Clock(100.0, lambda: now[0]))
    search = local._search(local.units[0], None)
    request = RequestKind(search.plan.unit.requests[0].info, Operation.CREATE)
    steps = search.ask([(request, {"spec": number}, None, None) for number in range(7 * BATCH)], settle=False)
    batches = [next(steps)]
    batches.append(steps.send([Answer(case.id) for case in batches[-1]]))
    now[0] = 99.0
    try:
        steps.send([Answer(case.id) for case in batches[-1]])
    except StopIteration as stop:
        answers = stop.value
    assert [len(batch) for batch in batches] == [2 * BATCH, 2 * BATCH]
    assert len(answers) == 4 * BATCH


def test_what_crashes_as_nobody_asks_it_is_asked_again_as_a_request() -> None:
    """Observers are shown objects without defaults: a crash there is a finding only where a request has it too."""
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=100)), Callbacks(), Clock())
    search = local._search(local.units[0], 100)
    request = RequestKind(search.plan.unit.requests[0].info, Operation.CREATE)

    def answered(case: Case) -> Answer:
        name = case.object["metadata"]["name"]
        if name == "always" or (name == "bare" and case.mode == "given"):
            return Answer(case.id, failure=Failure("handwritten", f"IndexError: {name}", panic=True))
        return Answer(case.id)

    asked: list[tuple[str, str]] = []

    def ask(cases: list[Case]) -> list[Answer]:
        asked.extend((case.object["metadata"]["name"], case.mode) for case in cases)
        return [answered(case) for case in cases]

    objects = [{"metadata": {"name": name}} for name in ("fine", "bare", "always")]
    drive(search.show([(request, obj, None, obj) for obj in objects], {}), ask)
    assert asked == [(name, "given") for name in ("fine", "bare", "always")]
    drive(search.settle(), ask)
    assert {("bare", "served"), ("always", "served")} <= set(asked)
    assert ["IndexError: always; a validator crashed"] == [
        packed.unpack().detail for packed in search.ledger.findings()
    ]


def test_only_a_target_that_counts_is_asked_for_blocks() -> None:
    """By the name of the unit, once for a batch, and the cases that findings keep are the same in every run."""
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=100)), Callbacks(), Clock())
    search = local._search(local.units[0], 100)
    cases = search.cases_of([(RequestKind(search.plan.unit.requests[0].info, Operation.CREATE), {}, None, None)] * 2)
    assert cases is search.to_send(cases)
    search.plan.counts_blocks = True
    assert ["", search.plan.unit.name] == [case.blocks for case in search.to_send(cases)]
    assert ["", ""] == [case.blocks for case in cases]
    assert [] == search.to_send([])


@pytest.mark.parametrize(("able", "first", "rest"), [(True, tuning.TAGGED_FIRST, 3), (False, 0, 0)])
def test_the_list_of_the_tags_is_asked_for_a_share_of_the_cases(able: bool, first: int, rest: int) -> None:
    """The first of what is wanted with it, then one of so many, and a sample; a target without tags has none."""
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=9000)), Callbacks(), Clock())
    search = local._search(local.units[0], None)
    search.plan.abilities = replace(search.plan.abilities, compiled=able)
    request = RequestKind(search.plan.unit.requests[0].info, Operation.CREATE)
    asked: list[bool] = []

    def ask(cases: list[Case]) -> list[Answer]:
        asked.extend(case.compiled for case in cases)
        return [Answer(case.id) for case in cases]

    specs = [(request, {"spec": number}, None, None) for number in range(tuning.TAGGED_FIRST)]
    drive(search.ask(specs, settle=False, compiled=True), ask)
    assert first == sum(asked)
    room = (3 * tuning.TAGGED_FIRST) // tuning.TAGGED_PART
    drive(search.ask(2 * specs, settle=False, compiled=True), ask)
    assert (room if able else 0) <= sum(asked) - first <= (room + rest + 1)
    before, plain = sum(asked), [(request, {"spec": number}, None, None) for number in range(3 * tuning.TAGGED_PERIOD)]
    drive(search.ask(plain, settle=False), ask)
    assert rest == sum(asked) - before
