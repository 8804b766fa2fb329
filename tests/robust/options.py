"""Hostile options: every option of every command with values that nobody meant, on the command line and in settings."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import click

from harness.cli import COMMANDS
from harness.cli.main import cli
from tests.robust.commands import Fault

VALUES = (
    "", " ", "-", "--", "-1", "0", "1", "1/1", "2/1", "0/0", "99999999999999999999", "1e400", "nan", "inf", "-inf",
    "1.5", "\udcff", "caf\udce9.json", "\x1b[2J", "a\nb", "a\rb", "\u202e", "x" * 300, "x" * 5000, "a/" * 2500,
    "'", '"', "'a", "\\", "{", "}", "[", "]", "*", "**", "[!", "(((a+)+)+)+$", "(?P<", "a=b", "a=true", "=true",
    "A=true,,B=", "true", "null", "/dev/null/x", "/dev/full", "/proc/self/mem", "/proc/nope/x", ".", "thing",
    "thing/suite.py", "report.json", "new.yaml", "exceptions.yaml", "thing.recording", "kept", "nothing", "~nobody",
    "2024-02-30", "0001-01-01", "9999-12-31", "1.37", "1.0", "v1", "%s%n{0}", "$(id)", "spec.size", "spec[0]",
    "../" * 40,    "file:///etc", "é", "\U0010ffff", "things", "thing.example.com/v1", "create", "all", "default",
)  # fmt: skip
"""Texts that something takes for a name, a number, a pattern, a file, a day, a quoted program."""
TOML = (
    '""', '"a\\u0000b"', '"\\u0000"', "1", "-1", "0", "9223372036854775807", "1e308", "nan", "inf", "true", "[]",
    "[[]]", "{}", "{a = 1}", '["a", 1]', "1979-05-27", "1979-05-27T07:32:00Z", '"\\u001b[2J"', '"\\uFFFF"', "0.5",
    "[1, [2]]", '"/dev/null/x"', '["\\u0000"]', '{a = "\\u0000"}', '"' + "x" * 5000 + '"', "'''a\nb'''", '"random"',
)  # fmt: skip
"""Values of a settings file, by type."""

BASES: dict[str, tuple[str, ...]] = {
    "run": ("thing", "--max-cases", "20", "--max-time", "2", "--jobs", "1"),
    "verify": ("--max-cases", "10", "--max-time", "2", "--jobs", "1"),
    "record": ("thing", "--max-cases", "20", "--max-time", "2", "--jobs", "1", "--output", "r.recording"),
    "check": ("thing", "new.yaml"),
    "replay": ("report.json",),
    "export": ("thing", "--kind", "things", "--field", "spec.size"),
    "kinds": ("thing",),
    "compile": ("thing",),
    "rules": ("thing",),
    "render": ("report.json",),
    "merge": ("report.json",),
    "bench": ("thing", "--max-cases", "10", "--max-time", "1", "--jobs", "1"),
    "power": ("thing", "--max-cases", "10", "--max-time", "1", "--jobs", "1", "--every", "40"),
    "graduate": ("thing", "--level", "beta", "--max-cases", "10", "--max-time", "1", "--jobs", "1"),
    "lint": ("thing",),
    "docs": ("thing", "--output", "o"),
    "completion": ("bash",),
    "check-worker": ("true", "--timeout", "1"),
    "exceptions add": ("0", "--report", "report.json", "--exceptions", "exceptions.yaml"),
    "exceptions list": ("--exceptions", "exceptions.yaml"),
    "exceptions prune": ("--exceptions", "exceptions.yaml", "--report", "report.json"),
    "exceptions expire": ("--exceptions", "exceptions.yaml"),
    "exceptions count": ("--exceptions", "exceptions.yaml"),
}
"""Good arguments, so that what is hostile gets far."""
SLOW = frozenset({"bench", "campaign", "graduate", "power", "verify"})
"""Commands that get a tenth of the turns."""
NOT_TRIED = frozenset({("check-worker", "program"), ("docs", "output")})
"""What starts whatever it is given, or writes a tree wherever it is told to."""


def leaves() -> Iterator[tuple[str, click.Command]]:
    """Every command by full name."""
    context = click.Context(cli)
    for name, _, _ in COMMANDS:
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", command.commands[below]) for below in command.commands)
        elif command is not None:
            yield name, command


def faults(seed: int) -> Iterator[Fault]:
    """Draw hostile options without an end; the same ones for the same seed."""
    drawn = random.Random(f"options {seed}")
    commands = dict(leaves())
    names = [name for name in commands for _ in range(1 if name.split()[0] in SLOW else 10)]
    while True:
        name = drawn.choice(names)
        yield _settings(drawn, name, commands[name]) if drawn.random() < 0.25 else _line(drawn, name, commands[name])


def _line(drawn: random.Random, name: str, command: click.Command) -> Fault:
    words, hostile = list(BASES.get(name, ())), []
    for _ in range(drawn.choice((1, 1, 1, 2, 3))):
        param = drawn.choice(command.params or [click.Argument(["extra"])])
        value = drawn.choice(VALUES)
        if (name, param.name) in NOT_TRIED:
            continue
        if isinstance(param, click.Option):
            hostile += [param.opts[-1]] if param.is_flag else [param.opts[-1], value]
        else:
            hostile.append(value)
    return Fault(f"option of {name}", (*name.split(), *words, *hostile))


def _settings(drawn: random.Random, name: str, command: click.Command) -> Fault:
    options = [param.opts[-1][2:] for param in command.params if isinstance(param, click.Option)]
    keys = drawn.sample(options, min(len(options), drawn.choice((1, 1, 2, 3)))) or ["a"]
    table = ".".join(json.dumps(part) for part in name.split())
    text = f"[{table}]\n" + "".join(f"{key} = {drawn.choice(TOML)}\n" for key in dict.fromkeys(keys))
    words = ("config",) if drawn.random() < 0.2 else (*name.split(), *BASES.get(name, ()))
    return Fault(f"settings of {name}", words, {"harness.toml": text.encode()})
