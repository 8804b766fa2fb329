"""The benchmark measures what it says, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import msgspec
from click.testing import CliRunner

from bench.__main__ import main
from bench.record import Document, Measured


def test_every_question_is_answered_with_a_peer_beside_it(tmp_path: Path) -> None:
    """Each section has a line for the peer and lines for us; a run says where its time went."""
    file = tmp_path / "bench.json"
    result = CliRunner().invoke(main, ["--seconds", "0.1", "--json", str(file)])
    assert (result.exit_code, result.exception) == (0, None)
    document = msgspec.json.decode(file.read_bytes(), type=Document)
    assert [len(section.lines) for section in document.sections] == [4, 3, 2]
    # A tenth of a second is enough for a batch of each loop; whether it is for a whole run depends on the machine.
    assert all(line.rate > 0 for section in document.sections[:2] for line in section.lines)
    assert all(line.rate >= 0 and line.timings is not None for line in document.sections[2].lines)
    assert [section.left_out for section in document.sections] == [()] * 3
    assert "exchanges/s" in result.output


def test_a_target_that_cannot_be_opened_is_left_out_with_its_reason() -> None:
    """One bad target costs its own line, not the others'."""
    result = CliRunner().invoke(main, ["--seconds", "0.1", "--only", "run", "--command", "no-such-program"])
    assert result.exit_code == 0
    assert "left out: command: no-such-program" in result.output
    assert "python: workload_v1" in result.output


def test_a_rate_needs_time() -> None:
    """Nothing in no time is no rate, and no error."""
    assert (Measured("a", 10, 0.5).rate, Measured("a", 10, 0.0).rate) == (20.0, 0.0)
