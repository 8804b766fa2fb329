"""Reports of shards add up to the report of one run; other reports cannot be merged."""

from __future__ import annotations

from typing import Any

import pytest

from harness.diagnostics import InputError
from harness.report.formats.junit import render_junit
from harness.report.formats.markdown import render_markdown
from harness.report.formats.terminal.screen import summary
from harness.report.model.assembly import build_report
from harness.report.model.document import Report
from harness.report.model.merging import merge
from harness.report.text.finding import to_plain_text
from tests.report import made
from tests.report.ruled import rule, ruled


def shard(number: int, *findings: Any, **more: Any) -> Report:
    """Return the report of one of two shards."""
    return build_report(made.result(*findings, shard=f"{number}/2", **more))


def test_shards_add_up() -> None:
    """Cases, findings and kinds are those of both; the duration is that of the slower one."""
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


def test_one_finding_of_both_shards_is_one_finding() -> None:
    """Its occurrences are added, and the worse severity is kept."""
    merged = merge(
        [("a", shard(1, made.finding(severity="shadow"))), ("b", shard(2, made.finding(severity="visible")))]
    )
    assert [("visible", 14)] == [(finding.severity, finding.occurrences) for finding in merged.findings]


def test_a_missing_shard_is_named() -> None:
    """The verdict without findings is incomplete, not equivalent; the other shards are kept."""
    merged = merge([("a", shard(1))])
    assert ("incomplete", "widgets_v1: missing: shard 2/2") == (merged.verdict, merged.stopped_detail)
    assert "different" == merge([("a", shard(1, made.finding()))]).verdict


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (shard(1), "shard 1/2 of widgets_v1 is in a"),
        (shard(2, seed=2), "its seed is not that of a"),
        (shard(2, mode="given"), "its mode is not that of a"),
        (build_report(made.result(shard="2/3")), "dealt to different shards in these reports, here 1/2"),
        (build_report(made.result(shard="2/2 cut")), "dealt to different shards in these reports, here 1/2"),
        (build_report(made.result()), "dealt to different shards in these reports, here 1/2"),
    ],
)
def test_reports_of_other_runs_are_rejected(second: Report, words: str) -> None:
    """A report that is not of the same run is named, with the reason."""
    with pytest.raises(InputError, match=words):
        merge([("a", shard(1)), ("b", second)])


def test_rules_add_up() -> None:
    """A rule without cases in one shard has the observations of the other."""
    first = ruled(rule(asked=False), rule(path="b", declarative=("create",), first=3.0), shard="1/2")
    second = ruled(rule(declarative=("update",), first=5.0), rule(path="b", asked=False), shard="2/2")
    merged = merge([("a", first), ("b", second)])
    assert [("spec.size", ("update",), True), ("b", ("create",), True)] == [
        (one.path, one.declarative, one.asked) for one in merged.rules
    ]
    assert merged.coverage is not None
    assert (2, 2, 8) == (merged.coverage.fired, merged.coverage.early, merged.uncovered[0].count)


def empty(number: int, **more: Any) -> Report:
    """Return the report of a shard without kinds."""
    return shard(number, **{"cases": 0, "compared": 0, "composition_checked": 0, "kinds": (), **more})


def test_a_shard_without_kinds_adds_up_with_the_others() -> None:
    """A suite with a single unit is in one shard completely: the others have nothing to add, and are not missing."""
    merged = merge([("a", shard(1)), ("b", empty(2))])
    assert ("equivalent", 0, 98, [""]) == (
        merged.verdict, merged.exit_code, merged.compared, [part.shard for part in merged.parts],
    )  # fmt: skip


def test_a_shard_without_kinds_is_not_a_failure() -> None:
    """The exit code is 0, JUnit has no error, and every headline names the shard."""
    report = empty(2)
    assert ("nothing-compared", 0) == (report.verdict, report.exit_code)
    assert (False, True) == ("<error" in render_junit(report), "no kind belongs to shard 2/2" in render_junit(report))
    assert "No kind belongs to shard 2/2" in to_plain_text(summary(report))
    assert "No kind belongs to shard 2/2" in render_markdown(report, 10_000)


@pytest.mark.parametrize("stopped", ["target-lost", "interrupted"])
def test_an_aborted_shard_without_kinds_is_a_failure(stopped: str) -> None:
    """Kinds that could not be searched are not taken for kinds of other shards."""
    assert empty(2, stopped=stopped).exit_code in (2, 130)
    assert merge([("a", shard(1)), ("b", empty(2, stopped=stopped))]).exit_code in (2, 130)


def test_merged_shards_without_any_kind_compared_nothing() -> None:
    """The verdict is `nothing-compared`, not equivalent."""
    assert ("nothing-compared", 2) == ((found := merge([("a", empty(1)), ("b", empty(2))])).verdict, found.exit_code)
