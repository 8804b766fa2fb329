"""A report format and a command are a module and a line each: options, help and folders of all formats follow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
FORMAT = """
def render(report):
    return f"{len(report.findings)} findings in {len(report.parts)} parts\\n"
"""
COMMAND = """
import click


@click.command("shout")
@click.argument("word")
def command(word: str) -> int:
    "Say a word aloud."
    click.echo(word.upper())
    return 0
"""
SCRIPT = """
import importlib.util
import sys

from harness import cli, reporting


def add(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


add("harness.reporting.invented", "invented.py")
add("harness.cli.shout", "shout.py")
reporting.REPORTS = (*reporting.REPORTS, reporting.ReportFormat("count", "count.txt", "invented:render", "a count"))
cli.COMMANDS = (*cli.COMMANDS, ("shout", "shout", "Say a word aloud."))

from harness.__main__ import main

main()
"""


def harness(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a harness with the additions."""
    for name, text in (("invented.py", FORMAT), ("shout.py", COMMAND), ("main.py", SCRIPT)):
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, str(folder / "main.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)


def test_an_invented_format_is_written_like_every_other(tmp_path: Path) -> None:
    """By its option, into the folder of all formats, and from a saved report."""
    suite = str(ROOT / "suites" / "claim_v1")
    told = harness(tmp_path, "run", suite, "--max-cases", "200", "--jobs", "1", "--report", "out")
    assert 0 == told.returncode, told.stderr
    assert "0 findings in 1 parts\n" == (tmp_path / "out" / "count.txt").read_text(encoding="utf-8")
    again = harness(tmp_path, "render", "out/report.json", "--count", "-")
    assert (0, "0 findings in 1 parts\n") == (again.returncode, again.stdout)


def test_an_invented_command_is_found_and_helped_with(tmp_path: Path) -> None:
    """In the list of commands, when it is called, and where it is misspelt."""
    assert "Say a word aloud." in harness(tmp_path, "--help").stdout
    assert (0, "HO\n") == (lambda done: (done.returncode, done.stdout))(harness(tmp_path, "shout", "ho"))
    missed = harness(tmp_path, "shoutt", "ho")
    assert 2 == missed.returncode
    assert "shout" in missed.stderr
