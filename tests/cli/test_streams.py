"""Standard streams that are closed or full: findings are kept, the exit code says so, and there is no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.report.model.reading import read_report
from tests.robust.scene import LITTLE, write_suite

ROOT = Path(__file__).parents[2]


def shell(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `words` in a shell, where `harness` is the command."""
    script = f'harness() {{ "{sys.executable}" -m harness "$@"; }}\n{words}'
    environment = {
        "PATH": "/usr/bin:/bin",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("stream", [">&-", "> /dev/full", "2>&-", "2> /dev/full", "<&-", ">&- 2>&- <&-"])
def test_a_run_ends_with_its_report_whatever_its_streams_are(stream: str, tmp_path: Path) -> None:
    """What cannot be printed is lost; what was found is not. Output that is lost is exit code 2."""
    told = shell(f"harness run {write_suite(tmp_path)} {' '.join(LITTLE)} --json r.json {stream}", tmp_path)
    lost = ">&-" in stream.replace("2>&-", "") or stream == "> /dev/full"
    report = read_report(tmp_path / "r.json")
    assert (2 if lost else report.exit_code) == told.returncode, told
    assert "Traceback" not in told.stderr
    if stream in (">&-", "> /dev/full"):
        assert "standard output could not be written" in told.stderr


@pytest.mark.parametrize("words", ["explain go-nesting", "kinds {suite} --json", "config"])
def test_a_full_disk_is_told(words: str, tmp_path: Path) -> None:
    """On the other stream, and with exit code 2."""
    told = shell(f"harness {words.format(suite=write_suite(tmp_path))} > /dev/full", tmp_path)
    assert 2 == told.returncode
    assert "standard output could not be written: No space left on device" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_file_never_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """Words that are printed would stand in it."""
    shell(
        f"harness run {write_suite(tmp_path)} {' '.join(LITTLE)} --events e.ndjson --json r.json >&- 2>&- <&-", tmp_path
    )
    assert all(json.loads(line) for line in (tmp_path / "e.ndjson").read_text().splitlines())
    assert json.loads((tmp_path / "r.json").read_text())


INTERRUPTS = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["harness", "kinds", {suite!r}]
from harness.__main__ import main
main()
"""
"""Interrupts the command while it imports a module."""


@pytest.mark.parametrize("name", ["click", "harness.cli.main", "harness.cli.streams", "msgspec", "harness.cli.kinds"])
def test_an_interrupt_while_python_imports_is_no_traceback(name: str, tmp_path: Path) -> None:
    """It is an interrupt like any other."""
    code = INTERRUPTS.format(name=name, suite=str(write_suite(tmp_path)))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (130, "interrupted\n") == (done.returncode, done.stderr.lstrip())
