"""Whoever follows a page to the letter sees what it promises: both tutorials, and the page about workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.follow import Scene, follow
from tests.docs.pages import ROOT

TUTORIAL = ROOT / "docs" / "tutorial"


def test_five_minutes(tmp_path: Path) -> None:
    """With its edits, in order, the three findings of the example go away one by one."""
    follow(TUTORIAL / "five-minutes.md", Scene(tmp_path, cut=False, holding=("examples",)))


def test_a_first_migration(tmp_path: Path) -> None:
    """From an empty folder to green: every file, command, edit and output that the page shows."""
    follow(TUTORIAL / "first-migration.md", Scene(tmp_path, cut=False, holding=()))


@pytest.mark.node
def test_a_worker(tmp_path: Path) -> None:
    """What the example is asked and answers is what the page shows, and its mistake is found."""
    follow(ROOT / "docs" / "how-to" / "write-a-worker.md", Scene(tmp_path))


def test_a_migration_to_pydantic(tmp_path: Path) -> None:
    """Its three differences are found and named as the page says, and none is left once they are mended."""
    follow(ROOT / "docs" / "how-to" / "migrate-to-pydantic.md", Scene(tmp_path, cut=False, holding=()))


@pytest.mark.kubernetes
def test_a_migration_to_a_policy(tmp_path: Path) -> None:
    """The mistake of the policy is found and named as the page says, and nothing is left once it is mended."""
    follow(ROOT / "docs" / "how-to" / "migrate-to-a-policy.md", Scene(tmp_path, cut=False, holding=()))


def test_a_migration_to_cel(tmp_path: Path) -> None:
    """The mistakes of its rule are found, and nothing is left once they are mended; no server is asked."""
    follow(ROOT / "docs" / "how-to" / "migrate-a-webhook-to-cel.md", Scene(tmp_path, cut=False, holding=()))
