"""The exceptions file applied to a report: tolerated findings, failing entries, and entries of unknown state."""

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
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach, Report
from harness.report.model.exceptions import (
    AuthorFields,
    create_exception,
    create_group_exception,
    create_witness,
    find_witness_cases,
)
from harness.report.model.grouping import group
from harness.report.model.tolerance import (
    describe_failing_exception,
    determine_statuses,
    find_idle,
    idle_rules,
    tolerate,
)
from tests.report import made

TODAY = date(2026, 11, 21)
WORDS = AuthorFields("why", "sig-a", date(2027, 1, 31), "https://x")
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
    return replace(create_exception(one.findings[0], one, WORDS), **more)


def grouped(*findings: Any) -> ExceptionSpec:
    one = report(*findings)
    return create_group_exception(group(one.findings)[0], one, WORDS)


def witness(own: ExceptionSpec, *findings: Any) -> Witness:
    """Return the witness of an entry, with the findings that it tolerates as cases."""
    made_of = create_witness(own, own.suite, find_witness_cases(report(*findings), own))
    assert made_of is not None
    return made_of


def file(*entries: ExceptionSpec, of: tuple[Any, ...] = (FOUND,)) -> ExceptionFile:
    """Return an exceptions file with these entries, each with a witness."""
    return ExceptionFile(entries, TODAY, {one.id: witness(replace(one, suite="widgets_v1"), *of) for one in entries})


def shown(found: Any) -> Shown:
    """Return what a case of a witness shows if it shows a finding."""
    return Shown(
        found.kind, found.path, found.mismatch, found.type, found.origin, found.side, found.owner, found.member
    )


def replayed(own: ExceptionSpec, *findings: Any, case: int = 0, failure: str = "") -> tuple[Replayed, ...]:
    """Return the replayed case of an entry's witness, which shows these findings."""
    return (Replayed(own.id, case, tuple(map(shown, findings)), failure),)


def test_a_tolerated_finding_does_not_change_the_verdict() -> None:
    """It stays in the report with the ID of its entry, and the verdict is that without it."""
    own = entry()
    judged = tolerate(report(FOUND), file(own), "e.yaml")
    assert ("equivalent", own.id) == (judged.verdict, judged.findings[0].exception)
    assert [(own.id, ("0123456789ab",))] == [(one.id, one.findings) for one in judged.exceptions.used]
    assert (0, 1) == (judged.totals.findings, judged.totals.tolerated)


def test_without_a_file_the_report_is_unchanged() -> None:
    """Nothing is tolerated, and no entry has a state."""
    assert report(FOUND) == tolerate(report(FOUND), None, "")


def test_the_parts_of_a_run_share_their_exceptions() -> None:
    """An entry applies to all gate settings, and is used if one part needs it."""
    both = [made.result(FOUND, subject="kubernetes", part=part) for part in ("kubernetes", "kubernetes AllAlpha=true")]
    one = build_report(both, reaches={"kubernetes": Reach("kubernetes", "1.37.1")})
    judged = tolerate(one, file(entry(suite="kubernetes")), "e.yaml")
    assert 2 == judged.totals.tolerated
    assert "equivalent" == judged.verdict


@pytest.mark.parametrize("findings", [(), (FOUND,)], ids=["not met", "met"])
def test_an_entry_is_unused_if_its_witness_no_longer_shows_the_difference(findings: tuple[Any, ...]) -> None:
    """The findings of the search do not matter, because they depend on the speed of the machine."""
    own = entry()
    run = report(*findings, replayed=replayed(own))
    judged = tolerate(run, file(own), "e.yaml")
    assert ("different", [own.id], ()) == (
        judged.verdict, [one.id for one in judged.exceptions.unused], judged.exceptions.used,
    )  # fmt: skip
    assert ([], ["idle"]) == (list(judged.open_findings), [one.state for one in determine_statuses(file(own), run)])
    told = describe_failing_exception("unused", judged.exceptions.unused[0])
    assert ("witness --report" in told, "prune --report" in told) == (bool(findings), not findings)


