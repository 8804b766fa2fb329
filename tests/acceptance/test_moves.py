"""Two real releases: what users see when they move, and what validation costs, judged from outside.

The workers are built on first use, which takes minutes on a fresh machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from harness.report.model.document import SCHEMA, Report
from harness.report.model.reading import read_report

pytestmark = pytest.mark.kubernetes

BUILD_TIME = 1500


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program as a user would."""
    command = [sys.executable, "-m", "harness", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=BUILD_TIME, check=False)


def read(file: Path) -> Report:
    """Read a report that follows the published schema."""
    jsonschema_rs.validator_for(json.loads(SCHEMA.read_text())).validate(json.loads(file.read_text()))
    return read_report(file)


@pytest.mark.older
def test_what_changes_from_one_release_to_the_next(tmp_path: Path) -> None:
    """1.37.1 reads the name of a node that a pod is bound to, and ignores the metadata of a scale."""
    file = tmp_path / "moves.json"
    told = run(
        "run", "--kubernetes", "1.37.1", "--against", "1.36.3", "--kind", "bindings", "--kind",
        "replicationcontrollers/scale", "--max-cases", "1500", "--seed", "1", "--jobs", "1", "--json", file,
    )  # fmt: skip
    assert 1 == told.returncode, told.stderr
    assert "What users of 1.36.3 see when they move to 1.37.1:" in told.stdout
    report = read(file)
    [moves] = report.moves
    changes = {(one.direction, one.cause, one.kinds[0]) for one in moves.changes}
    assert ("newly-rejected", "new-rule", "v1 bindings create") in changes
    assert ("newly-accepted", "rule-removed", "v1 replicationcontrollers/scale update") in changes
    name = next(one for one in report.findings if (one.resource, one.path) == ("bindings", "target.name"))
    assert name.detail.startswith("accepted by 1.36.3, rejected by 1.37.1: 1.37.1 alone reports target.name")
    assert ("verdict", ("1.36.3", "1.37.1")) == (name.severity, name.between)
    again = run("replay", file, name.fingerprint)
    assert (1, True) == (again.returncode, "still differs" in again.stdout), again.stdout + again.stderr


def test_a_release_has_not_changed_against_itself(tmp_path: Path) -> None:
    """Whatever it reports would be a false alarm."""
    told = run(
        "run", "--kubernetes", "1.37.1", "--against", "1.37.1", "--kind", "resourceclaims", "--max-cases", "1500",
        "--jobs", "1",
    )  # fmt: skip
    assert 0 == told.returncode, told.stdout + told.stderr
    assert "nothing that was tried changes" in told.stdout


@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_what_validation_of_a_kind_costs(release: str, tmp_path: Path) -> None:
    """Every part of valid and invalid objects, in time and allocations, from inside of the worker."""
    file = tmp_path / "cost.json"
    told = run(
        "bench",
        "--kubernetes",
        release,
        "--kind",
        "resourceclaims",
        "--max-cases",
        "900",
        "--jobs",
        "1",
        "--json",
        file,
    )
    assert 0 == told.returncode, told.stderr
    assert told.stdout.startswith("declarative validation costs ")
    cost = read(file).cost
    assert cost is not None
    assert {("create", True), ("create", False), ("update", True)} <= {(row.operation, row.valid) for row in cost.rows}
    for row in cost.rows:
        assert {"read", "handwritten", "convert", "declarative", "both"} == set(row.parts)
        assert all((part.objects or 0) > 0 for name, part in row.parts.items() if name != "handwritten")
        assert row.samples >= 5
