"""The API of a subject that is not open: the types, and nothing started."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import HarnessError
from harness.subject import SubjectSpec
from harness.subject.typed import api_of

ROOT = Path(__file__).parents[2]


def test_a_suite_has_the_types_of_its_versions() -> None:
    """In packages of its group."""
    api = api_of(SubjectSpec("suite", str(ROOT / "suites" / "workload_v1")))
    assert api is not None
    assert {"fleet.example.com"} == {package.group for package in api.packages}
    assert all(api.universe.find(f"{package.path}.Workload") for package in api.packages)


def test_a_program_has_the_types_that_are_named(tmp_path: Path) -> None:
    """And none otherwise."""
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text("package v1\n\ntype T struct{}\n")
    api = api_of(SubjectSpec("command", "true", types=f"example.com/v1={tmp_path / 'v1'}"))
    assert api is not None
    assert ["example.com/v1"] == [package.path for package in api.packages]
    assert api_of(SubjectSpec("command", "true")) is None


def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    """As opening the subject tells it."""
    with pytest.raises(HarnessError):
        api_of(SubjectSpec("suite", str(tmp_path)))
