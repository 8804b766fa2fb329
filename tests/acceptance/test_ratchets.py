"""The ratchets of the embedded suites hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.ratchets.rules import NAME, read_ratchet
from harness.report.model.reading import read_report
from tests.cli.fakes import call

SUITES = Path(__file__).parents[2] / "suites"


@pytest.mark.parametrize("name", ["workload_v1", "claim_v1", "certificate_v1", "policy_v1"])
def test_what_was_seen_of_a_suites_rules_is_seen_again(name: str, tmp_path: Path, capfd: Any) -> None:
    """Every rule fires, and none lost its cover."""
    ratchet = read_ratchet(SUITES / name / NAME)
    place = tmp_path / "report.json"
    told = call(capfd, "run", SUITES / name, "--max-cases", str(ratchet.cases), "--jobs", "1", "--json", place)
    coverage = read_report(place).coverage
    assert coverage is not None
    assert ((), "") == (coverage.lost, coverage.ratchets[0].skipped)
    assert (0, coverage.declared) == (told.code, coverage.fired)
    assert len(ratchet.rules) == coverage.declared
