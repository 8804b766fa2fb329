"""`harness check-worker`: each promise of the protocol, kept or broken."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from harness.cli import check_worker
from harness.targets.conformance import CheckResult
from tests.cli.fakes import call


def test_broken_promises_are_told_with_a_fix(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """And decide the exit code."""
    seen: list[list[str]] = []
    results = [CheckResult("greets", True), CheckResult("answers", False, "nothing\x1b", "flush the output")]

    def check(argv: list[str], timeout: float) -> list[CheckResult]:
        seen.append(argv)
        return results

    monkeypatch.setattr(check_worker, "check_worker", check)
    told = call(capfd, "check-worker", "node 'my worker.mjs' -v")
    assert told.code == 1
    assert "ok    greets\nFAIL  answers\n      saw: nothing\\x1b\n      fix: flush the output\n" in told.out
    assert seen == [["node", "my worker.mjs", "-v"]]
    results.pop()
    assert call(capfd, "check-worker", "--", "node", "worker.mjs", "-v").code == 0
    assert seen[1] == ["node", "worker.mjs", "-v"]


def test_a_program_that_is_no_worker_breaks_a_promise(capfd: Any) -> None:
    """It is not mistaken for a program that cannot be started."""
    told = call(capfd, "check-worker", "--timeout", "5", "--", sys.executable, "-c", "print('hello')")
    assert told.code == 1
    assert "FAIL  greets" in told.out


def test_a_program_that_cannot_be_started_does_not_pass(capfd: Any) -> None:
    """Whatever the reason."""
    assert call(capfd, "check-worker", "/nowhere/worker").code != 0
