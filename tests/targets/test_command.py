"""Any program that speaks the wire protocol is a target, from one object to a whole run."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from harness.engine import RunConfig, run
from harness.events import Budget, Result
from harness.subject import SubjectSpec
from harness.subject.spec import DeclarativeSide

WORKERS = Path(__file__).parent.parent / "workers"
NODE = shutil.which("node")

pytestmark = [pytest.mark.node, pytest.mark.skipif(NODE is None, reason="no node on PATH: install Node.js")]


def searched(types: Path | None, declarative: DeclarativeSide = "target") -> Result:
    """Run over the small worker in JavaScript."""
    program = shlex.join(["node", str(WORKERS / "node_worker.mjs")])
    spec = SubjectSpec("command", program, types=None if types is None else str(types), declarative=declarative)
    return run(spec, RunConfig(seed=1, budget=Budget(max_cases=2000)))


def test_a_run_finds_the_planted_mistake_of_a_worker_in_another_language() -> None:
    """The limits 10 and 12 differ: accepted only when graduated, at the first length between them."""
    result = searched(WORKERS / "note")
    graduation = [finding for finding in result.findings if finding.severity == "graduation"]
    assert {("boundary", "spec.title")} == {(finding.cause, finding.path) for finding in graduation}
    assert {11} == {len(finding.case.object["spec"]["title"]) for finding in graduation}
    assert [report.error for report in result.kinds if report.error] == []


def test_a_run_without_types_uses_error_messages() -> None:
    """A program without types is searched with values and fields from its error messages."""
    result = searched(None)
    assert result.compared > 0
    assert [report.error for report in result.kinds if report.error] == []


def test_a_run_judges_tags_against_the_handwritten_side_of_a_worker(tmp_path: Path) -> None:
    """With --declarative python its own declarative side is not asked for its word: the tags say fourteen."""
    text = (WORKERS / "note" / "types.go").read_text()
    title = '\t// +k8s:beta(since: "1.37")=+k8s:required\n\t// +k8s:beta(since: "1.37")=+k8s:maxLength=14\n\tTitle '
    (tmp_path / "note").mkdir()
    (tmp_path / "note" / "types.go").write_text(text.replace("\tTitle ", title))
    result = searched(tmp_path / "note", "python")
    limits = [finding for finding in result.findings if finding.cause == "boundary"]
    assert {("spec.title", 11)} == {(one.path, len(one.case.object["spec"]["title"])) for one in limits}
    assert {True} == {one.detail.endswith("rejects a length of 15 or more") for one in limits}
    # A generated validator forgives what an update leaves as it is, and this handwritten one does not.
    assert "ratcheting" in {finding.cause for finding in result.findings}
