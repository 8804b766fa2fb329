"""The CRD gives the verdict of the webhook: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects

SUITE = Path(__file__).parent


@settings(max_examples=150, deadline=None)
@given(objects(SUITE, "Backup"))
def test_backups_get_the_same_verdict(backup: dict[str, Any]) -> None:
    """No backup is accepted by one of them alone."""
    assert differences(SUITE, "Backup", backup) == []
