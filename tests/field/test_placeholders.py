"""Placeholders in angle brackets are filled in one way."""

from __future__ import annotations

from harness.field.placeholders import fill, has_gaps


def test_names_in_angle_brackets_are_filled() -> None:
    """What has a value is filled, whatever the value looks like; the rest is a gap."""
    assert "a <limit> of 3" == fill("a <origin> of <limit>", origin="<limit>", limit=3)
    assert "5 < 6, <x>" == fill("<a> < <b>, <x>", a=5, b=6)
    assert [True, False, False] == [has_gaps("+k8s:max=<limit>"), has_gaps("5 < 6 > 4"), has_gaps("")]
