"""What a run did, in lines: what was compared besides the two lists."""

from __future__ import annotations

from harness.report.model.assembly import build_report
from harness.report.text.effort import describe_effort
from tests.report import made


def test_generated_code_is_told_where_it_was_compared() -> None:
    """With the number of cases and of differences; a target whose tags were not asked has no such line."""
    found = made.finding(mismatch="generated", cause="generated")
    checked = build_report(made.result(made.finding("b" * 12), found, generated_checked=1234))
    assert "generated code: 1 difference from its tags in 1,234 cases checked" in describe_effort(checked)
    assert not any("generated code" in line for line in describe_effort(build_report(made.result())))


def test_round_trips_are_told_with_their_losses() -> None:
    """And the number of objects; a target that was not asked for any has no such line."""
    found = made.finding(mismatch="conversion", cause="conversion")
    checked = build_report(made.result(made.finding("b" * 12), found, round_trips_checked=1234))
    assert "conversions: 1 loss in 1,234 accepted objects checked" in describe_effort(checked)
    assert not any("conversions" in line for line in describe_effort(build_report(made.result())))
