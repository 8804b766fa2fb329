"""The documentation tells the truth: its commands exist, its links lead somewhere, its tutorial works."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.cli.main import cli

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
TUTORIAL = ROOT / "docs" / "tutorial" / "five-minutes.md"


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


def commands() -> list[tuple[str, str]]:
    """Every call of `harness` that a page shows, with the page."""
    found = []
    for page in PAGES:
        for body in blocks(page, "console"):
            for part in re.split(r"\n|&&|\|(?!\|)", body):
                words = part.strip().removeprefix("$ ")
                if re.match(r"(\.venv/bin/)?harness\s", words):
                    found.append((str(page.relative_to(ROOT)), words.partition("#")[0].strip()))
    return found


@pytest.mark.parametrize(("page", "command"), commands())
def test_every_command_shown_exists(page: str, command: str) -> None:
    """The subcommand and every option that a page shows are those of the program."""
    _, name, *words = shlex.split(command)
    subcommand = cli.get_command(click.Context(cli), name) if not name.startswith("-") else cli
    if isinstance(subcommand, click.Group) and subcommand is not cli and words and not words[0].startswith("-"):
        subcommand = subcommand.get_command(click.Context(subcommand), words[0])
    assert subcommand is not None, f"{page}: no command {name}"
    known = {option for parameter in subcommand.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert set() == {word.partition("=")[0] for word in words if word.startswith("--")} - known - {
        "--help",
        "--version",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """Links to files of the project point at files that are there."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link]
    assert [] == [link for link in local if not (page.parent / link).exists()]


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    """The second command of the README stands in .ci/run to the letter."""
    _, second = blocks(ROOT / "README.md", "console")[:2]
    assert second.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a user would."""
    command = [sys.executable, "-m", "harness", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_tutorial_ends_equivalent(tmp_path: Path) -> None:
    """With the edits of the tutorial, in order, the three findings of the example go away one by one."""
    folder = tmp_path / "my-migration"
    shutil.copytree(ROOT / "examples" / "migration", folder)
    before = run("run", str(folder), "--max-cases", "20000", "--jobs", "1")
    assert 1 == before.returncode, before.stderr
    assert "3 findings" in before.stdout
    for edit in blocks(TUTORIAL, "diff"):
        header, *lines = edit.splitlines()
        file = folder / header.removeprefix("--- ")
        old = "\n".join(line[1:] for line in lines if line.startswith("-"))
        new = "\n".join(line[1:] for line in lines if line.startswith("+"))
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
    after = run("run", str(folder), "--max-cases", "20000", "--jobs", "1")
    assert 0 == after.returncode, after.stdout + after.stderr
    assert "0 findings" in after.stdout


def test_help_is_quick_to_read() -> None:
    """The help of the program names every command."""
    result = CliRunner().invoke(cli, ["--help"])
    assert 0 == result.exit_code
    assert all(name in result.output for name in ("run", "check", "replay", "kinds", "explain", "check-worker"))


def test_the_page_about_strategies_shows_what_happens(tmp_path: Path) -> None:
    """Of its two tests the first passes, and the second fails with the very pair that the page shows."""
    page = ROOT / "docs" / "how-to" / "use-strategies.md"
    code = "\n\n".join(textwrap.dedent(block) for block in blocks(page, "python"))
    (tmp_path / "test_mine.py").write_text(code, encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    [text] = [block for block in blocks(page, "text") if "pair=" in block]
    told, promised = (re.sub(r"'[^']{33}'", "33", re.sub(r"\s+(?:E\s+)?", "", said)) for said in (done.stdout, text))
    assert promised in told
