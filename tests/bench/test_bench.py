"""The benchmark measures what it says, for people and for programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
from click.testing import CliRunner

from bench.__main__ import main
from bench.medium import INVALID, VALID, WRONG
from bench.record import Document, Measured
from bench.validators import checks


def test_every_question_is_answered_with_a_peer_beside_it(tmp_path: Path) -> None:
    """Each section has a line for the peer and lines for us; a run says where its time went."""
    file = tmp_path / "bench.json"
    result = CliRunner().invoke(main, ["--seconds", "0.1", "--json", str(file)])
    assert (result.exit_code, result.exception) == (0, None)
    document = msgspec.json.decode(file.read_bytes(), type=Document)
    assert [4, 3, 4, 4, 2, 3, 7] == [len(section.lines) for section in document.sections]
    # A tenth of a second is enough for a batch of each loop; whether it is for a whole run depends on the machine.
    assert all(line.rate > 0 for section in document.sections[:6] for line in section.lines)
    assert all(line.rate >= 0 and line.timings is not None for line in document.sections[6].lines)
    assert [section.left_out for section in document.sections] == [()] * 7
    assert "exchanges/s" in result.output


def test_without_its_peers_it_says_what_to_install(tmp_path: Path) -> None:
    """In place of a traceback."""
    (tmp_path / "pydantic.py").write_text("raise ModuleNotFoundError('no', name='pydantic')")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parent.parent.parent}"}
    done = subprocess.run([sys.executable, "-m", "bench"], env=environment, capture_output=True, text=True, check=False)
    assert 2 == done.returncode
    assert done.stderr.startswith("pydantic is not installed\n")
    assert "fix: pip install '.[bench]'" in done.stderr


def test_whoever_is_measured_finds_the_same() -> None:
    """No speed is bought by looking at less: each finds every mistake at its path, and none in a valid object."""
    for name, check in checks().items():
        assert (name, sorted(WRONG), []) == (name, sorted(check(INVALID)), check(VALID))


def test_a_target_that_cannot_be_opened_is_left_out_with_its_reason() -> None:
    """One bad target costs its own line, not the others'."""
    result = CliRunner().invoke(main, ["--seconds", "0.1", "--only", "run", "--command", "no-such-program"])
    assert result.exit_code == 0
    assert "left out: command: no-such-program" in result.output
    assert "python: workload_v1" in result.output


def test_a_rate_needs_time() -> None:
    """Nothing in no time is no rate, and no error."""
    assert (Measured("a", 10, 0.5).rate, Measured("a", 10, 0.0).rate) == (20.0, 0.0)
