"""A suite is measured as it is: what is slow in it shows."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cost import run as module
from harness.cost.run import CostOutcome, CostRequest, cost_of, measure
from harness.diagnostics import UsageError
from harness.events import Budget
from harness.subject import SubjectSpec, open_subject

ROOT = Path(__file__).parent.parent.parent
EXAMPLE = ROOT / "examples" / "migration"


def measured(folder: Path = EXAMPLE, *kinds: str) -> CostOutcome:
    """Measure a suite by a small search."""
    wanted = CostRequest(1, Budget(None, 300), 1, kinds)
    return measure(SubjectSpec("suite", str(folder)), wanted, lambda event: None, lambda done, total: None, print)


def test_every_operation_is_measured_valid_and_invalid() -> None:
    """Each with all parts and several samples; nothing is left out in silence."""
    outcome = measured()
    sorts = {(row.operation, row.valid) for row in outcome.rows}
    assert {("create", True), ("create", False), ("update", True), ("update", False)} == sorts
    assert all({"read", "handwritten", "convert", "declarative", "both"} == set(row.parts) for row in outcome.rows)
    assert ((), "cpu") == (outcome.unmeasured, outcome.clock)
    assert all((row.errors == 0) == row.valid for row in outcome.rows)


def test_a_planted_slow_validator_shows(tmp_path: Path) -> None:
    """A handwritten side that counts to a hundred thousand before it looks makes the declarative one look cheap."""
    folder = tmp_path / "migration"
    shutil.copytree(EXAMPLE, folder)
    file = folder / "handwritten.py"
    text = file.read_text(encoding="utf-8")
    head, mark, body = text.partition("def validate_backup(")
    signature, colon, rest = body.partition(":\n")
    file.write_text(head + mark + signature + colon + "    sum(range(100_000))\n" + rest, encoding="utf-8")
    slow, usual = (cost_of([measured(one)], (0.0, 0.0)) for one in (folder, EXAMPLE))
    ratios = [one.sums[0].ratio for one in (slow, usual)]
    assert ratios[0] is not None
    assert ratios[1] is not None
    assert 20 * ratios[0].median < ratios[1].median
    assert "times handwritten" in slow.answer


def test_building_takes_no_time_from_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that takes an hour to open is measured for all of the time that is left after the search."""
    opened, given = [0], []

    def opening(*args: Any) -> Any:
        opened[0] += 1
        return open_subject(*args)

    def measuring(target: Any, seconds: float, on_told: Any) -> Any:
        given.append(seconds)
        return SimpleNamespace(run=lambda chosen: [], passes=0, interrupted=False)

    monkeypatch.setattr(module, "open_subject", opening)
    monkeypatch.setattr(module, "Measuring", measuring)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + 3600.0 * opened[0]))
    spec = SubjectSpec("suite", str(EXAMPLE))
    measure(spec, CostRequest(1, Budget(600.0, 100), 1), lambda event: None, lambda done, total: None, print)
    assert 0.0 < given[0] <= 600.0


def test_only_what_can_be_measured_is_taken() -> None:
    """A kind that is not there, two targets at once, another declarative side: each refused with a fix."""
    with pytest.raises(UsageError, match="nothing with declarative rules that matches nosuch"):
        measured(EXAMPLE, "nosuch")
    for spec, words in (
        (SubjectSpec("suite", str(EXAMPLE), against=str(EXAMPLE)), "cannot measure"),
        (SubjectSpec("suite", str(EXAMPLE), declarative="python"), "leave --declarative out"),
    ):
        with pytest.raises(UsageError, match=words):
            measure(spec, CostRequest(1, Budget(None, 10), 1), lambda e: None, lambda done, total: None, print)


def test_a_program_that_cannot_measure_is_told_what_to_do() -> None:
    """It has to name the ability."""
    program = f"python3 {ROOT / 'tests' / 'workers' / 'odd_worker.py'} honest"
    with pytest.raises(UsageError, match="does not name the ability `measure`"):
        measure(SubjectSpec("command", program), CostRequest(1, Budget(None, 10), 1), print, lambda d, t: None, print)
