"""The Hypothesis door: what is drawn, what is found, and what it shrinks to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import find, given, settings

from harness.case import Json
from harness.diagnostics import UsageError
from harness.strategies import ask, differences, objects, pairs

ROOT = Path(__file__).parent.parent
MIGRATION = ROOT / "examples" / "migration"
HEAD = {"apiVersion": "backup.example.com/v1", "kind": "Backup"}
ACCEPTED = {**HEAD, "spec": {"schedule": "nightly", "keepDays": 7}}

quick = settings(max_examples=1000, database=None, derandomize=True)


def first_difference(new: Json, old: Json = None) -> tuple[str, str] | None:
    """Kind and path of the first difference."""
    found = differences(MIGRATION, "Backup", new, old)
    return (found[0].kind, found[0].path) if found else None


def test_a_limit_is_found_and_shrinks_to_the_day_on_which_they_differ() -> None:
    """The planted difference of the limits shrinks to 29 days."""
    found = find(
        objects(MIGRATION, "Backup"), lambda new: first_difference(new) == ("extra", "spec.keepDays"), settings=quick
    )
    assert 29 == found["spec"]["keepDays"]


def test_a_difference_of_updates_is_found() -> None:
    """The planted difference of ratcheting needs an old object that breaks the rule, and shrinks to no change of it."""
    wanted = ("unmatched", "spec.destination")
    old, new = find(
        pairs(MIGRATION, "Backup"), lambda pair: first_difference(pair[1], pair[0]) == wanted, settings=quick
    )
    assert old["spec"]["destination"] == new["spec"]["destination"]
    assert 33 <= len(new["spec"]["destination"])


@settings(max_examples=30, database=None, deadline=None)
@given(objects(ROOT / "suites" / "workload_v1", "Scale"))
def test_objects_say_what_they_are(value: dict[str, Any]) -> None:
    """Everything drawn has the header of its kind, even for a kind that is a subresource only."""
    assert ("fleet.example.com/v1", "Scale") == (value["apiVersion"], value["kind"])


def test_an_answer_can_be_asked_for() -> None:
    """Both lists of one object or pair, for a test that looks closer."""
    assert () == ask(MIGRATION, "Backup", ACCEPTED).declarative
    changed = {**ACCEPTED, "spec": {"schedule": "weekly", "keepDays": 7}}
    answer = ask(MIGRATION, "Backup", changed, ACCEPTED)
    assert ["immutable"] == [error.origin for error in answer.handwritten]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"kind": "Bakup"}, "did you mean Backup?"),
        ({"kind": "Backup", "version": "v2"}, "it serves backup.example.com/v1 backups"),
        ({"kind": "Backup", "subresource": "status"}, "it serves backup.example.com/v1 backups"),
    ],
)
def test_what_is_not_served_is_refused(arguments: dict[str, str], words: str) -> None:
    """A wrong name is told the right ones."""
    with pytest.raises(UsageError) as refused:
        ask(MIGRATION, new=ACCEPTED, **arguments)
    assert words in str(refused.value)
