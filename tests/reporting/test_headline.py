"""The verdict in words: a run that fails says why, whatever it is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.reporting.assembly import build_report
from harness.reporting.coverage import Coverage, Lost, RatchetEntry
from harness.reporting.document import ExceptionEntry, Exceptions, Policy, Report
from harness.reporting.headline import also, headline, reasons
from harness.reporting.html import render_html
from harness.reporting.junit import render_junit
from harness.reporting.terminal import render, summary
from tests.reporting import made

ENTRY = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2999-01-31")
TOLERATED = made.finding(exception="1a2b")


def with_lost(report: Report) -> Report:
    """The same, with a rule that lost its cover."""
    lost = RatchetEntry("rules.ratchet", 3, (Lost("a rule", ("rejected",)),))
    return msgspec.structs.replace(report, coverage=Coverage(3, 3, 2, 2, 2, 2, 0, 0, 0, 0, (lost,)))


def report_of(*findings: Any, policy: Policy | None = None, exceptions: Exceptions | None = None) -> Report:
    """A report of these findings."""
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
def test_the_first_line_says_why(report: Report, words: str) -> None:
    """At the terminal and on the page."""
    assert words == headline(report)[0]
    assert words in render(summary(report)).splitlines()[0]
    assert words in render_html(report)


def test_the_page_names_all_that_fails_the_run() -> None:
    """In its header, beside findings too."""
    report = report_of(made.finding(), exceptions=Exceptions("f", unused=(ENTRY,)))
    assert ["1 finding beyond the exceptions", "1 exception is unused"] == reasons(report)
    assert "also fails because 1 exception is unused" == also(report)
    page = render_html(report)
    assert "<li>1 exception is unused</li>" in page.partition("</header>")[0]
    assert [] == reasons(report_of(made.finding(), policy=Policy("verdict")))


def test_tolerated_findings_that_change_a_verdict_are_counted() -> None:
    """Nobody should think that what is tolerated is mild."""
    worst = made.finding("a" * 12, exception="1a2b", severity="verdict")
    assert "beyond 2 tolerated findings, 1 of which changes a verdict" in render(summary(report_of(TOLERATED, worst)))
    assert "beyond 1 tolerated finding\n" in render(summary(report_of(TOLERATED)))


@pytest.mark.parametrize(
    ("fail_on", "code"),
    [("verdict", 0), ("graduation", 1), ("visible", 1), ("shadow", 1), ("unreachable", 1)],
)
def test_findings_that_are_too_mild_do_not_fail(fail_on: Any, code: int) -> None:
    """They are shown all the same, and every form agrees on what fails."""
    report = report_of(made.finding(), policy=Policy(fail_on))
    assert code == report.exit_code
    assert code == render_junit(report).count("<failure")
    assert "0123456789ab" in render_html(report)
    assert "spec.size" in render(summary(report))


def test_a_mild_finding_does_not_hide_what_is_incomplete() -> None:
    """With --fail-on verdict the run is incomplete, and says so."""
    kinds = (made.kind_report(has_seed=False, accepted=0, seed_search_complete=True),)
    report = build_report(made.result(made.finding(), kinds=kinds), policy=Policy("verdict"))
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    assert "no finding that fails the run, but no object" in headline(report)[0]


def test_a_lost_target_is_told_beside_what_was_found() -> None:
    """Findings decide the exit code, as the reference says: what was shown stays true whatever else was not asked."""
    lost = {"stopped": "target-lost", "stopped_detail": "gone"}
    report = build_report(made.result(made.finding("a" * 12), **lost))
    assert ("different", 1) == (report.verdict, report.exit_code)
    assert "also incomplete: the target was lost" in render(summary(report))
    alone = build_report(made.result(**lost))
    assert ("incomplete", 2) == (alone.verdict, alone.exit_code)
    assert "the target was lost" in headline(alone)[0]
