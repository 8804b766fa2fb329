"""The benchmark of CRDs says what it could not measure, and measures what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import crds
from harness.diagnostics import TargetError
from harness.targets.kubernetes.release import find_toolchain

CRDS = Path(__file__).parents[1] / "crds" / "after"


def test_without_go_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is measured, and the reason is told."""

    def none() -> None:
        raise TargetError("there is no Go")

    monkeypatch.setattr(crds, "find_toolchain", none)
    section = crds.measure(1.0, 1)
    assert ((), True) == (section.lines, "there is no Go" in section.left_out[0])


@pytest.mark.kubernetes
def test_objects_are_counted_once_for_each_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two definitions judge each case; the time of processors is that of the worker too."""
    assert find_toolchain().go.exists()
    monkeypatch.setattr(crds, "_fetch", lambda: str(CRDS))
    monkeypatch.setattr(crds, "_KIND", "storage.example.com/v1 backups")
    section = crds.measure(0.5, 1)
    assert () == section.left_out
    one, _, beside = section.lines
    assert one.count > 0 < beside.count
    assert 0 == beside.count % 2
    assert all(isinstance(spent := line.more["processor µs"], int) and spent > 0 for line in section.lines)
