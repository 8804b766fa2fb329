"""Rule coverage in words."""

from __future__ import annotations

from harness.reporting.coverage import RatchetEntry
from harness.reporting.ruletext import coverage_table, lost_rows, rule_rows
from harness.reporting.terminal import render, summary
from tests.reporting.ruled import rule, ruled


def test_a_run_in_two_lines() -> None:
    """How many fired, how soon, where else; and the limits."""
    seen = rule(declarative=("create",), handwritten=("create",), first=2.0, limit=3, accepted=True)
    assert rule_rows(ruled(seen, rule(path="b", asked=False), rule(path="c", cannot="why")))[:2] == [
        "rules: 1 of 3 fired (33.3% within 30 s), 1 on the handwritten side as well, "
        "1 belong to kinds that were not asked, 1 cannot fire",
        "limits: 1 of 1 accepted at it, 0 rejected just beyond",
    ]


def test_without_rules_nothing_is_said() -> None:
    """A program whose types are not known has none."""
    assert rule_rows(ruled()) == []


def test_lost_cover_is_an_exit_code_and_a_message() -> None:
    """Equivalence is not in question, but somebody must look."""
    report = ruled(rule(), lost=True)
    text = render(summary(report))
    assert (report.verdict, report.exit_code) == ("equivalent", 1)
    assert "0 findings, 1 rule lost coverage" in text
    assert (
        "1 rule of rules.ratchet lost coverage:\n  example.io/v1 Widget spec.a Required: no longer rejected\n" in text
    )
    assert ruled(rule()).exit_code == 0


def test_long_lists_of_lost_rules_are_cut() -> None:
    """The screen is not theirs."""
    lost = ruled(rule(), lost=True).coverage
    assert lost is not None
    many = RatchetEntry("f", 20, lost.lost * 20)
    assert [*lost_rows(many)][-1] == "  … 10 more; the report has them all"
    assert [*lost_rows(RatchetEntry("f", 20))] == []


def test_each_rule_in_a_line() -> None:
    """What was seen of it, and what was not."""
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
    """How often, an example, and what is near."""
    assert [*coverage_table(ruled().uncovered)][1] == (
        "  spec.b Invalid: 4 errors, a rule is near, with the origin format=x: spec.b: Invalid value: no"
    )
