"""The page about exported tests tells the truth: its commands work, and what they write passes or fails."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "how-to" / "export-tests.md").read_text(encoding="utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder with what the page speaks of."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copytree(ROOT / "suites" / "claim_v1", tmp_path / "suites" / "claim_v1")
    return tmp_path


def run(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python there."""
    command = [sys.executable, "-m", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, cwd=path, env=environment, timeout=240, check=False)


def test_its_commands(path: Path) -> None:
    """Every command on a suite runs; the finding's test fails, those of the fields pass."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    local = [line for line in lines if "--kubernetes" not in line and "reports/" not in line]
    codes = [run(path, *shlex.split(line)).returncode for line in local]
    assert [1, 0, 0, 0] == codes
    done = run(path, "pytest", "-q", "-p", "no:cacheprovider", ".", "--ignore=suites", "--ignore=examples")
    assert ["1 failed"] == re.findall(r"\d+ failed", done.stdout), done.stdout
    assert "test_found.py" in done.stdout


def test_what_is_not_shown(path: Path) -> None:
    """The line that the page shows is what the command says."""
    [line] = re.findall(r"^not shown: .*$", PAGE, re.MULTILINE)
    done = run(path, "harness", "export", "suites/claim_v1", "--kind", "claims", "--field", "spec.priority")
    assert line in done.stderr
