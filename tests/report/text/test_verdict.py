"""Sentences on the verdict: every failed run has its reasons."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.report.formats.html.page import render_html
from harness.report.formats.junit import render_junit
from harness.report.formats.terminal.change import verdict_screen
from harness.report.formats.terminal.screen import summary
from harness.report.model.assembly import build_report
from harness.report.model.coverage import Coverage, Lost, RatchetEntry
from harness.report.model.document import ExceptionEntry, Exceptions, Policy, Report
from harness.report.model.verification import Effort, StaleEntry
from harness.report.text.finding import to_plain_text
from harness.report.text.verdict import (
    change_title,
    describe_field_effort,
    describe_other_failures,
    describe_seen_rule,
    failure_reasons,
    fields_worst_first,
    headline,
    summarize_change,
)
from tests.report import made
from tests.report.sections import field, user_change, verified, whole

ENTRY = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2999-01-31")
TOLERATED = made.finding(exception="1a2b")


def with_lost(report: Report) -> Report:
    """Return the report with a rule that lost coverage."""
    lost = RatchetEntry("rules.ratchet", 3, (Lost("a rule", ("rejected",)),))
    return msgspec.structs.replace(report, coverage=Coverage(3, 3, 2, 2, 2, 2, 0, 0, 0, 0, (lost,)))


def report_of(*findings: Any, policy: Policy | None = None, exceptions: Exceptions | None = None) -> Report:
    """Return a report with these findings."""
    return build_report(made.result(*findings), policy=policy or Policy(), exceptions=exceptions)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (report_of(), "Equivalent as far as we looked"),
        (report_of(made.finding()), "Not equivalent"),
        (report_of(exceptions=Exceptions("f", unused=(ENTRY,))), "No finding; fails because 1 exception is unused"),
        (
            report_of(TOLERATED, exceptions=Exceptions("f", unused=(ENTRY, ENTRY), expired=(ENTRY,))),
            "No new finding; fails because 2 exceptions are unused and 1 exception has expired",
        ),
        (with_lost(report_of()), "No finding; fails because 1 rule lost coverage"),
        (
            report_of(made.finding(), policy=Policy("verdict")),
            "No finding that fails the run: 1 finding is milder than verdict",
        ),
        (
            report_of(made.finding(), policy=Policy("verdict"), exceptions=Exceptions("f", expired=(ENTRY,))),
            "No finding that is severe enough; fails because 1 exception has expired",
        ),
        (build_report(made.result(compared=0)), "Nothing was compared"),
        (
            build_report(made.result(stopped="target-lost")),
            "Incomplete: no difference found, but the target was lost",
        ),
        (
            build_report(made.result(kinds=(made.kind_report(error="broke"),))),
            "Incomplete: no difference found, but the search of 1 kind and operation stopped early",
        ),
        (build_report(made.result(stopped="interrupted")), "Equivalent as far as we looked (interrupted)"),
    ],
)  # fmt: skip
def test_the_headline_has_the_reason(report: Report, words: str) -> None:
    """It is the same on the terminal and on the page."""
    assert words == headline(report)[0]
    assert words in to_plain_text(summary(report)).splitlines()[0]
    assert words in render_html(report)


def test_the_page_lists_all_reasons_of_a_failure() -> None:
    """They are in its header, also if there are findings."""
    report = report_of(made.finding(), exceptions=Exceptions("f", unused=(ENTRY,)))
    assert ["1 finding beyond the exceptions", "1 exception is unused"] == failure_reasons(report)
    assert "also fails because 1 exception is unused" == describe_other_failures(report)
    page = render_html(report)
    assert "<li>1 exception is unused</li>" in page.partition("</header>")[0]
    assert [] == failure_reasons(report_of(made.finding(), policy=Policy("verdict")))


def test_tolerated_findings_that_change_a_verdict_are_counted() -> None:
    """A tolerated finding can be severe."""
    worst = made.finding("a" * 12, exception="1a2b", severity="verdict")
    assert "beyond 2 tolerated findings, 1 of which changes a verdict" in to_plain_text(
        summary(report_of(TOLERATED, worst))
    )
    assert "beyond 1 tolerated finding\n" in to_plain_text(summary(report_of(TOLERATED)))


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("verdict", 0), ("graduation", 1), ("visible", 1), ("shadow", 1), ("unreachable", 1)],
)
def test_findings_that_are_too_mild_do_not_fail(fail_on: Any, code: int) -> None:
    """They are shown, and all formats agree on what fails the run."""
    report = report_of(made.finding(), policy=Policy(fail_on))
    assert code == report.exit_code
    assert code == render_junit(report).count("<failure")
    assert "0123456789ab" in render_html(report)
    assert "spec.size" in to_plain_text(summary(report))


def test_a_mild_finding_does_not_hide_incompleteness() -> None:
    """With --fail-on verdict the verdict is incomplete."""
    kinds = (made.kind_report(has_seed=False, accepted=0, seed_search_complete=True),)
    report = build_report(made.result(made.finding(), kinds=kinds), policy=Policy("verdict"))
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    assert "no finding that fails the run, but no object" in headline(report)[0]


def test_a_lost_target_is_reported_besides_findings() -> None:
    """Findings determine the exit code, because they stay true whatever was not asked."""
    lost = {"stopped": "target-lost", "stopped_detail": "gone"}
    report = build_report(made.result(made.finding("a" * 12), **lost))
    assert ("different", 1) == (report.verdict, report.exit_code)
    assert "also incomplete: the target was lost" in to_plain_text(summary(report))
    alone = build_report(made.result(**lost))
    assert ("incomplete", 2) == (alone.verdict, alone.exit_code)
    assert "the target was lost" in headline(alone)[0]


def test_a_change_has_a_headline_of_its_own() -> None:
    """A change that touches no field has one too."""
    report = whole()
    assert "Not fit to merge as it is" == headline(report)[0]
    nothing = verified(nothing_touched="only a comment was changed")
    assert nothing.verification is not None
    assert "Nothing touched" == headline(nothing)[0]
    assert "only a comment was changed" == summarize_change(nothing, nothing.verification)
    assert 0 == nothing.exit_code


def test_a_change_of_generated_tests_alone_may_be_unfit() -> None:
    """It touches no field, and still what is stale fails it."""
    report = verified(
        findings=0,
        nothing_touched="tests",
        stale=(StaleEntry("T", "zz_test.go", "it lacks a rule", "zz_test.go:1", "make"),),
    )
    assert ("Nothing touched that validates, but not fit to merge", 1) == (headline(report)[0], report.exit_code)
    assert report.verification is not None
    assert any("it lacks a rule" in row.plain for row in verdict_screen(report, report.verification))


def test_the_summary_of_a_change_counts_verdicts_and_changes() -> None:
    """Fields that were not tried are counted too."""
    report = whole()
    assert report.verification is not None
    told = summarize_change(report, report.verification)
    assert "touches 3 fields (1 different, 1 equivalent as far as tried, 1 not tried)" in told
    assert "users notice 1 change." in told
    clean = verified(field(), findings=0)
    assert clean.verification is not None
    assert "users notice no change." in summarize_change(clean, clean.verification)


def test_different_fields_come_first() -> None:
    """Fields that were not tried come next."""
    report = whole()
    assert report.verification is not None
    assert ["different", "not-tried", "equivalent"] == [f.verdict for f in fields_worst_first(report.verification)]


def test_the_effort_of_a_field_has_its_numbers() -> None:
    """A field without cases has a sentence too."""
    told = describe_field_effort(field().effort)
    for number in ("1,000 cases", "400 creates", "600 updates", "300 gave", "900"):
        assert number in told
    assert "No case had a value there." == describe_field_effort(Effort())


def test_a_rule_is_described_by_its_observations() -> None:
    """They are: fired, accepted at its limit, rejected beyond it, or cannot fire."""
    rule = field().rules[0]
    told = describe_seen_rule(rule)
    assert (
        "fired on create, no handwritten counterpart seen, accepted at its limit, 9, not seen rejected just beyond"
        == told
    )
    cannot = type(rule)("s", "g", "v", "K", "p", "t", cannot="the type has no such value")
    assert "cannot fire: the type has no such value" == describe_seen_rule(cannot)


def test_a_change_is_named_by_its_request() -> None:
    """The name has version, resource and operation."""
    assert "example.io/v1 widgets update" == change_title(user_change())
