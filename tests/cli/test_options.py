"""The meaning of `-` for options that name an output."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call

ROOT = Path(__file__).parents[2]
MIGRATION = ROOT / "examples" / "migration"


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("docs", "migration", "--output", "-"), "folder"),
        (("run", "migration", "--max-cases", "50", "--report", "-"), "folder"),
        (("record", "migration", "--max-cases", "50", "--output", "-"), "file"),
    ],
)
def test_folders_and_recordings_cannot_be_standard_output(
    words: tuple[str, ...], what: str, capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`-` is rejected before the command does anything, and no file named `-` is created."""
    shutil.copytree(MIGRATION, tmp_path / "migration")
    monkeypatch.chdir(tmp_path)
    told = call(capfd, *words)
    assert (2, True) == (told.code, f"standard output is not a {what}" in told.err)
    assert not Path("-").exists()


def test_exported_tests_go_to_standard_output(capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is the same with `-` and without the option."""
    shutil.copytree(MIGRATION, tmp_path / "migration")
    monkeypatch.chdir(tmp_path)
    words = ("export", "migration", "--kind", "backups", "--field", "spec.keepDays")
    told = call(capfd, *words, "--output", "-")
    assert (0, call(capfd, *words).out) == (told.code, told.out)
    assert not Path("-").exists()
