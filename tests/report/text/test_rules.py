"""Sentences on rule coverage."""

from __future__ import annotations

from harness.field.unaccepted import UNTRIED, ErrorAt, Unaccepted
from harness.report.formats.terminal.screen import summary
from harness.report.model.coverage import RatchetEntry
from harness.report.text.finding import to_plain_text
from harness.report.text.rules import coverage_table, lost_rows, rule_rows
from tests.report.ruled import rule, ruled


def test_rule_coverage_of_a_run_is_two_lines() -> None:
    """They have the rules that fired, how many fired early and on the handwritten side, and the limits."""
    seen = rule(declarative=("create",), handwritten=("create",), first=2.0, limit=3, accepted=True)
    assert rule_rows(ruled(seen, rule(path="b", asked=False), rule(path="c", cannot="why")))[:2] == [
        "rules: 1 of 3 fired (33.3% within 30 s), 1 on the handwritten side as well, "
        "1 belong to kinds that were not asked, 1 cannot fire",
        "limits: 1 of 1 accepted at it, 0 rejected just beyond",
    ]


def test_without_rules_there_is_no_line() -> None:
    """A program without known types has no rules."""
    assert rule_rows(ruled()) == []


def test_lost_coverage_has_an_exit_code_and_a_message() -> None:
    """The verdict stays equivalent, but the run fails."""
    report = ruled(rule(), lost=True)
    text = to_plain_text(summary(report))
    assert (report.verdict, report.exit_code) == ("equivalent", 1)
    assert "0 findings, 1 rule lost coverage" in text
    assert (
        "1 rule of rules.ratchet lost coverage:\n  example.io/v1 Widget spec.a Required: no longer rejected\n" in text
    )
    assert ruled(rule()).exit_code == 0


def test_long_lists_of_lost_rules_are_cut() -> None:
    """They must not fill the screen."""
    lost = ruled(rule(), lost=True).coverage
    assert lost is not None
    many = RatchetEntry("f", 20, lost.lost * 20)
    assert [*lost_rows(many)][-1] == "  … 10 more; the report has them all"
    assert [*lost_rows(RatchetEntry("f", 20))] == []


def test_each_rule_has_a_line() -> None:
    """The line has the observations of the rule, and the missing ones."""
    rules = (
        rule(declarative=("create", "update"), handwritten=("create",), limit=3, accepted=True, unserved=True),
        rule(path="", origin=""),
        rule(path="c", asked=False),
        rule(path="d", cannot="why"),
    )
    assert [*coverage_table(rules)] == [
        "example.io/v1 Widget",
        "  spec.size Invalid/maximum: declarative create update, handwritten create, accepted at 3, "
        "not rejected just beyond, only on what no server hands to it",
        "  (object) Invalid: never fired, no handwritten counterpart, not accepted",
        "  c Invalid/maximum: not asked",
        "  d Invalid/maximum: cannot fire: why",
        "",
    ]


def test_errors_without_a_rule() -> None:
    """The line has the number, an example message, and a rule with the same path and type."""
    assert [*coverage_table(ruled().uncovered)][1] == (
        "  spec.b Invalid: 4 errors, a rule is near, with the origin format=x: spec.b: Invalid value: no"
    )


def test_a_limit_that_is_not_accepted_has_its_reason() -> None:
    """With the errors, or the failure, as a row and in the sums."""
    errors = ErrorAt("spec.b", "FieldValueRequired"), ErrorAt("", "FieldValueInvalid")
    rules = (
        rule(path="a", limit=3, unaccepted=Unaccepted("rejected", 5, errors)),
        rule(path="b", limit=3, unaccepted=Unaccepted("failed", message="decode: \x1bno")),
        rule(path="c", limit=3, unaccepted=UNTRIED),
        rule(path="d", limit=3, unaccepted=UNTRIED, cannot="why"),
    )
    silent = "never fired, no handwritten counterpart"
    assert [*coverage_table(rules)][1:-1] == [
        f"  a Invalid/maximum: {silent}, not accepted at 3 "
        "(rejected for other errors: spec.b Required, (object) Invalid, 3 more)",
        f"  b Invalid/maximum: {silent}, not accepted at 3 (failed to be validated: decode: \\x1bno)",
        f"  c Invalid/maximum: {silent}, not accepted at 3 (not tried)",
        "  d Invalid/maximum: cannot fire: why, not accepted at 3 (not tried)",
    ]
    assert rule_rows(ruled(*rules))[2] == (
        "limits not accepted: 1 rejected for other errors, 1 failed to be validated, 2 not tried: "
        "harness rules --report REPORT --unseen"
    )
