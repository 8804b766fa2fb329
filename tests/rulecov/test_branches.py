"""Branches of handwritten validators that a search never took."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.rulecov.branches import watched_branches
from tests.cli.fakes import call

POLICY = Path(__file__).parents[2] / "suites" / "policy_v1"


def test_a_branch_that_was_never_taken_is_named(tmp_path: Path) -> None:
    """By file, line, and where it would have led."""
    source = tmp_path / "handwritten.py"
    source.write_text("def f(x):\n    if x:\n        return 1\n    return 2\n")
    space: dict[str, Any] = {}
    with watched_branches([tmp_path]) as (watch, found), watch():
        exec(compile(source.read_text(), str(source), "exec"), space)
        space["f"](1)
    assert ([(str(source), 2, 4)], 2) == ([(one.file, one.line, one.to) for one in found.missed], found.total)


def test_nothing_that_ran_is_no_branch(tmp_path: Path) -> None:
    """And no error."""
    with watched_branches([tmp_path]) as (watch, found), watch():
        pass
    assert ((), 0) == (found.missed, found.total)


def test_a_run_lists_the_branch_that_nothing_reaches(
    tmp_path: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the terminal and in the document, and no other of the suite."""
    folder = tmp_path / "policy_v1"
    shutil.copytree(POLICY, folder, ignore=shutil.ignore_patterns("__pycache__", "rules.ratchet"))
    source = folder / "handwritten.py"
    lines = source.read_text(encoding="utf-8").splitlines()
    body = next(number for number, line in enumerate(lines) if line.startswith("    return errors"))
    lines.insert(body, "    if new is None:\n        return []")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    told = call(capfd, "run", folder, "--branches", "--max-cases", "2000", "--json", "r.json")
    assert f"never taken: policy_v1/handwritten.py:{body + 1} -> {body + 2}" in told.out
    branches = json.loads(Path("r.json").read_text())["branches"]
    assert {"file": "policy_v1/handwritten.py", "line": body + 1, "to": body + 2} in branches["missed"]


def test_a_branch_counts_that_any_process_took(tmp_path: Path) -> None:
    """Several measurements of one folder are one."""
    source = tmp_path / "handwritten.py"
    source.write_text("def f(x):\n    if x > 1:\n        return 1\n    if x > 0:\n        return 2\n    return 3\n")
    space: dict[str, Any] = {}
    with watched_branches([tmp_path]) as (watch, found):
        for value in (2, 1):
            with watch():
                exec(compile(source.read_text(), str(source), "exec"), space)
                space["f"](value)
    assert ([(4, 6)], 4, 0) == ([(one.line, one.to) for one in found.missed], found.total, found.lost)


def test_a_process_that_was_killed_is_missed(tmp_path: Path) -> None:
    """What it took is unknown, and the run says that."""
    with watched_branches([tmp_path]) as (watch, found):
        code = (
            "import os; from harness.targets.branchwatch import BranchWatch\n"
            f"with BranchWatch({watch.folder!r}, ({str(tmp_path)!r},))(): os._exit(1)"
        )
        subprocess.run([sys.executable, "-c", code], check=False)
    assert 1 == found.lost


def test_processes_reach_what_one_process_reaches(tmp_path: Path, capfd: Any) -> None:
    """The same branches, of the same cases."""
    suite = POLICY.parent / "claim_v1"
    told = []
    for jobs in ("1", "2"):
        call(capfd, "run", suite, "--branches", "--max-cases", "600", "--seed", "1", "--jobs", jobs, "--json",
             tmp_path / jobs)  # fmt: skip
        told.append(json.loads((tmp_path / jobs).read_text())["branches"])
    assert told[0] == told[1]
    assert told[0]["total"] > len(told[0]["missed"]) > 0


@pytest.mark.parametrize("arguments", [("--kubernetes", "1.37.1", "--against", "1.36.3")])
def test_only_what_can_be_counted_is_counted(capfd: Any, arguments: tuple[str, ...]) -> None:
    """Anything else is refused before it is searched."""
    told = call(capfd, "run", "--branches", *arguments)
    assert 2 == told.code
    assert "--branches measures" in told.err
