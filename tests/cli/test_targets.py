"""Naming a target: the same words for every command, on the way in and on the way out."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from harness.cli.configuration import parse_gates
from harness.cli.targets import arguments_of, embedded_suites, reach_of, spec_of
from harness.diagnostics import InputError
from harness.subject import SubjectSpec
from tests.cli.fakes import call


@pytest.mark.parametrize(
    "spec",
    [
        SubjectSpec("suite", "suites/widgets_v1"),
        SubjectSpec("kubernetes", "1.37.1", {"A": True, "B": False}, None, "given", "python"),
        SubjectSpec("command", "node 'my worker.mjs'", types="api=types"),
    ],
)
def test_a_report_says_how_to_open_its_target(spec: SubjectSpec) -> None:
    """What is written down opens the same."""
    assert spec == spec_of(reach_of(spec))


def test_arguments_name_a_target_on_the_command_line() -> None:
    """Quoted, so that they can be pasted."""
    spec = SubjectSpec("command", "node 'my worker.mjs'", {"A": True}, "types", "given", "python")
    assert (shlex.split(arguments_of(spec))) == [
        "--command",
        "node 'my worker.mjs'",
        "--types",
        "types",
        "--gates",
        "A=true",
        "--mode",
        "given",
        "--declarative",
        "python",
    ]


def test_the_other_of_two_travels_with_the_report() -> None:
    """A finding between two releases is shown again between the same two."""
    spec = SubjectSpec("kubernetes", "1.37.1", against="1.36.3")
    assert spec == spec_of(reach_of(spec))
    assert shlex.split(arguments_of(spec)) == ["--kubernetes", "1.37.1", "--against", "1.36.3"]


def test_gates_are_read_from_several_options() -> None:
    """Separated by commas or not."""
    assert parse_gates(["A=true,B=FALSE", "C=True", ""]) == {"A": True, "B": False, "C": True}


def test_every_wrong_gate_is_told() -> None:
    """Not the first one alone."""
    with pytest.raises(InputError) as caught:
        parse_gates(["A=1,B=true,=true"])
    assert len(caught.value.diagnostics) == 2


def test_suites_are_folders_with_a_suite_file(tmp_path: Path) -> None:
    """In order of name, without the one that needs a toolchain."""
    for name in ("b_v1", "a_v1", "kubernetes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "suite.py").touch()
    (tmp_path / "notes").mkdir()
    assert [str(tmp_path / "a_v1"), str(tmp_path / "b_v1")] == embedded_suites(tmp_path)


def test_a_program_with_an_open_quotation_mark_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """The words say what is wrong with it."""
    for words in (("kinds", "--command", "worker 'a"), ("check-worker", "worker 'a")):
        told = call(capfd, *words)
        assert 2 == told.code
        assert "cannot be taken apart: No closing quotation" in told.err


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "1.37.1/" + "y" * 300])
def test_a_name_longer_than_a_file_may_have_is_told(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """As a release, a suite or a file: with a message, shortened."""
    for words in (("kinds", "--kubernetes", name), ("kinds", name), ("check", name, name), ("render", name)):
        told = call(capfd, *words)
        assert 2 == told.code
        assert told.err.startswith(("harness: ", "Usage: "))
        assert "bug of the harness" not in told.err
