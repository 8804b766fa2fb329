"""Naming a target: options, arguments and the entry in reports are converted to each other."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli.configuration import parse_gates
from harness.cli.targets import TargetChoice, arguments_of, embedded_suites, reach_of, spec_of
from harness.cli.trust import check_trust
from harness.diagnostics import InputError, UsageError
from harness.subject import SubjectSpec
from harness.targets.live.address import ServerAddress
from tests.cli.fakes import call


@pytest.mark.parametrize(
    "spec",
    [
        SubjectSpec("suite", "suites/widgets_v1"),
        SubjectSpec("kubernetes", "1.37.1", {"A": True, "B": False}, None, "given", "python"),
        SubjectSpec("command", "node 'my worker.mjs'", types="api=types"),
    ],
)
def test_a_report_has_the_specification_of_its_target(spec: SubjectSpec) -> None:
    """The specification that is read from the report equals the one that was written."""
    assert spec == spec_of(reach_of(spec))


def test_arguments_name_a_target_on_the_command_line() -> None:
    """They are quoted for a shell."""
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


def test_a_report_names_both_targets_of_a_comparison() -> None:
    """A finding between two releases is replayed between the same two."""
    spec = SubjectSpec("kubernetes", "1.37.1", against="1.36.3")
    assert spec == spec_of(reach_of(spec))
    assert shlex.split(arguments_of(spec)) == ["--kubernetes", "1.37.1", "--against", "1.36.3"]


@pytest.mark.parametrize(
    ("validator", "arguments"),
    [
        ("https://localhost:9443/validate#ca.pem", ["--webhook", "https://localhost:9443/validate", "--ca", "ca.pem"]),
        ("http://localhost/", ["--webhook", "http://localhost/"]),
        ("config:hooks.yaml##", ["--webhook", "hooks.yaml"]), ("config:a#b.yaml##", ["--webhook", "a#b.yaml"]),
        (
            "config:hooks.yaml#https://localhost:9443#ca.pem",
            ["--webhook", "hooks.yaml", "--webhook-at", "https://localhost:9443", "--ca", "ca.pem"],
        ),
        ("checks.py:check", ["--function", "checks.py:check"]),
        ("go:./api/v1.Thing", ["--validator", "./api/v1.Thing"]), ("node x.mjs", ["--command", "node x.mjs"]),
    ],
)  # fmt: skip
def test_what_stands_behind_crds_travels_with_the_report(validator: str, arguments: list[str]) -> None:
    """The release and the validator of CRDs are written down, and named by the options that they came from."""
    spec = SubjectSpec("crd", "new", against="old", release="1.36.3", validator=validator)
    assert spec == spec_of(reach_of(spec))
    expected = ["--crd", "new", "--against", "old", "--kubernetes", "1.36.3", *arguments]
    assert expected == shlex.split(arguments_of(spec))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (TargetChoice({"crd": "new"}, against="old"), SubjectSpec("crd", "new", against="old")),
        (TargetChoice({"crd": "new", "kubernetes": "1.36.3"}, against="old"),
         SubjectSpec("crd", "new", against="old", release="1.36.3")),
        (TargetChoice({"crd": "new"}, validator="a.py:f"),
         SubjectSpec("crd", "new", against="without-cel:new", validator="a.py:f")),
        (TargetChoice({"crd": "new", "command": "./v"}, against="old"),
         SubjectSpec("crd", "new", against="old", validator="./v")),
    ],
)  # fmt: skip
def test_what_options_mean_together_with_crds(choice: TargetChoice, expected: SubjectSpec) -> None:
    """A release beside CRDs is their server, a program stands behind them; without a `before`, rules are left out."""
    assert [expected] == choice.specs([])


def test_a_validator_without_crds() -> None:
    """A webhook behind a suite means nothing, and two validators are one too many."""
    with pytest.raises(UsageError, match="name them with --crd"):
        TargetChoice({}, validator="http://x/").specs(["suites/a"])
    with pytest.raises(UsageError, match="two validators"):
        TargetChoice({"crd": "new", "command": "./v"}, validator="http://x/").specs([])


def test_gates_are_read_from_several_options() -> None:
    """An option may have several gates, separated by commas."""
    assert parse_gates(["A=true,B=FALSE", "C=True", ""]) == {"A": True, "B": False, "C": True}


def test_all_invalid_gates_are_reported() -> None:
    """The error names each of them."""
    with pytest.raises(InputError) as caught:
        parse_gates(["A=1,B=true,=true"])
    assert len(caught.value.diagnostics) == 2


def test_suites_are_folders_with_a_suite_file(tmp_path: Path) -> None:
    """They are sorted by name, without the suite that needs a Go toolchain."""
    for name in ("b_v1", "a_v1", "kubernetes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "suite.py").touch()
    (tmp_path / "notes").mkdir()
    assert [str(tmp_path / "a_v1"), str(tmp_path / "b_v1")] == embedded_suites(tmp_path)


def test_a_program_with_an_open_quotation_mark_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    """The message names the problem."""
    for words in (("kinds", "--command", "worker 'a"), ("check-worker", "worker 'a")):
        told = call(capfd, *words)
        assert 2 == told.code
        assert "is not a valid command line: No closing quotation" in told.err


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "1.37.1/" + "y" * 300])
def test_a_name_that_is_too_long_for_a_file_is_an_error(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """For a release, a suite and a file; the message has the beginning of the name."""
    for words in (("kinds", "--kubernetes", name), ("kinds", name), ("check", name, name), ("render", name)):
        told = call(capfd, *words)
        assert 2 == told.code
        assert told.err.startswith(("harness: ", "Usage: "))
        assert "bug in the harness" not in told.err


def test_a_comparison_with_schemas_travels_with_the_report() -> None:
    """As an option of its own, so that a finding is replayed against the schemas."""
    choice = TargetChoice({"kubernetes": "1.37.1"}, schema=True)
    (spec,) = choice.specs([])
    assert ([spec], spec, "--kubernetes 1.37.1 --schema") == (
        choice.parts(spec), spec_of(reach_of(spec)), arguments_of(spec),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (TargetChoice({"kubernetes": "1.37.1"}, schema=True, against="1.36.3"), "leave out what else is compared"),
        (TargetChoice({"crd": "crds"}, schema=True), "CRDs, policies and servers have no tags"),
        (TargetChoice({"kubernetes": "1.37.1"}, schema=True, declarative="python"), "leave --declarative out"),
    ],
)
def test_schemas_are_a_comparison_of_their_own(choice: TargetChoice, words: str) -> None:
    """What contradicts them is refused."""
    with pytest.raises(UsageError, match=words):
        choice.specs([])


SERVER = ServerAddress("k", "c")


def test_a_server_travels_with_the_report() -> None:
    """With the release that it is compared with; the permission to run a program does not."""
    choice = TargetChoice({"kubernetes": "1.37.1", "crd": "crds"}, server=SERVER, allow_exec=True)
    [spec] = choice.specs([])
    assert SubjectSpec("server", "k#c", release="1.37.1", crds="crds", allow_exec=True) == spec
    assert replace(spec, allow_exec=False) == spec_of(reach_of(spec))
    assert "--kubeconfig k --context c --kubernetes 1.37.1 --crd crds" == arguments_of(spec)
    assert [spec] == choice.parts(spec)


@pytest.mark.parametrize(
    ("choice", "suites"),
    [
        (TargetChoice({"command": "x"}, server=SERVER), []),
        (TargetChoice({"policy": "x"}, server=SERVER), []),
        (TargetChoice(server=SERVER), ["suites/widgets_v1"]),
        (TargetChoice({"kubernetes": "1.37.1"}, server=SERVER, schema=True), []),
    ],
)
def test_a_server_is_compared_with_one_thing(choice: TargetChoice, suites: list[str]) -> None:
    """A release or CRDs."""
    with pytest.raises(UsageError, match=r"servers? (is compared|have no tags)"):
        choice.specs(suites)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--server", "a:6443"], "is no URL of a server"),
        (["--server", "https://a", "--kubeconfig", "k"], "two servers are named"),
        (["--kubeconfig", "k#c"], "cannot be named in a report"),
        (["--allow-exec"], "are about a kubeconfig"),
        (["--server", "http://127.0.0.1:1"], "none is named"),
    ],
)
def test_a_server_that_is_named_wrongly_is_an_error(
    words: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before anything is opened."""
    told = call(capfd, "run", *words)
    assert 2 == told.code
    assert said in told.err
    assert "fix:" in told.err


def test_a_report_of_somebody_else_asks_no_server(tmp_path: Path) -> None:
    """It would be shown the token of whoever opens the report."""
    with pytest.raises(UsageError, match="--trust"):
        check_trust(reach_of(SubjectSpec("server", "https://a", release="1.37.1")), "r.json", b"other", False)
