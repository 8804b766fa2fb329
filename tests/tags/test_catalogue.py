"""The catalogue of tags is a function of their declarations."""

from __future__ import annotations

from pathlib import Path

from harness.tags.catalogue import catalogue
from harness.tags.registry import SPECS, usage_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "tags.md"


def test_the_committed_page_is_up_to_date() -> None:
    """docs/reference/tags.md is what `python -m harness.tags.catalogue` prints."""
    assert catalogue() == PAGE.read_text(encoding="utf-8")


def test_every_tag_has_its_section() -> None:
    """No tag is left out."""
    lines = catalogue().splitlines()
    assert [spec.name for spec in SPECS.values() if f"### `+{usage_of(spec)}`" not in lines] == []
