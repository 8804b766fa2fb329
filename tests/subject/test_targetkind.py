"""A new kind of target needs a file and a line in `TARGETS`; its option, reports and replay need no other code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.diagnostics import UsageError
from harness.subject import SubjectSpec, open_subject
from harness.subject.openers import TARGETS
from harness.subject.opening import kind_of
from tests.extended import run_extended

ROOT = Path(__file__).parent.parent.parent
INVENTED = """
from dataclasses import replace

from harness.subject import openers
from harness.subject.openers.suite import open_suite
from harness.subject.targetkind import TargetKind


def open_shelf(spec, note):
    return open_suite(replace(spec, kind="suite"), note)


SHELF = TargetKind("shelf", open_shelf, lambda spec: None, metavar="FOLDER", help="A suite from the shelf.")
openers.TARGETS = (*openers.TARGETS, SHELF)
"""


def harness(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a harness that has the invented kind of target."""
    return run_extended(folder, INVENTED, *arguments)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite in which one limit differs."""
    folder = tmp_path_factory.mktemp("shelf")
    suite = Path(shutil.copytree(ROOT / "examples" / "migration", folder / "migration"))
    types = suite / "types.go"
    types.write_text(types.read_text(encoding="utf-8").replace("maximum=28", "maximum=27"), encoding="utf-8")
    return folder


def test_an_invented_kind_has_its_option_reports_and_replay(shelf: Path) -> None:
    """Its option is in the help of `run`, and `replay` opens it again from a report."""
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


def test_code_of_another_user_is_not_run(shelf: Path) -> None:
    """By default, a kind of target is assumed to run code that the author of the report chose."""
    report = shelf / "theirs.json"
    if not (shelf / "r.json").exists():
        harness(shelf, "run", "--shelf", "migration", "--max-cases", "600", "--jobs", "1", "--json", "r.json")
    report.write_text((shelf / "r.json").read_text(encoding="utf-8").replace("\n", "\n "), encoding="utf-8")
    refused = harness(shelf, "replay", "theirs.json")
    assert 2 == refused.returncode
    assert "--trust" in refused.stderr


def test_every_kind_has_a_unique_name() -> None:
    """A specification finds its kind by the name; an unknown name is an error with the known ones."""
    names = [kind.name for kind in TARGETS]
    assert sorted(set(names)) == sorted(names)
    assert list(TARGETS) == [kind_of(name) for name in names]
    with pytest.raises(UsageError, match="one of suite, kubernetes, crd, policy, server, command, types"):
        open_subject(SubjectSpec("shelf", "x"))


@pytest.mark.parametrize(
    ("kind", "location", "runs"),
    [
        ("kubernetes", "1.37.1", False), ("kubernetes", "v1.37.1", False), ("kubernetes", "../checkout", True),
        ("suite", "suites/a_v1", True), ("command", "true", True), ("types", "types", False),
        ("crd", "config/crd", False),
    ],
)  # fmt: skip
def test_only_releases_and_types_run_no_chosen_code(kind: str, location: str, runs: bool) -> None:
    """A release number names upstream's code, and types are not run; checkouts, suites and programs are."""
    assert runs is kind_of(kind).runs_code(location)


def test_titles() -> None:
    """The title of a suite is its folder; other titles begin with the kind."""
    assert "a_v1" == kind_of("suite").title_of("suites/a_v1")
    assert "kubernetes 1.37.1" == kind_of("kubernetes").title_of("1.37.1")
