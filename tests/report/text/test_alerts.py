"""Alerts of a report."""

from __future__ import annotations

from harness.report.text.alerts import fingerprints


def test_equal_findings_have_different_fingerprints() -> None:
    """Equal keys have different fingerprints in a fixed order, which do not depend on other keys."""
    first, second, third = fingerprints([("a", "b"), ("a", "b"), ("ab", "")])
    assert 3 == len({first, second, third})
    assert [third, first, second] == fingerprints([("ab", ""), ("a", "b"), ("a", "b")])
