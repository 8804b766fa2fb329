"""Every command that a page shows exists, and can be run as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from harness.cli.main import cli
from tests.docs.follow import NOT_RUN, OLDER, RELEASE, Scene, is_run, needing
from tests.docs.pages import PAGES, blocks, commands, name_of

FOLLOWED = (
    "docs/tutorial/",
    "docs/how-to/write-a-worker.md",
    "docs/how-to/migrate-to-pydantic.md",
    "docs/how-to/migrate-to-a-policy.md",
    "docs/how-to/migrate-a-webhook-to-cel.md",
)
"""Pages that are followed to the letter, in test_tutorials.py."""


def lines_of(page: Path) -> list[str]:
    """The lines of a page that are run."""
    return [line for block in blocks(page, "console") for line in block.lines if is_run(line)]


def without(what: re.Pattern[str], lines: list[str]) -> list[str]:
    """The lines that need no release of some sort."""
    return [line for line, needs in needing(what, lines) if not needs]


SHOWN = [page for page in PAGES if not name_of(page).startswith(FOLLOWED) and lines_of(page)]
"""Pages with commands that are run with small budgets."""
ALONE = [page for page in SHOWN if without(RELEASE, lines_of(page))]
NEWEST = [page for page in SHOWN if without(OLDER, lines_of(page)) != without(RELEASE, lines_of(page))]
BEFORE = [page for page in SHOWN if without(OLDER, lines_of(page)) != lines_of(page)]
"""Those with commands that need no release, the newest one, and the one before."""


def run(folder: Path, lines: list[str]) -> None:
    """Run lines in a scene of their own; those that verify a change find one there."""
    scene = Scene(folder)
    if any("harness verify" in line or "origin/" in line for line in lines):
        scene.commit()
    for line in lines:
        scene.run(line)


@pytest.mark.parametrize(("page", "command"), commands())
def test_every_command_shown_exists(page: str, command: str) -> None:
    """The subcommand and every option that a page shows are those of the program."""
    _, *words = shlex.split(command)
    context = click.Context(cli)
    known = {"--help", "--version"}
    subcommand: click.Command = cli
    while isinstance(subcommand, click.Group):
        known |= {option for parameter in subcommand.params for option in (*parameter.opts, *parameter.secondary_opts)}
        name = next((word for word in words if subcommand.get_command(context, word)), "")
        if not name:
            break
        words.remove(name)
        found = subcommand.get_command(context, name)
        assert found is not None
        subcommand = found
    assert not isinstance(subcommand, click.Group) or not words or words[0].startswith("-"), f"{page}: no command"
    known |= {option for parameter in subcommand.params for option in (*parameter.opts, *parameter.secondary_opts)}
    assert set() == {word.partition("=")[0] for word in words if word.startswith("--")} - known


@pytest.mark.node
@pytest.mark.parametrize("page", ALONE, ids=name_of)
def test_every_command_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """In the order of the page, none of them is refused."""
    run(tmp_path, without(RELEASE, lines_of(page)))


@pytest.mark.kubernetes
@pytest.mark.parametrize("page", NEWEST, ids=name_of)
def test_every_command_of_a_page_runs_on_a_release(page: Path, tmp_path: Path) -> None:
    """In the order of the page, none of them is refused, with those that need a real release."""
    run(tmp_path, without(OLDER, lines_of(page)))


@pytest.mark.kubernetes
@pytest.mark.older
@pytest.mark.parametrize("page", BEFORE, ids=name_of)
def test_every_command_of_a_page_runs_on_two_releases(page: Path, tmp_path: Path) -> None:
    """In the order of the page, none of them is refused, with those that need the release before."""
    run(tmp_path, lines_of(page))


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_what_is_not_run_is_shown(pattern: str) -> None:
    """A reason not to run a command is needed by a page."""
    assert any(re.search(pattern, line) for page in PAGES for block in blocks(page, "console") for line in block.lines)


def test_commands_stand_in_console_blocks() -> None:
    """A block without a language would hide its commands from these tests."""
    assert [] == [
        name_of(page) for page in PAGES for block in blocks(page, "") if re.search(r"^(\$ )?harness ", block.body, re.M)
    ]
