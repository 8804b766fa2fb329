"""The benchmark of ledger and scheduler computes every unit it counts."""

from __future__ import annotations

import pytest

from bench import ledger


def test_units_are_computed_by_more_and_more_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their number, each unit is done; the ledger has what was done, and all of it is merged."""
    monkeypatch.setattr(ledger, "WORKERS", (1, 4))
    monkeypatch.setattr(ledger, "_PROCESSES", 2)
    section = ledger.measure(0.1)
    assert ["1 workers", "4 workers", "the ledger alone: kept", "the ledger alone: listed", "merged"] == [
        line.name for line in section.lines
    ]
    assert [20, 20, 50, 20, 20] == [line.count for line in section.lines]
    assert all(line.rate > 0 for line in section.lines)
    assert all(int(line.more["MiB"]) > 0 for line in section.lines[:2])
