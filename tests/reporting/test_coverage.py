"""What a report says of rules adds up, of a run and of shards."""

from __future__ import annotations

from harness.reporting.coverage import Coverage, RuleEntry, UncoveredEntry, coverage_of, with_rule, with_uncovered
from tests.reporting.ruled import rule

ERROR = UncoveredEntry("s", "g", "v1", "K", "f", "FieldValueRequired", "", 3, "f: Required value")


def test_sums() -> None:
    """Each sum counts its own; rules that nobody asked about are declared all the same."""
    rules = [
        rule(declarative=("create",), handwritten=("create",), accepted=True, rejected=True, first=2.0, limit=3),
        rule(path="b", declarative=("update",), first=31.0, limit=3),
        rule(path="c", asked=False, cannot="why"),
    ]
    assert coverage_of(rules) == Coverage(
        declared=3, asked=2, fired=2, early=1, handwritten=1, accepted=1, limits=2, at_limit=1, beyond=1, cannot=1
    )


def test_what_two_searches_saw_of_a_rule() -> None:
    """Operations and parts of both, the earlier of two times."""
    one = rule(declarative=("update",), first=9.0, parts=("a",), unserved=True)
    other = rule(declarative=("create",), handwritten=("create",), first=4.0, parts=("b",), rejected=True)
    assert with_rule(one, other) == rule(
        declarative=("create", "update"), handwritten=("create",), first=4.0, parts=("a", "b"), rejected=True
    )


def test_a_rule_that_one_search_did_not_see_is_as_the_other_saw_it() -> None:
    """Silence adds nothing and takes nothing."""
    silent, loud = rule(asked=False), rule(declarative=("create",), first=1.0, unserved=True)
    assert with_rule(silent, loud) == loud
    assert with_rule(loud, silent) == loud


def test_a_rule_that_one_search_could_not_fire_and_another_did_can_fire() -> None:
    """What was seen outweighs what was thought."""
    idle, loud = rule(cannot="nobody runs it"), rule(declarative=("create",), first=1.0)
    assert with_rule(idle, loud).cannot == with_rule(loud, idle).cannot == ""
    assert with_rule(idle, rule()).cannot == with_rule(rule(), idle).cannot == "nobody runs it"


def test_errors_without_a_rule_are_counted_together() -> None:
    """The first message stays as the example."""
    assert with_uncovered(ERROR, ERROR).count == 6
    assert isinstance(rule(), RuleEntry)
