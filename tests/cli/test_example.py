"""`--example`: objects of the user's own reach every command that searches, and stand in what is written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.fakes import FakeEngine, call

ROSTER = Path(__file__).parents[1] / "roster"
HEAD = "apiVersion: ward.example.org/v1\nkind: Roster\nmetadata: {name: a}\n"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def example(name: str, text: str) -> str:
    """Write a file."""
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return name


@pytest.mark.parametrize(
    "arguments", [("run", "--kubernetes", "1.37.1"), ("run", "--command", "program"), ("run", "suites/a_v1")]
)
def test_examples_reach_the_engine_for_every_target(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Files and folders, in the order of the command line."""
    engine = FakeEngine().install(monkeypatch)
    Path("suites/a_v1").mkdir(parents=True)
    Path("suites/a_v1/suite.py").write_text("SUITE = None\n")
    one = example("one.yaml", HEAD)
    example("more/two.json", '{"apiVersion": "v1", "kind": "Pod"}')
    call(capfd, *arguments, "--example", one, "--example", "more")
    (asked,) = engine.calls
    assert ["Roster", "Pod"] == [found.names[1] for found in asked.config.examples]


@pytest.mark.parametrize("command", ["run", "record", "power"])
def test_files_that_cannot_be_used_end_the_command(capfd: Any, command: str) -> None:
    """All of them are told with their lines, before anything is searched; the exit code is 2."""
    bad = [example("one.yaml", f"{HEAD}---\nspec: {{}}\n"), example("two.yaml", "a: [\n"), "three.yaml"]
    options = ["--output", "kept"] if command == "record" else []
    told = call(capfd, command, str(ROSTER), *options, *(word for name in bad for word in ("--example", name)))
    assert 2 == told.code
    for place in ("one.yaml:5: manifest-kind", "two.yaml:2:1: manifest-syntax", "three.yaml: example-unreadable"):
        assert place in told.err


def test_a_bad_example_of_a_suite_ends_its_run(capfd: Any) -> None:
    """With the line, and exit code 2."""
    shutil.copytree(ROSTER, "roster", ignore=shutil.ignore_patterns("__pycache__"))
    example("roster/examples/one.yaml", f"{HEAD}---\n[]\n")
    told = call(capfd, "run", "roster", "--max-cases", "20", "--jobs", "1")
    assert 2 == told.code
    assert "roster/examples/one.yaml:5: manifest-syntax" in told.err


def test_a_refused_example_stands_in_the_report_and_on_its_page(capfd: Any) -> None:
    """With its place, its kind and operation, and what each side says of it; a note tells it at once."""
    name = example("one.yaml", HEAD + "spec: {ward: nowhere, weeks: 15}\n")
    call(
        capfd, "run", str(ROSTER), "--max-cases", "20", "--jobs", "1", "--example", name, "--json", "r.json",
        "--html", "r.html",
    )  # fmt: skip
    created, updated = json.loads(Path("r.json").read_text())["examples"]
    assert ("one.yaml:1", "ward.example.org/v1 rosters", "create", "accepted") == (
        created["source"], created["kind"], created["operation"], created["expected"],
    )  # fmt: skip
    assert ["spec.ward", "spec.weeks"] == [error.partition(":")[0] for error in created["handwritten"]]
    assert ["spec.weeks"] == [error.partition(":")[0] for error in created["declarative"]]
    assert "update" == updated["operation"]
    page = Path("r.html").read_text()
    assert "one.yaml:1" in page
    assert "is not the mark of a ward" in page


def test_a_refused_example_is_told_at_once(capfd: Any) -> None:
    """And a line at the end says which ones are not as expected."""
    name = example("one.yaml", HEAD + "spec: {ward: nowhere, weeks: 15}\n")
    told = call(capfd, "run", str(ROSTER), "--max-cases", "20", "--jobs", "1", "--example", name)
    assert "example one.yaml:1: ward.example.org/v1 rosters create: rejected" in told.err
    assert "1 example replayed first, not as expected: one.yaml:1" in told.out
