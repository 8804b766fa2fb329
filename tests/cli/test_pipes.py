"""A reader that leaves early changes nothing: not the exit code, not what is written, and nobody complains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MIGRATION = str(ROOT / "examples" / "migration")
SUITE = str(ROOT / "suites" / "claim_v1")
EQUIVALENT = ("run", SUITE, "--kind", "claims/status", "--max-cases", "200", "--seed", "1", "--jobs", "1")
DIFFERENT = ("run", MIGRATION, "--max-cases", "400", "--seed", "1", "--jobs", "1")


def ended(words: tuple[str, ...], folder: Path, read: int, both: bool) -> tuple[int, str]:
    """Run a command whose reader leaves after so many bytes. Returns: the exit code, what standard error said."""
    reader, writer = os.pipe()
    stderr = writer if both else subprocess.PIPE
    command = [sys.executable, "-m", "harness", *words]
    with subprocess.Popen(command, stdout=writer, stderr=stderr, cwd=folder) as process:
        os.close(writer)
        if read:
            os.read(reader, read)
        os.close(reader)
        said = process.stderr.read().decode() if process.stderr is not None else ""
    return process.returncode, said


@pytest.mark.parametrize(
    ("words", "read", "both", "code"),
    [
        ((*EQUIVALENT, "--json", "r.json"), 0, False, 0),
        ((*DIFFERENT, "--json", "r.json"), 0, True, 1),
        ((*DIFFERENT, "--markdown", "-", "--json", "r.json"), 1, False, 1),
        (("run", "nowhere"), 0, True, 2),
        (("kinds", SUITE), 1, False, 0),
        (("explain",), 1, True, 0),
    ],
)
def test_a_command_ends_as_it_would_have_ended(
    words: tuple[str, ...], read: int, both: bool, code: int, tmp_path: Path
) -> None:
    """Whether its reader left before the first byte or after it, and whatever goes into the pipe."""
    found, said = ended(words, tmp_path, read, both)
    assert code == found, said
    assert "Traceback" not in said
    assert "Broken pipe" not in said
    assert ("r.json" in words) == (tmp_path / "r.json").exists()
