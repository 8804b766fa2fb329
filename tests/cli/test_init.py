"""`harness init`: what it writes runs, is equivalent, and is never written over anything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.fakes import call


def test_what_is_written_runs_and_compares(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Both operations are asked, all rules are seen at work on both sides, and nothing differs."""
    made = call(capfd, "init", tmp_path / "widgets_v1")
    assert made.code == 0
    report = tmp_path / "report.json"
    # In a process of its own, where no other suite is imported.
    ran = subprocess.run(
        [sys.executable, "-m", "harness", "run", tmp_path / "widgets_v1", "--max-cases", "1500", "--json", report],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert (0, "") == (ran.returncode, "" if ran.returncode == 0 else ran.stdout + ran.stderr)
    document = json.loads(report.read_text(encoding="utf-8"))
    assert [("create", True), ("update", True)] == [(one["operation"], one["has_seed"]) for one in document["kinds"]]
    assert {"Invalid/minimum", "Invalid/maximum"} <= {
        f"{one['type'].removeprefix('FieldValue')}/{one['origin']}" for one in document["rules"] if one["handwritten"]
    }


def test_a_suite_with_a_pydantic_model_runs_and_compares(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It has no types, an object is accepted, and nothing differs; a group would mean nothing."""
    folder = tmp_path / "widgets"
    made = call(capfd, "init", folder, "--pydantic")
    assert (0, ["examples", "handwritten.py", "model.py", "suite.py"]) == (
        made.code, sorted(one.name for one in folder.iterdir()),
    )  # fmt: skip
    assert "then replace model.py" in made.out
    report = tmp_path / "report.json"
    assert 0 == call(capfd, "run", folder, "--max-cases", "1500", "--json", report).code
    document = json.loads(report.read_text(encoding="utf-8"))
    assert [("widget", True)] == [(one["resource"], one["has_seed"]) for one in document["kinds"]]
    assert 0 == call(capfd, "check", folder, folder / "examples" / "valid.yaml").code
    assert 2 == call(capfd, "init", tmp_path / "others", "--pydantic", "--group", "example.com").code


def test_its_example_is_accepted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """By both sides, with every field known."""
    folder = tmp_path / "policies_v2beta1"
    call(capfd, "init", folder, "--group", "example.com")
    told = call(capfd, "check", folder, folder / "examples" / "valid.yaml", "--strict")
    assert 0 == told.code
    assert "example.com/v2beta1 policies create" in told.out
    assert "rejected" not in told.out


@pytest.mark.parametrize(
    ("name", "kind"), [("widgets", "Widget"), ("policies_v1", "Policy"), ("classes_v1", "Class"), ("boxes", "Box")]
)
def test_the_kind_is_made_of_the_name(name: str, kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As an author would, for the usual plurals."""
    assert 0 == call(capfd, "init", tmp_path / name).code
    assert f'kind="{kind}"' in (tmp_path / name / "suite.py").read_text(encoding="utf-8")


def test_nothing_is_overwritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither a folder with files nor a file of that name."""
    (tmp_path / "widgets").mkdir()
    (tmp_path / "widgets" / "mine.py").write_text("mine", encoding="utf-8")
    (tmp_path / "gadgets").write_text("mine", encoding="utf-8")
    for name in ("widgets", "gadgets"):
        told = call(capfd, "init", tmp_path / name)
        assert 2 == told.code
        assert "is not overwritten" in told.err
    assert ["mine.py"] == [path.name for path in (tmp_path / "widgets").iterdir()]


def test_everything_wrong_is_told_at_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Name, kind and group, each with a fix."""
    told = call(capfd, "init", tmp_path / "My Widgets", "--kind", "widget", "--group", "Example")
    assert 2 == told.code
    assert 3 == told.err.count("fix:")
    assert not (tmp_path / "My Widgets").exists()


def test_a_folder_that_cannot_be_written_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """With the reason."""
    told = call(capfd, "init", "/dev/null/widgets_v1")
    assert 2 == told.code
    assert "cannot be written" in told.err or "is not overwritten" in told.err
    assert "Traceback" not in told.err
