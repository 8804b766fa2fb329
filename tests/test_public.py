"""The public names are those of `__all__`, and they cost nothing until they are used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import harness


def test_what_is_visible_is_what_is_public() -> None:
    """`dir(harness)` and `__all__` name the same, and every name can be had."""
    assert sorted(harness.__all__) == dir(harness)
    assert all(getattr(harness, name) is not None for name in harness.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as it does for any module."""
    with pytest.raises(AttributeError, match="pears"):
        _ = harness.pears


def test_importing_the_package_imports_nothing_heavy() -> None:
    """Neither Hypothesis nor the readers of types are loaded before they are used."""
    code = (
        "import sys, harness; print([m for m in ('hypothesis', 'tree_sitter', 'msgspec', 'rich') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == result.stdout.strip()


def test_the_version_is_that_of_the_distribution() -> None:
    """pyproject.toml and the package say the same version."""
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^version = "(.*)"$', text, re.MULTILINE)
    assert found is not None
    assert harness.__version__ == found.group(1)
