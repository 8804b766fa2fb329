"""The verdict on a change in sentences."""

from __future__ import annotations

from harness.reporting.verification import Effort
from harness.reporting.verified import (
    change_title,
    effort_words,
    fields_worst_first,
    headline,
    lead,
    rule_words,
)
from tests.reporting.sections import field, user_change, verified, whole


def test_the_headline_is_that_of_the_terminal() -> None:
    """Nothing touched is a verdict of its own."""
    report = whole()
    assert report.verification is not None
    assert "Not fit to merge as it is" == headline(report, report.verification)
    nothing = verified(nothing_touched="only a comment was changed")
    assert nothing.verification is not None
    assert "Nothing touched" == headline(nothing, nothing.verification)
    assert "only a comment was changed" == lead(nothing, nothing.verification)


def test_the_lead_counts_verdicts_and_changes() -> None:
    """What was not tried is not passed over."""
    report = whole()
    assert report.verification is not None
    told = lead(report, report.verification)
    assert "touches 3 fields (1 different, 1 equivalent as far as tried, 1 not tried)" in told
    assert "users notice 1 change." in told
    clean = verified(field(), findings=0)
    assert clean.verification is not None
    assert "users notice no change." in lead(clean, clean.verification)


def test_what_differs_comes_first() -> None:
    """Then what was not tried."""
    report = whole()
    assert report.verification is not None
    assert ["different", "not-tried", "equivalent"] == [f.verdict for f in fields_worst_first(report.verification)]


def test_effort_is_told_with_its_numbers() -> None:
    """And none at all is said."""
    told = effort_words(field().effort)
    for number in ("1,000 questions", "400 creates", "600 updates", "300 gave", "900"):
        assert number in told
    assert "No question had a value there." == effort_words(Effort())


def test_a_rule_is_told_by_what_was_seen() -> None:
    """Fired, accepted at its limit, rejected beyond it, or never able to."""
    rule = field().rules[0]
    told = rule_words(rule)
    assert (
        "fired on create, no handwritten counterpart seen, accepted at its limit, 9, not seen rejected just beyond"
        == told
    )
    cannot = type(rule)("s", "g", "v", "K", "p", "t", cannot="the type has no such value")
    assert "cannot fire: the type has no such value" == rule_words(cannot)


def test_a_change_is_named_by_its_request() -> None:
    """Version, resource and operation."""
    assert "example.io/v1 widgets update" == change_title(user_change())
