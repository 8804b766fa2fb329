"""Exceptions beside a report: what is tolerated, what must go, and what a run cannot say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import msgspec
import pytest

from harness.case import TargetInfo
from harness.errormatch.exceptionentry import ANY, ExceptionEntry, Occurs
from harness.errormatch.exceptionfile import ExceptionFile
from harness.events import Budget
from harness.reporting.assembly import build_report
from harness.reporting.document import Reach, Report
from harness.reporting.excepting import Words, entry_of, group_entry
from harness.reporting.grouping import group
from harness.reporting.tolerance import gone, idle_rules, standings, tolerate, untried
from tests.reporting import made

TODAY = date(2026, 11, 21)
WORDS = Words("why", "sig-a", date(2027, 1, 31), "https://x")
FOUND = made.finding(owner="example.io/widgets.Spec", member="size")


def report(*findings: Any, **more: Any) -> Report:
    narrowed = more.pop("narrowed", ())
    reach = more.pop("reach", Reach("suite", "suites/widgets_v1"))
    made_report = build_report(made.result(*findings, **more), reaches={"widgets_v1": reach})
    return msgspec.structs.replace(made_report, narrowed=narrowed)


def entry(found: Any = FOUND, **more: Any) -> ExceptionEntry:
    one = report(found)
    return replace(entry_of(one.findings[0], one, WORDS, sometimes=False), **more)


def grouped(*findings: Any) -> ExceptionEntry:
    one = report(*findings)
    return group_entry(group(one.findings)[0], one, WORDS, sometimes=True)


def file(*entries: ExceptionEntry) -> ExceptionFile:
    return ExceptionFile(entries, TODAY)


def test_what_is_tolerated_makes_no_difference() -> None:
    """The finding stays in the report, with the id of its entry, and the verdict is as without it."""
    own = entry()
    judged = tolerate(report(FOUND), file(own), "e.yaml")
    assert ("equivalent", own.id) == (judged.verdict, judged.findings[0].exception)
    assert [(own.id, ("0123456789ab",))] == [(one.id, one.findings) for one in judged.exceptions.used]
    assert (0, 1) == (judged.totals.findings, judged.totals.tolerated)


def test_without_a_file_nothing_is_judged() -> None:
    """A report is as it was."""
    assert report(FOUND) == tolerate(report(FOUND), None, "")


def test_the_parts_of_a_run_share_their_exceptions() -> None:
    """An entry speaks of what shows under any setting of the gates, and one part that needs it is enough."""
    both = [made.result(FOUND, subject="kubernetes", part=part) for part in ("kubernetes", "kubernetes AllAlpha=true")]
    one = build_report(both, reaches={"kubernetes": Reach("kubernetes", "1.37.1")})
    judged = tolerate(one, file(entry(suite="kubernetes")), "e.yaml")
    assert 2 == judged.totals.tolerated
    assert "equivalent" == judged.verdict


def test_an_entry_that_nothing_needs_fails_the_run() -> None:
    """When the run tried."""
    judged = tolerate(report(), file(entry()), "e.yaml")
    assert ("different", 1) == (judged.verdict, len(judged.exceptions.unused))


def test_an_entry_that_ended_fails_the_run_and_tolerates_nothing() -> None:
    """Whatever was found."""
    judged = tolerate(report(FOUND), file(entry(until=date(2026, 11, 20))), "e.yaml")
    assert (1, 1) == (judged.totals.findings, len(judged.exceptions.expired))


UNTRIED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"narrowed": ("--kind widgets",)}, "the run was narrowed: --kind widgets"),
    ({}, {"shard": "1/2"}, "this is a shard; harness merge brings all of them together"),
    ({}, {"stopped": "interrupted"}, "the search was broken off"),
    ({}, {"stopped": "target-lost"}, "the search was broken off"),
    ({}, {"kinds": (made.kind_report(error="bug"),)}, "example.io/v1 widgets update was not compared"),
    ({}, {"kinds": (made.kind_report(cases=9, failures=9),)}, "example.io/v1 widgets update was not compared"),
    ({}, {"reach": Reach("suite", "x", against="y")}, "the run asked another question"),
    ({"suite": "other_v1"}, {}, "the run did not ask other_v1"),
    ({"suite": ANY}, {}, "it is of every suite, and no run asks them all"),
    ({"occurs": Occurs(sometimes=True)}, {}, "it occurs only sometimes"),
    ({"occurs": Occurs(cases=101)}, {}, "it occurs within 101 cases, and these were 100"),
    ({"occurs": Occurs(cases=1, release="1.37.1")}, {}, "it is known of 1.37.1, and the run asked no release"),
]


@pytest.mark.parametrize(("of_entry", "of_run", "why"), UNTRIED, ids=[why for _, _, why in UNTRIED])
def test_what_was_not_tried_is_not_missed(of_entry: dict[str, Any], of_run: dict[str, Any], why: str) -> None:
    """The run does not fail for it, says why it cannot tell, and prune leaves it alone."""
    own, run = entry(**of_entry), report(**of_run)
    assert why == untried(own, run)
    assert () == tolerate(run, file(own), "e.yaml").exceptions.unused
    assert [("not tried", why)] == [(one.state, one.why) for one in standings(file(own), run)]
    assert [] == gone(file(own), [run])


def test_a_kind_that_broke_says_nothing_of_others() -> None:
    """An entry for one kind is tried when that kind was compared."""
    kinds = (made.kind_report(), made.kind_report(kind=msgspec.structs.replace(made.WIDGET, kind="Other"), error="bug"))
    assert "" == untried(entry(), report(kinds=kinds))


def test_what_occurs_sometimes_needs_three_seeds() -> None:
    """The same seed again proves nothing new."""
    own = file(entry(occurs=Occurs(sometimes=True)))
    assert [] == gone(own, [report(seed=1), report(seed=2), report(seed=2)])
    assert [] == gone(own, [report(seed=1), report(seed=2), report(FOUND, seed=3)])
    assert [own.entries[0]] == [one.entry for one in gone(own, [report(seed=1), report(seed=2), report(seed=3)])]


def test_rules_that_nobody_needs() -> None:
    """Of a group that is needed, single rules go when three searches missed them."""
    found = msgspec.structs.replace(FOUND, cause="ratcheting")
    own = grouped(found, msgspec.structs.replace(found, fingerprint="f" * 12, member="color"))
    runs = [report(found, seed=seed) for seed in (1, 2, 3)]
    assert [] == gone(file(own), runs)
    assert () == idle_rules(own, runs[:2])
    assert ["color"] == [rule.member for rule in idle_rules(own, runs)]


def test_an_entry_for_a_finding_tolerates_it_and_nothing_else() -> None:
    """Its scope is the finding's own, and a run as long as this one can say when it is gone."""
    own = entry()
    assert own.tolerates(report(FOUND).findings[0], "widgets_v1")
    assert not own.tolerates(report(made.finding(path="spec.name")).findings[0], "widgets_v1")
    assert ("within 100 cases", "widgets_v1") == (str(own.occurs), own.suite)


def test_an_entry_for_a_group_names_its_rules() -> None:
    """Findings of one rule with different severities give one rule with the worst."""
    milder = made.finding("e" * 12, owner=FOUND.owner, member="size", severity="shadow", operation="create")
    assert ["size FieldValueInvalid unmatched graduation"] == [str(rule) for rule in grouped(FOUND, milder).rules]


def test_of_a_narrow_run_nobody_knows_how_much_is_enough() -> None:
    """Its entries are judged by any whole run."""
    one = report(FOUND, narrowed=("--kind widgets",))
    assert Occurs() == entry_of(one.findings[0], one, WORDS, sometimes=False).occurs


def test_cases_of_a_budget_do_not_count_what_reducing_took() -> None:
    """The next run has the same budget and may reduce less."""
    one = report(FOUND, budget=Budget(None, 60), target=TargetInfo("w", kinds=(made.WIDGET,), gates={}, release="1.2"))
    assert Occurs(cases=60, release="1.2") == entry_of(one.findings[0], one, WORDS, sometimes=False).occurs
