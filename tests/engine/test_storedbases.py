"""Updates of somebody's own server are made to what it stores."""

from __future__ import annotations

from typing import Any

from harness.case import Case, Operation
from harness.diagnostics import TargetError
from harness.engine.config import RunConfig
from harness.engine.local import Callbacks, Local
from harness.engine.storedbases import MOST, rebase
from harness.engine.units import RequestKind
from harness.events import Budget
from harness.fuzzers.budget import Clock
from tests.engine.toys import ToySpec, ToySubject

FIRST: Any = {"metadata": {"name": "x"}, "spec": {"size": 1, "items": [{"a": 1, "b": 2}]}}
SECOND: Any = {"metadata": {"name": "y"}, "spec": {}}


def test_what_an_update_changes_is_changed_in_a_stored_object() -> None:
    """Members and items that it leaves as they were stay those of the stored object."""
    old = {"metadata": {"name": "a"}, "spec": {"size": 5, "items": [{"a": 7}], "gone": 1}}
    new = {"metadata": {"name": "a"}, "spec": {"size": -1, "items": [{"a": 8}]}}
    changed = {"metadata": {"name": "x"}, "spec": {"size": -1, "items": [{"a": 8, "b": 2}]}}
    assert (changed, FIRST) == rebase([FIRST], 3, new, old)
    assert (FIRST, FIRST) == rebase([FIRST], 3, old, old)


def test_stored_objects_take_turns_and_stay_as_they_are() -> None:
    """An update of one of them is what it is, and so is any where the target stores nothing."""
    assert [FIRST, SECOND, FIRST] == [rebase([FIRST, SECOND], number, {}, {})[1] for number in (2, 3, 4)]
    assert ({}, SECOND) == rebase([FIRST, SECOND], 2, {}, SECOND)
    assert ({}, {"a": 1}) == rebase((), 2, {}, {"a": 1})


def test_a_kind_is_listed_once_and_without_secrets() -> None:
    """A few objects of it; what cannot be listed is told, and loses its updates, and nothing else."""
    subject: Any = ToySubject(ToySpec())
    listed: list[str] = []

    def lists(info: Any, show: Any) -> Any:
        listed.append(info.resource)
        if info.resource == "gadgets":
            raise TargetError("may not list")
        return iter([show({**FIRST, "kind": "Secret", "data": {"a": "aGlkZQ=="}})] * 9)

    subject.lists, notes = lists, list[str]()
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=100)), Callbacks(note=notes.append), Clock())
    both, creates = local.units, local.units[1]
    assert ["gadgets", "widgets"] == sorted(listed)
    assert [{Operation.CREATE, Operation.UPDATE}, {Operation.CREATE}] == [
        {one.operation for one in unit.requests} for unit in (both[0], creates)
    ]
    assert [0, 1] == [unit.index for unit in both]
    assert 1 == sum("cannot be listed: may not list" in note for note in notes)
    plan = local._plan(both[0], 10)
    assert MOST == len(plan.stored)
    assert "aGlkZQ==" not in str(plan.stored)
    assert () == local._plan(creates, 10).stored


def test_every_update_of_a_search_is_made_to_one() -> None:
    """Creates are not touched."""
    subject: Any = ToySubject(ToySpec())
    subject.lists = lambda info, show: iter([FIRST])
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=100)), Callbacks(), Clock())
    search = local._search(local.units[0], 100)
    info = search.plan.unit.requests[0].info
    old, new = {"spec": {"size": 2}}, {"spec": {"size": 3}}
    asked: list[Case] = search.cases_of(
        [(RequestKind(info, Operation.UPDATE), new, old, old), (RequestKind(info, Operation.CREATE), new, None, old)]
    )
    assert [FIRST, None] == [case.old for case in asked]
    assert [3, {"spec": {"size": 3}}] == [asked[0].object["spec"]["size"], asked[1].object]