def test_an_entry_is_used_if_its_witness_shows_the_difference() -> None:
    """The findings of the search, other differences of its case and the severity do not matter."""
    own = entry()
    other = made.finding("f" * 12, path="spec.name")
    run = report(replayed=replayed(own, other, made.finding(severity="verdict", cause="masked")))
    judged = tolerate(run, file(own), "e.yaml")
    [used] = judged.exceptions.used
    assert ("equivalent", own.id, (), 1, 1) == (judged.verdict, used.id, used.findings, used.witnessed, used.shown)


def test_a_witness_with_another_difference_does_not_count() -> None:
    """A difference in another field, error or validator is another difference."""
    own = entry()
    for other in ({"path": "spec.name"}, {"type": "FieldValueRequired"}, {"mismatch": "extra"}, {"origin": "x"}):
        run = report(replayed=replayed(own, made.finding(**other)))
        assert 1 == len(tolerate(run, file(own), "e.yaml").exceptions.unused), other


def test_an_entry_without_a_witness_fails_the_run() -> None:
    """It fails whether findings need it or not. An entry for all suites cannot have a witness."""
    own = replace(file(entry()), witnesses={})
    for run in (report(), report(FOUND)):
        judged = tolerate(run, own, "e.yaml")
        assert ("different", 1) == (judged.verdict, len(judged.exceptions.unwitnessed))
    assert "exceptions witness" in describe_failing_exception(*judged.exceptions.failing[0])
    assert ["no witness"] == [one.state for one in determine_statuses(own, None)]
    other = replace(own, entries=(entry(suite="other_v1"), entry(suite=ANY)))
    assert () == tolerate(report(), other, "e.yaml").exceptions.failing


def test_an_expired_entry_fails_the_run_and_tolerates_nothing() -> None:
    """It does so with and without findings."""
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
def test_an_entry_that_was_not_tried_does_not_fail_the_run(
    of_entry: dict[str, Any], of_run: dict[str, Any], why: str
) -> None:
    """Its state has the reason, and `harness exceptions prune` keeps it."""
    own, run = entry(**of_entry), report(**of_run)
    assert () == tolerate(run, file(own), "e.yaml").exceptions.failing
    assert [("not tried", why)] == [(one.state, one.why) for one in determine_statuses(file(own), run)]
    assert [] == find_idle(file(own), [run])


def test_a_witness_without_an_answer_does_not_count() -> None:
    """For example, the worker crashed."""
    own = entry()
    run = report(replayed=replayed(own, failure="killed"))
    assert [("not tried", "its witness was not answered: killed")] == [
        (one.state, one.why) for one in determine_statuses(file(own), run)
    ]


def test_a_witness_of_another_release_is_not_replayed() -> None:
    """The difference may not exist in the release of the run."""
    own = file(entry())
    of = {name: msgspec.structs.replace(one, release="1.2") for name, one in own.witnesses.items()}
    assert ["its witness is of 1.2, and the run asked no release"] == [
        one.why for one in determine_statuses(replace(own, witnesses=of), report())
    ]


def test_several_reports_are_combined_for_pruning() -> None:
    """An entry that one report needs is kept, and shards add up."""
    own = entry()
    without, with_it = report(replayed=replayed(own)), report(replayed=replayed(own, FOUND))
    assert [own] == [one.entry for one in find_idle(file(own), [report(), without])]
    assert [] == find_idle(file(own), [without, with_it])


def test_idle_rules_of_a_used_group() -> None:
    """A rule of a used group entry is idle if its cases were replayed and do not show it."""
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


def test_an_entry_for_a_finding_tolerates_only_this_finding() -> None:
    """Its scope has all keys of the finding."""
    own = entry()
    assert own.tolerates(report(FOUND).findings[0], "widgets_v1")
    assert not own.tolerates(report(made.finding(path="spec.name")).findings[0], "widgets_v1")
    assert "widgets_v1" == own.suite


def test_an_entry_for_a_group_lists_its_rules() -> None:
    """Findings of one rule with different severities are one rule with the worst severity."""
    milder = made.finding("e" * 12, owner=FOUND.owner, member="size", severity="shadow", operation="create")
    assert ["size FieldValueInvalid unmatched graduation"] == [str(rule) for rule in grouped(FOUND, milder).rules]
