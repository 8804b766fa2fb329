"""Reports have correct sums and verdicts."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions, Reach, Report
from tests.report import made


def report(*findings: Any, **more: Any) -> Report:
    """Return the report of a small run."""
    return build_report(made.result(*findings, **more))


def test_findings_are_ordered_worst_first_and_counted() -> None:
    """The order and the sums follow the severity; several occurrences are one finding."""
    shadow = made.finding("b" * 12, severity="shadow", cause="unmarked")
    made_report = report(shadow, made.finding("a" * 12, severity="verdict"), made.finding("c" * 12))
    assert [f.severity for f in made_report.findings] == ["verdict", "graduation", "shadow"]
    assert made_report.totals.by_severity == {"verdict": 1, "graduation": 1, "shadow": 1}
    assert made_report.totals.by_cause == {"no-rule": 2, "unmarked": 1}
    assert made_report.totals.by_kind == {"example.io/v1 widgets": 3}
    assert made_report.totals.findings == 3
    assert made_report.totals.cases_per_second == 50.0


def test_every_finding_has_the_errors_served_under_each_setting() -> None:
    """A covered handwritten error without a counterpart is served today, and not after graduation."""
    served = report(made.finding()).findings[0].answer.served
    assert [(one.setting, len(one.errors)) for one in served] == [("beta-on", 1), ("beta-off", 1), ("graduated", 0)]


@pytest.mark.parametrize(
    ("findings", "more", "verdict", "code"),
    [
        ([], {}, "equivalent", 0),
        ([made.finding()], {}, "different", 1),
        ([], {"composition_differences": 1}, "different", 1),
        ([], {"compared": 0}, "nothing-compared", 2),
        ([], {"stopped": "target-lost"}, "incomplete", 2),
        ([made.finding()], {"stopped": "target-lost"}, "different", 1),
        ([], {"kinds": (made.kind_report(error="it broke"),)}, "incomplete", 2),
        ([], {"stopped": "interrupted"}, "equivalent", 130),
        ([made.finding()], {"stopped": "interrupted"}, "different", 130),
        ([made.finding(exception="1a2b")], {}, "equivalent", 0),
    ],
)
def test_the_verdict_decides_the_exit_code(findings: Any, more: Any, verdict: str, code: int) -> None:
    """The exit code is 0 only if something was compared, nothing differs, and no target was lost."""
    made_report = report(*findings, **more)
    assert (verdict, code) == (made_report.verdict, made_report.exit_code)


@pytest.mark.parametrize("words", ["unused", "expired"])
def test_an_unneeded_exception_fails_the_run(words: str) -> None:
    """An unused or expired exception fails it as a finding does."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2026-01-31")
    made_report = build_report(made.result(), exceptions=Exceptions("f.yaml", **{words: (entry,)}))
    assert made_report.exit_code == 1


def test_several_suites_make_one_report() -> None:
    """Each subject has its part, the options to open it again, and its findings."""
    second = made.result(made.finding("d" * 12), subject="gadgets_v1", cases=1, seconds=1.0)
    reaches = {"gadgets_v1": Reach("suite", "suites/gadgets_v1")}
    made_report = build_report([made.result(), second], reaches=reaches)
    assert [part.subject for part in made_report.parts] == ["widgets_v1", "gadgets_v1"]
    assert made_report.parts[1].reach.location == "suites/gadgets_v1"
    assert [f.subject for f in made_report.findings] == ["gadgets_v1"]
    assert (made_report.cases, made_report.seconds) == (101, 3.0)
    assert made_report.target.name == "widgets_v1, gadgets_v1"


def test_a_suite_where_nothing_was_compared_is_not_hidden_by_the_others() -> None:
    """One part without comparisons makes the verdict of the whole run `nothing-compared`."""
    assert build_report([made.result(), made.result(subject="gadgets_v1", compared=0)]).exit_code == 2


def test_findings_are_replaced_by_fingerprint() -> None:
    """Findings marked by exceptions replace those with the same fingerprint, not those at the same index."""
    first, second = made.finding("a" * 12), made.finding("b" * 12)
    marked = msgspec.structs.replace(second, exception="1a2b")
    made_report = build_report(made.result(first, second), findings=[marked])
    assert [f.fingerprint for f in made_report.open_findings] == ["a" * 12]
    assert made_report.totals.tolerated == 1
