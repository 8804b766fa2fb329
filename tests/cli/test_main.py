"""The way in: fast help, one line for every mistake, and never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from harness.cli import COMMANDS, main
from harness.diagnostics import Diagnostic, HarnessError, InputError, Position
from tests.cli.fakes import call


def test_help_lists_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    """The list is the tuple of commands, in its order."""
    told = call(capfd, "--help")
    assert told.code == 0
    places = [told.out.index(f"\n  {name} ") for name, _, _ in COMMANDS]
    assert sorted(places) == places


def test_help_is_there_at_once() -> None:
    """No command is imported for it. Units: seconds of processor, start of Python included."""
    code = (
        "import sys, time; from harness.cli.main import run; run(['--help']); "
        "print(time.process_time(), [m for m in sys.modules if m.split('.')[0] in "
        "('rich', 'msgspec', 'hypothesis', 'tree_sitter', 'jinja2', 'yaml')], file=sys.stderr)"
    )
    seconds = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        number, _, modules = done.stderr.partition(" ")
        assert modules.strip() == "[]"
        seconds.append(float(number))
    assert min(seconds) < 0.2


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_every_command_explains_itself(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Each has help of its own."""
    told = call(capfd, name, "--help")
    assert told.code == 0
    assert told.out.startswith(f"Usage: harness {name} ")


def test_a_misspelt_command_gets_the_near_miss(capfd: pytest.CaptureFixture[str]) -> None:
    """And exit code 2."""
    told = call(capfd, "chek")
    assert told.code == 2
    assert "did you mean check?" in told.err


def test_a_misspelt_option_gets_exit_code_2(capfd: pytest.CaptureFixture[str]) -> None:
    """Also from the parser of the command line."""
    told = call(capfd, "run", "--sed", "1")
    assert told.code == 2
    assert "No such option" in told.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (HarnessError("it cannot be done\x1b[2J"), 2, "harness: it cannot be done\\x1b[2J\n"),
        (
            InputError([Diagnostic(Position("a", 3), "slug", "one"), Diagnostic(Position("b"), "slug", "two")]),
            2,
            "harness: a:3: slug: one\nb: slug: two\n",
        ),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
    ],
)
def test_what_goes_wrong_is_one_message(
    error: BaseException, code: int, said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, with its exit code, and without a traceback."""

    def fail(**others: object) -> int:
        raise error

    monkeypatch.setattr(main.cli, "main", fail)
    told = call(capfd, "kinds")
    assert (code, "", said) == (told.code, told.out, told.err)


def test_an_internal_error_saves_its_traceback(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The traceback is in a file, and its path is printed."""

    def fail(**others: object) -> int:
        raise ZeroDivisionError("in the depths")

    monkeypatch.setattr(main.cli, "main", fail)
    told = call(capfd, "kinds")
    assert told.code == 2
    assert "sorry, this is a bug in the harness: ZeroDivisionError: in the depths" in told.err
    assert "Traceback" not in told.err
    place = Path(told.err.partition("saved in ")[2].split("\n")[0])
    assert "in the depths" in place.read_text(encoding="utf-8")
    place.unlink()


def test_a_reader_who_leaves_early_gets_no_complaint() -> None:
    """`harness explain | head -1` ends quietly."""
    code = "from harness.cli.main import main; main(['explain'])"
    process = subprocess.Popen([sys.executable, "-uc", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    process.wait(10)
    assert said == b""


def test_a_slow_command_prints_that_it_starts(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal only, and the line is erased again; never while a shell completes words."""
    assert "starting" not in call(capfd, "run", "--help").err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said = call(capfd, "run", "--help").err
    assert ("harness run: starting\r", " " * 21 + "\r") == (said[:22], said[22:44])
    assert "starting" not in call(capfd, "explain", "--help").err
    monkeypatch.setenv("_HARNESS_COMPLETE", "bash_complete")
    assert "starting" not in call(capfd, "run", "--help").err
