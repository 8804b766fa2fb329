"""A kind of target is a file and a line of `TARGETS`: its option, its reports and their replay follow."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.subject import SubjectSpec, open_subject
from harness.subject.openers import TARGETS
from harness.subject.opening import kind_of

ROOT = Path(__file__).parent.parent.parent
INVENTED = """
import sys
from dataclasses import replace

from harness.subject import openers
from harness.subject.openers.suite import open_suite
from harness.subject.targetkind import TargetKind


def open_shelf(spec, note):
    return open_suite(replace(spec, kind="suite"), note)


SHELF = TargetKind("shelf", open_shelf, lambda spec: None, metavar="FOLDER", help="A suite from the shelf.")
openers.TARGETS = (*openers.TARGETS, SHELF)

from harness.__main__ import main

sys.exit(main())
"""


def harness(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a harness that has the invented kind of target."""
    script = folder / "invented.py"
    script.write_text(INVENTED, encoding="utf-8")
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite in which one limit differs."""
    folder = tmp_path_factory.mktemp("shelf")
    suite = Path(shutil.copytree(ROOT / "examples" / "migration", folder / "migration"))
    types = suite / "types.go"
    types.write_text(types.read_text(encoding="utf-8").replace("maximum=28", "maximum=27"), encoding="utf-8")
    return folder


def test_an_invented_kind_has_its_option_reports_and_replay(shelf: Path) -> None:
    """Nothing but its record and its line is written: the option is in the help, and a report opens it again."""
    assert "--shelf FOLDER" in harness(shelf, "run", "--help").stdout
    found = harness(shelf, "run", "--shelf", "migration", "--max-cases", "600", "--jobs", "1", "--json", "r.json")
    assert 1 == found.returncode, found.stdout + found.stderr
    report = json.loads((shelf / "r.json").read_text(encoding="utf-8"))
    assert ("shelf", "migration") == tuple(report["parts"][0]["reach"][key] for key in ("kind", "location"))
    again = harness(shelf, "replay", "r.json", report["findings"][0]["fingerprint"])
    assert 1 == again.returncode, again.stdout + again.stderr
    both = harness(shelf, "run", "--shelf", "migration", "--command", "true")
    assert 2 == both.returncode
    assert "--shelf" in both.stderr


def test_what_a_report_of_somebody_else_names_is_not_run(shelf: Path) -> None:
    """A kind of target that says nothing of it runs code of whoever wrote the report."""
    report = shelf / "theirs.json"
    if not (shelf / "r.json").exists():
        harness(shelf, "run", "--shelf", "migration", "--max-cases", "600", "--jobs", "1", "--json", "r.json")
    report.write_text((shelf / "r.json").read_text(encoding="utf-8").replace("\n", "\n "), encoding="utf-8")
    refused = harness(shelf, "replay", "theirs.json")
    assert 2 == refused.returncode
    assert "--trust" in refused.stderr


def test_every_kind_has_a_name_of_its_own() -> None:
    """What a specification names is found by it; what nobody knows is refused with the names that are there."""
    names = [kind.name for kind in TARGETS]
    assert sorted(set(names)) == sorted(names)
    assert list(TARGETS) == [kind_of(name) for name in names]
    with pytest.raises(UsageError, match="one of suite, kubernetes, command, types"):
        open_subject(SubjectSpec("shelf", "x"))


@pytest.mark.parametrize(
    ("kind", "location", "runs"),
    [
        ("kubernetes", "1.37.1", False), ("kubernetes", "v1.37.1", False), ("kubernetes", "../checkout", True),
        ("suite", "suites/a_v1", True), ("command", "true", True), ("types", "types", False),
    ],
)  # fmt: skip
def test_who_chooses_the_code_that_runs(kind: str, location: str, runs: bool) -> None:
    """A release by its number is upstream's, types are read and not run; all else is whoever named it."""
    assert runs is kind_of(kind).runs_code(location)


def test_titles() -> None:
    """A suite is called by its folder, all else by its kind too."""
    assert "a_v1" == kind_of("suite").titled("suites/a_v1")
    assert "kubernetes 1.37.1" == kind_of("kubernetes").titled("1.37.1")
