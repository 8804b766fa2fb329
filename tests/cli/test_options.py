"""What `-` means where a command writes."""

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
def test_standard_output_is_no_folder_and_takes_no_recording(
    words: tuple[str, ...], what: str, capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be written there is refused before anything is done, and nothing named - is made."""
    shutil.copytree(MIGRATION, tmp_path / "migration")
    monkeypatch.chdir(tmp_path)
    told = call(capfd, *words)
    assert (2, True) == (told.code, f"standard output is no {what}" in told.err)
    assert not Path("-").exists()


def test_exported_tests_go_to_standard_output(capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with and without the dash."""
    shutil.copytree(MIGRATION, tmp_path / "migration")
    monkeypatch.chdir(tmp_path)
    words = ("export", "migration", "--kind", "backups", "--field", "spec.keepDays")
    told = call(capfd, *words, "--output", "-")
    assert (0, call(capfd, *words).out) == (told.code, told.out)
    assert not Path("-").exists()
