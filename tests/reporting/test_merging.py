"""Reports of shards add up to the report of one run, and nothing else adds up to anything."""

from __future__ import annotations

from typing import Any

import pytest

from harness.diagnostics import InputError
from harness.reporting.assembly import build_report
from harness.reporting.document import Report
from harness.reporting.junit import render_junit
from harness.reporting.markdown import render_markdown
from harness.reporting.merging import merge
from harness.reporting.terminal import render, summary
from tests.reporting import made
from tests.reporting.ruled import rule, ruled


def shard(number: int, *findings: Any, **more: Any) -> Report:
    """The report of one of two shards."""
    return build_report(made.result(*findings, shard=f"{number}/2", **more))


def test_shards_add_up() -> None:
    """Cases, findings and kinds are those of both; the time is that of the slower one."""
    merged = merge(
        [
            ("a", shard(1, made.finding("a" * 12), seconds=3.0, kinds=(made.kind_report(operation="create"),))),
            ("b", shard(2, made.finding("b" * 12, severity="verdict"), kinds=(made.kind_report(),))),
        ]
    )
    assert ["b" * 12, "a" * 12] == [finding.fingerprint for finding in merged.findings]
    assert (200, 196, 3.0, "different") == (merged.cases, merged.compared, merged.seconds, merged.verdict)
    assert ["create", "update"] == [kind.operation for kind in merged.kinds]
    assert [""] == [part.shard for part in merged.parts]
    assert {"verdict": 1, "graduation": 1} == merged.totals.by_severity


def test_one_finding_met_in_both_is_one_finding() -> None:
    """Its occurrences are added, and the worse severity stands."""
    merged = merge(
        [("a", shard(1, made.finding(severity="shadow"))), ("b", shard(2, made.finding(severity="visible")))]
    )
    assert [("visible", 14)] == [(finding.severity, finding.occurrences) for finding in merged.findings]


def test_a_missing_shard_is_told_and_loses_nothing() -> None:
    """Without findings the verdict is incomplete, never equivalent."""
    merged = merge([("a", shard(1))])
    assert ("incomplete", "widgets_v1: missing: shard 2/2") == (merged.verdict, merged.stopped_detail)
    assert "different" == merge([("a", shard(1, made.finding()))]).verdict


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (shard(1), "shard 1/2 of widgets_v1 is in a"),
        (shard(2, seed=2), "its seed is not that of a"),
        (shard(2, mode="given"), "its mode is not that of a"),
        (build_report(made.result(shard="2/3")), "different numbers of shards"),
        (build_report(made.result()), "different numbers of shards"),
    ],
)
def test_strangers_are_refused(second: Report, words: str) -> None:
    """What is not of the same run is named, with the reason."""
    with pytest.raises(InputError, match=words):
        merge([("a", shard(1)), ("b", second)])


def test_rules_add_up() -> None:
    """What one shard did not ask, another saw."""
    first = ruled(rule(asked=False), rule(path="b", declarative=("create",), first=3.0), shard="1/2")
    second = ruled(rule(declarative=("update",), first=5.0), rule(path="b", asked=False), shard="2/2")
    merged = merge([("a", first), ("b", second)])
    assert [("spec.size", ("update",), True), ("b", ("create",), True)] == [
        (one.path, one.declarative, one.asked) for one in merged.rules
    ]
    assert merged.coverage is not None
    assert (2, 2, 8) == (merged.coverage.fired, merged.coverage.early, merged.uncovered[0].count)


def empty(number: int, **more: Any) -> Report:
    """The report of a shard that no kind belongs to."""
    return shard(number, **{"cases": 0, "compared": 0, "composition_checked": 0, "kinds": (), **more})


def test_a_shard_without_kinds_adds_up_with_the_others() -> None:
    """A suite with a single unit is whole in one shard: the others add nothing, and are not missing."""
    merged = merge([("a", shard(1)), ("b", empty(2))])
    assert ("equivalent", 0, 98, [""]) == (
        merged.verdict, merged.exit_code, merged.compared, [part.shard for part in merged.parts],
    )  # fmt: skip


def test_a_shard_without_kinds_is_no_failure_by_itself() -> None:
    """It has nothing to say: exit code 0, no error in JUnit, and every headline names the shard."""
    report = empty(2)
    assert ("nothing-compared", 0) == (report.verdict, report.exit_code)
    assert (False, True) == ("<error" in render_junit(report), "no kind belongs to shard 2/2" in render_junit(report))
    assert "No kind belongs to shard 2/2" in render(summary(report))
    assert "No kind belongs to shard 2/2" in render_markdown(report, 10_000)


@pytest.mark.parametrize("stopped", ["target-lost", "interrupted"])
def test_a_shard_that_broke_off_before_its_first_kind_is_one(stopped: str) -> None:
    """What could not be searched is never taken for what was not to be searched."""
    assert empty(2, stopped=stopped).exit_code in (2, 130)
    assert merge([("a", shard(1)), ("b", empty(2, stopped=stopped))]).exit_code in (2, 130)


def test_shards_without_a_kind_of_any_suite_prove_nothing_together() -> None:
    """Nothing compared is never agreement."""
    assert ("nothing-compared", 2) == ((found := merge([("a", empty(1)), ("b", empty(2))])).verdict, found.exit_code)
