"""`harness config`: which settings count here, and what is wrong with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from harness.cli.configuration import defaults_of, find_configuration
from harness.reporting.text import lines


@click.command("config")
@click.pass_context
def command(context: click.Context) -> int:
    """Check all settings, and show those that apply in this folder, by command."""
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    found = find_configuration(Path.cwd(), root.params.get("config"))
    if found is None:
        click.echo("no settings: no harness.toml here or above, and no [tool.harness] in a pyproject.toml")
        return 0
    defaults = defaults_of(found, group, tuple(group.list_commands(root)))
    click.echo(lines(f"settings of {found.file}" + (f" [{found.table}]" if found.table else "")))
    for text in _told("harness", group, root, defaults):
        click.echo(lines(text))
    return 0


def _told(name: str, group: click.Group, context: click.Context, defaults: Mapping[str, Any]) -> Iterator[str]:
    """Say what each command would be called with."""
    for below in group.list_commands(context):
        values, command = defaults.get(below), group.get_command(context, below)
        if not values or command is None:
            continue
        if isinstance(command, click.Group):
            yield from _told(f"{name} {below}", command, context, values)
            continue
        options = {param.name: param.opts[-1] for param in command.params if isinstance(param, click.Option)}
        yield f"  {name} {below} " + " ".join(_written(options[key], value) for key, value in values.items())


def _written(option: str, value: object) -> str:
    if isinstance(value, bool):
        return option if value else f"(no {option})"
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in values)
