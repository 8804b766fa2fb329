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
    bad = [example("two.yaml", "a: [\n"), "three.yaml"]
    options = ["--output", "kept"] if command == "record" else []
    told = call(capfd, command, str(ROSTER), *options, *(word for name in bad for word in ("--example", name)))
    assert 2 == told.code
    for place in ("two.yaml:2:1: manifest-syntax", "three.yaml: example-unreadable"):
        assert place in told.err


@pytest.mark.parametrize("command", ["run", "record", "power"])
def test_an_example_without_a_kind_ends_the_command(capfd: Any, command: str) -> None:
    """With its line, once the target is open: only then it is known whether its objects have kinds."""
    options = ["--output", "kept"] if command == "record" else []
    bad = example("one.yaml", f"{HEAD}---\nspec: {{}}\n")
    told = call(capfd, command, str(ROSTER), *options, "--example", bad)
    assert 2 == told.code
    assert "one.yaml:5: manifest-kind" in told.err


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


def test_objects_of_a_cluster_are_examples_without_secrets(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a search asks, keeps or writes has a value of a Secret, because the search never sees one."""
    engine = FakeEngine().install(monkeypatch)
    secret = (
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "uid": "5"}, "stringData": {"p": "hunter2"}}'
    )
    dump = example("dump.json", '{"kind": "List", "items": [' + ", ".join([secret] * 30) + "]}")
    told = call(
        capfd, "run", "--kubernetes", "1.37.1", "--objects", dump, "--json", "report.json", "--corpus", "corpus"
    )
    (asked,) = engine.calls
    [found] = asked.config.examples
    assert {"name": "a"} == found.object["metadata"]
    assert {"p": "xxxxxxx"} == found.object["stringData"]
    assert "1 of 30 objects are used" in told.err
    written = [file.read_bytes() for file in Path.cwd().rglob("*") if file.is_file() and file.name != dump]
    assert written
    assert not [data for data in written if b"hunter2" in data]
    assert "hunter2" not in told.out + told.err


def test_a_corpus_of_a_search_from_objects_has_no_secret(capfd: Any) -> None:
    """A real search keeps what it accepts; the value of an annotation was replaced before."""
    text = HEAD.replace("{name: a}", "{name: a, annotations: {x.example.com/last-applied: hunter2}}")
    dump = example("dump.yaml", text + "spec: {}\n")
    call(capfd, "run", str(ROSTER), "--objects", dump, "--corpus", "corpus", "--max-cases", "50", "--jobs", "1")
    written = [file.read_bytes() for file in Path.cwd().rglob("*") if file.is_file() and file.name != dump]
    assert written
    assert not [data for data in written if b"hunter2" in data]


def test_a_damaged_dump_ends_the_command(capfd: Any) -> None:
    """Before anything is searched, as a damaged example does."""
    told = call(capfd, "run", str(ROSTER), "--objects", example("dump.json", '{"kind": "List", "items": ['))
    assert 2 == told.code
    assert "dump.json:1: dump-syntax" in told.err
