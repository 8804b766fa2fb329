"""Whoever follows a tutorial to the letter sees what it promises."""

from __future__ import annotations

from pathlib import Path

from tests.docs.follow import Scene, follow
from tests.docs.pages import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"


def test_five_minutes(tmp_path: Path) -> None:
    """With its edits, in order, the three findings of the example go away one by one."""
    follow(TUTORIAL / "five-minutes.md", Scene(tmp_path, cut=False, holding=("examples",)))


def test_a_first_migration(tmp_path: Path) -> None:
    """From an empty folder to green: every file, command, edit and output that the page shows."""
    follow(TUTORIAL / "first-migration.md", Scene(tmp_path, cut=False, holding=()))
