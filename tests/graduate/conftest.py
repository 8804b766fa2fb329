"""A small suite for commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_graduate import DOC
from tests.power.test_judge import HANDWRITTEN, SUITE, TYPES


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite with one live rule."""
    folder = tmp_path / "toy"
    folder.mkdir()
    files = {"types.go": TYPES, "handwritten.py": HANDWRITTEN, "suite.py": SUITE, "doc.go": DOC}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
