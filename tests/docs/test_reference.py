"""The reference says all there is: commands with their options, words, keys of documents, variables, files kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import click
import pytest

from harness.cli import COMMANDS
from harness.cli.main import cli
from harness.explain import references
from tests.docs.pages import ROOT

REFERENCE = ROOT / "docs" / "reference"
COMMANDS_PAGE = (REFERENCE / "commands.md").read_text(encoding="utf-8")


def sections() -> dict[str, str]:
    """The page of commands by heading."""
    found = {}
    for part in COMMANDS_PAGE.split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        found[title] = body
    return found


def leaves(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """A command, or those of a group, by full name."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for below in command.list_commands(context):
        inner = command.get_command(context, below)
        assert inner is not None
        yield from leaves(inner, f"{name} {below}")


def commands() -> list[tuple[str, click.Command]]:
    """Every command of the program."""
    found: list[tuple[str, click.Command]] = []
    for name, _, _ in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        found += leaves(command, name)
    return found


SHARED = {"Options that name a target": "target", "Options that write": "outputs"}
"""Sections that speak for several commands, and the word by which a command's section refers to each."""


@pytest.mark.parametrize(("name", "command"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_option_is_documented(name: str, command: click.Command) -> None:
    """In the section of its command, or in one that several commands share and that this one's section names."""
    section = next((body for title, body in sections().items() if f"harness {name.split()[0]}" in title), None)
    assert section is not None, f"docs/reference/commands.md has no section for harness {name}"
    shared = [body for title, body in sections().items() if title in SHARED and f"#{slug(title)}" in section]
    assert [] == [option for option in options(command) if not any(named(option, body) for body in (section, *shared))]


def options(command: click.Command) -> list[str]:
    """The options of a command by their long names."""
    return [
        next(name for name in parameter.opts if name.startswith("--"))
        for parameter in command.params
        if isinstance(parameter, click.Option)
    ]


def named(option: str, body: str) -> bool:
    """Whether a text names an option, and not only a longer one."""
    return re.search(re.escape(option) + r"(?![\w-])", body) is not None


def slug(title: str) -> str:
    """The anchor of a heading."""
    return title.lower().replace(" ", "-")


@pytest.mark.parametrize("name", references())
def test_pages_of_words_are_current(name: str) -> None:
    """They are generated: `harness docs --words --output docs/reference` writes them anew."""
    assert references()[name] == (REFERENCE / name).read_text(encoding="utf-8"), (
        "write it anew: harness docs --words --output docs/reference"
    )


@pytest.mark.parametrize("record", ["Report", "ReportedFinding", "KindEntry", "Part"])
def test_every_key_of_the_report_is_documented(record: str) -> None:
    """The page of the report names every key of the schema's main records."""
    schema = json.loads((ROOT / "harness/report/model/schema/report.schema.json").read_text(encoding="utf-8"))
    page = (REFERENCE / "report.md").read_text(encoding="utf-8")
    records = schema.get("$defs", {})
    keys = records[record]["properties"] if record in records else schema["properties"]
    assert [] == [key for key in keys if f"`{key}`" not in page and f"`{key}[]`" not in page]


def test_every_variable_that_is_read_is_documented() -> None:
    """Every name that the program looks up in its environment has a row."""
    page = (REFERENCE / "environment.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "harness").rglob("*.py"))
    read = set(re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"", source))
    assert {"GITHUB_STEP_SUMMARY", "GOMODCACHE"} <= read
    assert [] == sorted(name for name in read if f"`{name}`" not in page)


def test_every_folder_of_the_cache_is_documented() -> None:
    """What the program keeps in the user's cache folder has a row."""
    page = (REFERENCE / "environment.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "harness").rglob("*.py"))
    kept = set(re.findall(r'user_cache_path\("equivalence-harness"\) / "(\w+)"', source))
    assert {"workers", "reports"} <= kept
    assert [] == sorted(name for name in kept if f"`{name}/`" not in page)
