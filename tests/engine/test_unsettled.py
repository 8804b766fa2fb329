"""What is pending is told in seconds, from what was settled before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.engine.unsettled import CLOSER, COST, MARGIN, needed


def searching(pending: int = 0, **more: Any) -> Any:
    """A search with so much pending; `seconds` and `asked` are those of all its questions, `spent` of settling."""
    given = {"curious": 0, "begun": 0, "explained": 0, "spent": 0.0, "seconds": 10.0, "asked": 1000, **more}
    return SimpleNamespace(
        seconds=given["seconds"],
        asked=given["asked"],
        ledger=SimpleNamespace(pending=[0] * pending, curious=[0] * given["curious"]),
        settling=SimpleNamespace(begun=given["begun"], explained=given["explained"], seconds=given["spent"]),
    )


def test_nothing_pending_needs_no_time() -> None:
    """Whatever was settled before, and before anything was asked."""
    assert (
        needed([searching(explained=100, spent=5.0)]) == needed([]) == needed([searching(seconds=0.0, asked=0)]) == 0.0
    )


def test_before_much_was_settled_a_finding_takes_so_many_usual_cases() -> None:
    """A case takes ten milliseconds here."""
    assert needed([searching(2), searching()]) == pytest.approx(MARGIN * 2 * COST * 0.01)


def test_what_a_finding_takes_is_what_it_took() -> None:
    """Of its own search where that has settled some, of all searches elsewhere."""
    slow, fast = searching(explained=10, spent=10.0), searching(explained=30, spent=2.0)
    assert needed([slow, fast, searching(4)]) == pytest.approx(MARGIN * 4 * 12.0 / 40)
    slow.ledger.pending = [0, 0]
    assert needed([slow, fast]) == pytest.approx(MARGIN * 2 * 1.0)


def test_what_is_on_its_way_is_half_done() -> None:
    """Half of it was taken, half is to come."""
    assert needed([searching(begun=4, explained=28, spent=3.0)]) == pytest.approx(MARGIN * 2 * 0.1)


def test_what_is_looked_at_closer_takes_longer_than_other_cases() -> None:
    """Errors that were met for the first time wait to be asked about again."""
    assert needed([searching(curious=5)]) == pytest.approx(MARGIN * 5 * CLOSER * 0.01)
