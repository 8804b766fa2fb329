"""Branches of handwritten validators that a search never took."""

from __future__ import annotations

import json
import shutil
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
    with watched_branches([tmp_path]) as found:
        exec(compile(source.read_text(), str(source), "exec"), space)
        space["f"](1)
    assert ([(str(source), 2, 4)], 2) == ([(one.file, one.line, one.to) for one in found.missed], found.total)


def test_nothing_that_ran_is_no_branch(tmp_path: Path) -> None:
    """And no error."""
    with watched_branches([tmp_path]) as found:
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


@pytest.mark.parametrize("arguments", [("--kubernetes", "1.37.1", "--against", "1.36.3"), (str(POLICY), "--jobs", "2")])
def test_only_what_can_be_counted_is_counted(capfd: Any, arguments: tuple[str, ...]) -> None:
    """Anything else is refused before it is searched."""
    told = call(capfd, "run", "--branches", *arguments)
    assert 2 == told.code
    assert "--branches measures" in told.err
