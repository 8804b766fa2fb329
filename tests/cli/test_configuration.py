"""Settings of a project: what counts, and what is refused."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click
import pytest

from harness.cli.configuration import SHARED
from harness.cli.main import cli
from tests.cli.fakes import call

SUITE = str(Path(__file__).parents[2] / "suites" / "claim_v1")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a checkout, and the folder in which the program is started."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "harness.toml") -> None:
    """Write settings."""
    (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")


def options_of(name: str) -> set[str]:
    """The long options of a command without their dashes."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {opt[2:] for param in command.params for opt in param.opts if opt.startswith("--")}


def test_shared_settings_belong_to_several_commands() -> None:
    """A key that may stand at the top is an option of at least two commands."""
    names = cli.list_commands(click.Context(cli))
    counts = {key: sum(key in options_of(name) for name in names) for key in SHARED}
    assert {} == {key: count for key, count in counts.items() if count < 2}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("harness.toml", "gates = { ClaimPriority = false }\n[run]\nmax-cases = 50\n"),
        ("pyproject.toml", "[tool.harness]\ngates = ['ClaimPriority=false']\n[tool.harness.run]\nmax-cases = 50\n"),
    ],
)
def test_settings_are_defaults(name: str, text: str, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Both files say the same thing, and it counts from folders below."""
    write(project, text, name)
    told = call(capfd, "config")
    assert 0 == told.code
    assert "harness run --gates ClaimPriority=false --max-cases 50" in told.out


def test_a_setting_counts_and_the_command_line_wins(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without an option the settings say what is done; with it they do not."""
    write(project, "[check]\njson = true\n[explain]\n")
    (project / "claim.yaml").write_text("apiVersion: devices.example.com/v1\nkind: Claim\n", encoding="utf-8")
    assert call(capfd, "check", SUITE, "claim.yaml").out.startswith("{")
    assert not call(capfd, "--no-config", "check", SUITE, "claim.yaml").out.startswith("{")


def test_a_target_that_is_named_makes_that_of_the_settings_void(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With its gates and types, which belong to it."""
    write(project, 'kubernetes = "1.37.1"\ngates = { AllAlpha = true }\n')
    told = call(capfd, "kinds", SUITE)
    assert 0 == told.code
    assert "devices.example.com/v1 claims" in told.out
    assert 0 == call(capfd, "compile", SUITE).code


def test_everything_wrong_is_told_at_once(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With its line, the near miss and the right place."""
    write(
        project,
        """
        sed = 1
        html = "report.html"
        merge = 5

        [run]
        max-cases = "many"
        max-tim = 3
        branches = "yes"

        [rnu]
        a = 1
        """,
    )
    told = call(capfd, "config")
    assert 2 == told.code
    for line in (
        "harness.toml:2: config-unknown: there is no setting sed",
        "did you mean seed?",
        "harness.toml:3: config-unknown: there is no setting html",
        "put it below [run]",
        "there is no setting rnu",
        "merge is a command",
    ):
        assert line in told.err
    write(project, "[run]\nmax-cases = 'many'\nmax-tim = 3\nbranches = 'yes'\nkind = [1, { a = 2 }]\n")
    told = call(capfd, "run", SUITE)
    assert 2 == told.code
    for line in (
        "harness.toml:2: config-value: run.max-cases",
        "harness.toml:3: config-unknown: there is no setting run.max-tim",
        "did you mean max-time?",
        "harness.toml:4: config-value: run.branches",
        "harness.toml:5: config-value: run.kind",
    ):
        assert line in told.err


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"harness.toml": "a = "}, "config-unreadable"),
        ({"harness.toml": b"\xff"}, "config-unreadable"),
        ({"harness.toml": "[" * 5000}, "config-unreadable"),
        ({"harness.toml": "a" * (2 << 20)}, "input-limit"),
        ({"pyproject.toml": "[tool]\nharness = 1\n"}, ""),
        ({"pyproject.toml": "tool.harness = 1\n"}, "config-unreadable"),
        ({"harness.toml": "", "pyproject.toml": "[tool.harness]\n"}, "config-twice"),
        ({"pyproject.toml": "[project]\nname = 'a'\n"}, ""),
        ({"pyproject.toml": "no toml"}, ""),
    ],
)
def test_files_that_are_none(
    files: dict[str, str | bytes], said: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file that cannot be read is refused with a message; one of another tool is not ours to refuse."""
    for name, text in files.items():
        (project / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    told = call(capfd, "config")
    assert (2 if said else 0) == told.code
    assert said in told.err
    assert 0 == call(capfd, "--no-config", "kinds", SUITE).code


def test_another_file_may_be_named(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """--config FILE; one that is not there is told."""
    write(project, "[run]\nmax-cases = 7\n", "other.toml")
    assert "--max-cases 7" in call(capfd, "--config", "other.toml", "config").out
    assert 2 == call(capfd, "--config", "none.toml", "kinds", SUITE).code


def test_files_are_named_from_the_folder_of_the_settings(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the program is started."""
    write(project, 'exceptions = "known.yaml"\n')
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert f"--exceptions {project / 'known.yaml'}" in call(capfd, "config").out


def test_settings_above_the_checkout_do_not_count(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies outside of a repository says nothing about it."""
    write(project, "nonsense = 1\n")
    (project / "inner" / ".git").mkdir(parents=True)
    monkeypatch.chdir(project / "inner")
    assert "no settings" in call(capfd, "config").out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gates = 5\n", "'5' is not a feature gate setting"),
        ("gates = true\n", "'true' is not a feature gate setting"),
        ("gates = 'ClaimPriority'\n", "'ClaimPriority' is not a feature gate setting"),
        ("gates = ['ClaimPriority=maybe']\n", "'ClaimPriority=maybe' is not a feature gate setting"),
        ("gates = { ClaimPriority = 5 }\n", "'ClaimPriority=5' is not a feature gate setting"),
    ],
)
def test_gates_are_true_or_false(text: str, why: str, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What sets no gate is refused at its line, whether the command that runs has a use for gates or not."""
    write(project, text)
    for words in (("config",), ("run", SUITE, "--max-cases", "10")):
        told = call(capfd, *words)
        assert (2, True, True) == (told.code, "harness.toml:1" in told.err, why in told.err), told.err


@pytest.mark.parametrize(
    "text", ["gates = 'default'\n", "gates = ['A=true', 'B=False']\n", "gates = 'A=true,B=false'\n"]
)
def test_gates_may_be_texts(text: str, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As on the command line."""
    write(project, text)
    assert 0 == call(capfd, "config").code


def test_a_nul_in_a_value_is_refused(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No name of a file has one, and none comes in by the command line."""
    (project / "harness.toml").write_text('[render]\njson = "a\\u0000b"\n')
    told = call(capfd, "config")
    assert 2 == told.code
    assert "config-value" in told.err
    assert "without NUL" in told.err


@pytest.mark.parametrize("value", ["nan", "inf", "-1.0", "1e400"])
def test_a_time_that_cannot_be_waited_for_is_refused(
    value: str, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In a file and on the command line."""
    (project / "harness.toml").write_text(f"max-time = {value}\n")
    assert 2 == call(capfd, "config").code
    (project / "harness.toml").unlink()
    assert 2 == call(capfd, "run", "nothing", f"--max-time={value}").code
