"""Any program that speaks the wire protocol is a target, from one object to a whole run."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from harness.engine import run
from harness.events import Budget, Result
from harness.subject import SubjectSpec

WORKERS = Path(__file__).parent.parent / "workers"
NODE = shutil.which("node")

pytestmark = [pytest.mark.node, pytest.mark.skipif(NODE is None, reason="no node on PATH: install Node.js")]


def searched(types: Path | None) -> Result:
    """Run over the small worker in JavaScript."""
    program = shlex.join(["node", str(WORKERS / "node_worker.mjs")])
    spec = SubjectSpec("command", program, types=None if types is None else str(types))
    return run(spec, seed=1, budget=Budget(max_cases=2000))


def test_a_run_finds_the_planted_mistake_of_a_worker_in_another_language() -> None:
    """The limits 10 and 12 differ: accepted only when graduated, at the first length between them."""
    result = searched(WORKERS / "note")
    graduation = [finding for finding in result.findings if finding.severity == "graduation"]
    assert {("boundary", "spec.title")} == {(finding.cause, finding.path) for finding in graduation}
    assert {11} == {len(finding.case.object["spec"]["title"]) for finding in graduation}
    assert [report.error for report in result.kinds if report.error] == []


def test_a_run_without_types_asks_what_it_can() -> None:
    """A program whose types nobody knows is searched by the words of its errors; nothing stops."""
    result = searched(None)
    assert result.compared > 0
    assert [report.error for report in result.kinds if report.error] == []
