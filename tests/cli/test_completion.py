"""Completion: scripts for three shells, and what they are offered."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli import COMMANDS
from tests.cli.fakes import call

ROOT = Path(__file__).parents[2]


def offered(*words: str, folder: Path = ROOT) -> list[str]:
    """What bash gets for the last word."""
    env = {
        **os.environ, "_HARNESS_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("harness", *words)),
        "COMP_CWORD": str(len(words)), "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    command = [sys.executable, "-c", "from harness.cli.main import main; main()"]
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=True)
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_every_shell(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Which asks the program itself, and which the shell can read where it is installed."""
    told = call(capfd, "completion", shell)
    assert 0 == told.code
    assert "_HARNESS_COMPLETE=" + shell in told.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=told.out, text=True, check=True)


def test_commands_and_options_are_offered() -> None:
    """Every command that begins so; options of the command that is typed."""
    assert [name for name, _, _ in COMMANDS if name.startswith("re")] == offered("re")
    assert ["--max-time", "--max-cases"] == offered("run", "--max")


def test_values_are_offered(tmp_path: Path) -> None:
    """Suites, words that can be explained, and the findings of a report."""
    assert "suites/claim_v1" in offered("run", "suites/c")
    assert ["ratcheting"] == offered("explain", "ratcheti")
    finding = {"fingerprint": "abc123", "cause": "no-rule", "kind": "Widget", "path": "spec.size"}
    (tmp_path / "r.json").write_text(json.dumps({"findings": [finding]}), encoding="utf-8")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    assert ["abc123"] == offered("replay", "r.json", "a", folder=tmp_path)
    assert [] == offered("replay", "bad.json", "a", folder=tmp_path)
