"""`harness config`: which settings count here, and what is wrong with them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from harness.cli.configuration import defaults_of, find_configuration
from harness.report.escaping import lines


@click.command("config")
@click.pass_context
def command(context: click.Context) -> int:
    """Check all settings, and show those that apply in this folder, by command."""
    root = context.find_root()
    group = root.command
    assert isinstance(group, click.Group)
    found = find_configuration(Path.cwd(), root.params.get("config"))
    if found is None:
        click.echo(
            "no settings: no harness.toml in this folder or a parent folder, and no pyproject.toml with [tool.harness]"
        )
        return 0
    defaults = defaults_of(found, group, tuple(group.list_commands(root)))
    click.echo(lines(f"settings of {found.file}" + (f" [{found.table}]" if found.table else "")))
    for text in _command_lines("harness", group, root, defaults):
        click.echo(lines(text))
    return 0


def _command_lines(name: str, group: click.Group, context: click.Context, defaults: Mapping[str, Any]) -> Iterator[str]:
    """Yield each command with the options that the settings add to it."""
    for child in group.list_commands(context):
        values, command = defaults.get(child), group.get_command(context, child)
        if not values or command is None:
            continue
        if isinstance(command, click.Group):
            yield from _command_lines(f"{name} {child}", command, context, values)
            continue
        options = {param.name: param.opts[-1] for param in command.params if isinstance(param, click.Option)}
        yield f"  {name} {child} " + " ".join(_format_option(options[key], value) for key, value in values.items())


def _format_option(option: str, value: object) -> str:
    if isinstance(value, bool):
        return option if value else f"(no {option})"
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in values)
