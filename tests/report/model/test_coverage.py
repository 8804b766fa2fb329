"""Rule coverage adds up, in a run and over shards."""

from __future__ import annotations

import pytest

from harness.field.unaccepted import UNTRIED, ErrorAt, Reason, Unaccepted
from harness.report.model.coverage import (
    Coverage,
    RuleEntry,
    UncoveredEntry,
    combine_rules,
    combine_uncovered,
    sum_coverage,
)
from tests.report.ruled import rule

ERROR = UncoveredEntry("s", "g", "v1", "K", "f", "FieldValueRequired", "", 3, "f: Required value")


def test_sums() -> None:
    """Each number counts its own rules; rules without cases count as declared."""
    rules = [
        rule(declarative=("create",), handwritten=("create",), accepted=True, rejected=True, first=2.0, limit=3),
        rule(path="b", declarative=("update",), first=31.0, limit=3),
        rule(path="c", asked=False, cannot="why"),
    ]
    assert sum_coverage(rules) == Coverage(
        declared=3, asked=2, fired=2, early=1, handwritten=1, accepted=1, limits=2, at_limit=1, beyond=1, cannot=1
    )


def test_observations_of_two_searches_are_combined() -> None:
    """The result has the operations and parts of both, and the earlier time."""
    one = rule(declarative=("update",), first=9.0, parts=("a",), unserved=True)
    other = rule(declarative=("create",), handwritten=("create",), first=4.0, parts=("b",), rejected=True)
    assert combine_rules(one, other) == rule(
        declarative=("create", "update"), handwritten=("create",), first=4.0, parts=("a", "b"), rejected=True
    )


def test_an_empty_observation_changes_nothing() -> None:
    """A rule that only one search observed has the observations of that search."""
    silent, loud = rule(asked=False), rule(declarative=("create",), first=1.0, unserved=True)
    assert combine_rules(silent, loud) == loud
    assert combine_rules(loud, silent) == loud


def test_a_rule_that_fired_can_fire() -> None:
    """A rule that one search proves not to fire can fire if it fired in another search."""
    idle, loud = rule(cannot="nobody runs it"), rule(declarative=("create",), first=1.0)
    assert combine_rules(idle, loud).cannot == combine_rules(loud, idle).cannot == ""
    assert combine_rules(idle, rule()).cannot == combine_rules(rule(), idle).cannot == "nobody runs it"


def test_errors_without_a_rule_are_counted_together() -> None:
    """The message is that of the first one."""
    assert combine_uncovered(ERROR, ERROR).count == 6
    assert isinstance(rule(), RuleEntry)


def unaccepted(reason: Reason, *paths: str, more: int = 0, message: str = "") -> Unaccepted:
    """Return a reason, with errors at these paths."""
    errors = tuple(ErrorAt(path, "FieldValueRequired") for path in paths)
    return Unaccepted(reason, len(paths) + more, errors, message)


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (unaccepted("rejected", "z"), unaccepted("rejected", "a", "b")),
        (unaccepted("rejected", "a", "b", "c"), unaccepted("rejected", "a", "b", "c", more=1)),
        (unaccepted("rejected", "a"), unaccepted("rejected", "b")),
        (unaccepted("rejected", "a", "b", "c", more=80), unaccepted("failed", message="decode: no")),
        (unaccepted("failed", message="decode: a"), unaccepted("failed", message="decode: b")),
        (unaccepted("failed", message="decode: no"), UNTRIED),
        (UNTRIED, None),
    ],
)
def test_the_reason_of_two_searches_is_that_of_the_nearest_object(near: Unaccepted, far: Unaccepted | None) -> None:
    """Fewer errors first, then by their text, so that the order of searches does not matter."""
    one, other = rule(limit=3, unaccepted=near), rule(limit=3, unaccepted=far)
    assert near == combine_rules(one, other).unaccepted == combine_rules(other, one).unaccepted


def test_a_limit_that_one_search_accepts_has_no_reason() -> None:
    """Whatever stood in the way of the other search."""
    one, other = rule(limit=3, accepted=True), rule(limit=3, unaccepted=unaccepted("rejected", "a"))
    assert combine_rules(one, other).unaccepted is None
    assert combine_rules(other, one).unaccepted is None


def test_reasons_are_counted() -> None:
    """Those that no rule has are left out."""
    rules = [
        rule(limit=3, unaccepted=UNTRIED), rule(path="b", limit=3, unaccepted=unaccepted("rejected", "a")),
        rule(path="c", limit=3, unaccepted=UNTRIED), rule(path="d", limit=3, accepted=True), rule(path="e"),
    ]  # fmt: skip
    assert sum_coverage(rules).unaccepted == {"rejected": 1, "untried": 2}
