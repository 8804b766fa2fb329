"""Exceptions beside a report: what is tolerated, what must go, and what a run cannot say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import msgspec
import pytest

from harness.case import Case, Operation
from harness.errormatch.exceptionentry import ANY, ExceptionSpec
from harness.errormatch.exceptionfile import ExceptionFile
from harness.errormatch.witness import Shown, Witness
from harness.events import Replayed
from harness.reporting.assembly import build_report
from harness.reporting.document import Reach, Report
from harness.reporting.exceptions import Words, entry_of, group_entry
from harness.reporting.grouping import group
from harness.reporting.tolerance import gone, idle_rules, must_go, standings, tolerate
from harness.reporting.witnesses import seen_in, witness_of
from tests.reporting import made

TODAY = date(2026, 11, 21)
WORDS = Words("why", "sig-a", date(2027, 1, 31), "https://x")
OTHER = Case(
    1, "example.io", "v1", "Widget", Operation.CREATE, {"spec": {"color": "red"}}, resource="widgets"
)  # fmt: skip
FOUND = made.finding(owner="example.io/widgets.Spec", member="size")


def report(*findings: Any, **more: Any) -> Report:
    narrowed = more.pop("narrowed", ())
    reach = more.pop("reach", Reach("suite", "suites/widgets_v1"))
    made_report = build_report(made.result(*findings, **more), reaches={"widgets_v1": reach})
    return msgspec.structs.replace(made_report, narrowed=narrowed)


def entry(found: Any = FOUND, **more: Any) -> ExceptionSpec:
    one = report(found)
    return replace(entry_of(one.findings[0], one, WORDS), **more)


def grouped(*findings: Any) -> ExceptionSpec:
    one = report(*findings)
    return group_entry(group(one.findings)[0], one, WORDS)


def witness(own: ExceptionSpec, *findings: Any) -> Witness:
    """The witness of an entry, made of the findings that it tolerates."""
    made_of = witness_of(own, own.suite, seen_in(report(*findings), own))
    assert made_of is not None
    return made_of


def file(*entries: ExceptionSpec, of: tuple[Any, ...] = (FOUND,)) -> ExceptionFile:
    """Entries, each with a witness: the findings that it tolerates."""
    return ExceptionFile(entries, TODAY, {one.id: witness(replace(one, suite="widgets_v1"), *of) for one in entries})


def shown(found: Any) -> Shown:
    """What a case shows that shows a finding."""
    return Shown(
        found.kind, found.path, found.mismatch, found.type, found.origin, found.side, found.owner, found.member
    )


def replayed(own: ExceptionSpec, *findings: Any, case: int = 0, failure: str = "") -> tuple[Replayed, ...]:
    """What a run says of the witness of an entry: its case shows these."""
    return (Replayed(own.id, case, tuple(map(shown, findings)), failure),)


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


@pytest.mark.parametrize("findings", [(), (FOUND,)], ids=["not met", "met"])
def test_unused_is_what_its_witness_shows_no_more(findings: tuple[Any, ...]) -> None:
    """Whatever the search met: that would depend on the speed of the machine."""
    own = entry()
    run = report(*findings, replayed=replayed(own))
    judged = tolerate(run, file(own), "e.yaml")
    assert ("different", [own.id], ()) == (
        judged.verdict, [one.id for one in judged.exceptions.unused], judged.exceptions.used,
    )  # fmt: skip
    assert ([], ["idle"]) == (list(judged.open_findings), [one.state for one in standings(file(own), run)])
    told = must_go("unused", judged.exceptions.unused[0])
    assert ("witness --report" in told, "prune --report" in told) == (bool(findings), not findings)


def test_a_witness_that_shows_makes_the_entry_used() -> None:
    """However little the search met; what else its case shows does not matter, nor how bad it is."""
    own = entry()
    other = made.finding("f" * 12, path="spec.name")
    run = report(replayed=replayed(own, other, made.finding(severity="verdict", cause="masked")))
    judged = tolerate(run, file(own), "e.yaml")
    [used] = judged.exceptions.used
    assert ("equivalent", own.id, (), 1, 1) == (judged.verdict, used.id, used.findings, used.witnessed, used.shown)


def test_a_witness_that_shows_something_else_does_not() -> None:
    """Another field, error or side is another difference."""
    own = entry()
    for other in ({"path": "spec.name"}, {"type": "FieldValueRequired"}, {"mismatch": "extra"}, {"origin": "x"}):
        run = report(replayed=replayed(own, made.finding(**other)))
        assert 1 == len(tolerate(run, file(own), "e.yaml").exceptions.unused), other


def test_an_entry_without_a_witness_fails_the_run() -> None:
    """Found or not: nothing says whether it is needed. One of every suite cannot have one."""
    own = replace(file(entry()), witnesses={})
    for run in (report(), report(FOUND)):
        judged = tolerate(run, own, "e.yaml")
        assert ("different", 1) == (judged.verdict, len(judged.exceptions.unwitnessed))
    assert "exceptions witness" in must_go(*judged.exceptions.failing[0])
    assert ["no witness"] == [one.state for one in standings(own, None)]
    other = replace(own, entries=(entry(suite="other_v1"), entry(suite=ANY)))
    assert () == tolerate(report(), other, "e.yaml").exceptions.failing


def test_an_entry_that_ended_fails_the_run_and_tolerates_nothing() -> None:
    """Whatever was found."""
    judged = tolerate(report(FOUND), file(entry(until=date(2026, 11, 20))), "e.yaml")
    assert (1, 1) == (judged.totals.findings, len(judged.exceptions.expired))


UNTRIED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"narrowed": ("--kind widgets",)}, "the run was narrowed: --kind widgets"),
    ({}, {"shard": "1/2"}, "this is a shard; harness merge brings all of them together"),
    ({}, {"reach": Reach("suite", "x", against="y")}, "the run asked another question"),
    ({}, {"replayed": (Replayed("x", 0),)}, "the run did not ask all of its witness"),
    ({"suite": "other_v1"}, {}, "the run did not ask other_v1"),
]


@pytest.mark.parametrize(("of_entry", "of_run", "why"), UNTRIED, ids=[why for _, _, why in UNTRIED])
def test_what_was_not_asked_is_not_missed(of_entry: dict[str, Any], of_run: dict[str, Any], why: str) -> None:
    """The run does not fail for it, says why it cannot tell, and prune leaves it alone."""
    own, run = entry(**of_entry), report(**of_run)
    assert () == tolerate(run, file(own), "e.yaml").exceptions.failing
    assert [("not tried", why)] == [(one.state, one.why) for one in standings(file(own), run)]
    assert [] == gone(file(own), [run])


def test_a_witness_that_was_not_answered_says_nothing() -> None:
    """The worker died of it, say."""
    own = entry()
    run = report(replayed=replayed(own, failure="killed"))
    assert [("not tried", "its witness was not answered: killed")] == [
        (one.state, one.why) for one in standings(file(own), run)
    ]


def test_a_witness_of_another_release_is_not_asked() -> None:
    """What it shows there says nothing of the release that the run asked."""
    own = file(entry())
    of = {name: msgspec.structs.replace(one, release="1.2") for name, one in own.witnesses.items()}
    assert ["its witness is of 1.2, and the run asked no release"] == [
        one.why for one in standings(replace(own, witnesses=of), report())
    ]


def test_several_reports_prune_together() -> None:
    """What one shows another cannot take out, and shards add up."""
    own = entry()
    without, with_it = report(replayed=replayed(own)), report(replayed=replayed(own, FOUND))
    assert [own] == [one.entry for one in gone(file(own), [report(), without])]
    assert [] == gone(file(own), [without, with_it])


def test_rules_that_no_case_shows_any_more() -> None:
    """Of a group that is needed, single rules are idle when a case was to show them and does not."""
    first = made.finding(owner=FOUND.owner, member="size", cause="ratcheting")
    other = made.finding("f" * 12, cause="ratcheting", owner=FOUND.owner, member="color", path="spec.color", case=OTHER)
    own = grouped(first, other)
    [one, two] = witness(own, first, other).cases
    assert {"size", "color"} == {shows.member for case in (one, two) for shows in case.shows}
    at = {case.shows[0].member: number for number, case in enumerate((one, two))}
    both = (*replayed(own, first, case=at["size"]), *replayed(own, case=at["color"]))
    assert ["color"] == [one.member for one in idle_rules(own, witness(own, first, other), [report(replayed=both)])]
    assert () == idle_rules(own, witness(own, first, other), [report(replayed=both[:1])])
    assert () == idle_rules(own, None, [report(replayed=both)])


def test_an_entry_for_a_finding_tolerates_it_and_nothing_else() -> None:
    """Its scope is the finding's own."""
    own = entry()
    assert own.tolerates(report(FOUND).findings[0], "widgets_v1")
    assert not own.tolerates(report(made.finding(path="spec.name")).findings[0], "widgets_v1")
    assert "widgets_v1" == own.suite


def test_an_entry_for_a_group_names_its_rules() -> None:
    """Findings of one rule with different severities give one rule with the worst."""
    milder = made.finding("e" * 12, owner=FOUND.owner, member="size", severity="shadow", operation="create")
    assert ["size FieldValueInvalid unmatched graduation"] == [str(rule) for rule in grouped(FOUND, milder).rules]
