"""Warnings of a suite are told by every command that opens it, as they were written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import call

ROOT = Path(__file__).parents[2]
TAG = '+k8s:beta(since: "1.37")=+k8s:maxLength=32'


@pytest.mark.parametrize(
    "words",
    [
        ("run", "migration", "--max-cases", "20"),
        ("record", "migration", "--max-cases", "20", "--output", "m.rec"),
        ("kinds", "migration"),
        ("check", "migration", "migration/examples/valid-small.yaml"),
        ("export", "migration", "--kind", "backups", "--field", "spec.keepDays"),
    ],
)
def test_a_warning_of_several_lines_stands_on_several_lines(
    words: tuple[str, ...], capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where, what, the source, why and how to fix it, each on its line."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "migration", "migration")
    types = Path("migration/types.go")
    assert TAG in types.read_text()
    types.write_text(types.read_text().replace(TAG, "+k8s:maxLenght=32"))
    told = call(capfd, *words)
    assert "\\x0a" not in told.err
    assert "  fix: did you mean k8s:maxLength?" in told.err.splitlines()
