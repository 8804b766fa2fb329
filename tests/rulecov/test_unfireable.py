"""Rules that cannot fire are named exactly, with a reason."""

from __future__ import annotations

from harness.rulecov.unfireable import reasons_for, unfireable


def test_every_entry_stands_once() -> None:
    """One reason for one rule of one release."""
    keys = [(one.release, *one.key) for one in unfireable()]
    assert sorted(set(keys)) == sorted(keys)
    assert all(one.reason for one in unfireable())


def test_reasons_are_found_by_release() -> None:
    """As targets name it; of other releases nothing is known."""
    assert reasons_for("v1.37.1") == reasons_for("1.37.1") != {}
    assert reasons_for("1.20.0") == {}
