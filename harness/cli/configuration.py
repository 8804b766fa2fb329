"""Project settings: defaults of command line options, read from `harness.toml` or `[tool.harness]` of pyproject.toml.

* The file is the nearest one, from the current folder up to the root of the checkout.
* Keys are option names without dashes. Keys of `SHARED` at the top level apply to every command with that option; a
  table named after a command (`[run]`, `[exceptions.add]`) applies to that command, and overrides the top level. The
  command line overrides both.
* Unknown keys and values of the wrong type are errors, all reported together.

Feature gate settings are parsed here for the file and for the command line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from harness.diagnostics import Diagnostic, InputError, Position, near_miss
from harness.limits import read_bounded_text

V = TypeVar("V")

SHARED: Final = (
    "kubernetes", "command", "types", "gates", "mode", "declarative", "seed", "jobs", "max-time", "exceptions",
    "allow-incomplete",
)  # fmt: skip
"""Options of several commands: these keys may be set at the top level of the file."""

_NAMES = ("harness.toml", "pyproject.toml")
_TABLE = "tool.harness"
MAX_BYTES = 1 << 20
_NOT_SETTINGS = ("help", "version")


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of one file. `table` is the TOML table that has all of them, empty for the whole file."""

    file: Path
    text: str
    settings: Mapping[str, Any]
    table: str = ""

    def position(self, *keys: str) -> Position:
        """Return the position of a key: its line, else the line of its table, else no line."""
        return Position(str(self.file), _line_of(self.text, [*self.table.split("."), *keys] if self.table else [*keys]))


@dataclass(slots=True)
class _Check:
    """The checked settings of one command: their values, and the errors."""

    found: Configuration
    values: dict[str, Any] = field(default_factory=dict)
    wrong: list[Diagnostic] = field(default_factory=list)


def find_configuration(start: Path, named: Path | None = None) -> Configuration | None:
    """Find the settings that apply to a folder, or read those of a named file. Returns: None when there are none.

    Raises: InputError when the file cannot be read or is not TOML, or when two files of one folder both hold settings.
    """
    if named is not None:
        found = _read(named)
        if found is None:
            raise InputError([_unreadable(named, f"it has no [{_TABLE}]", "name a harness.toml")])
        return found
    for folder in (start, *start.parents):
        files = [found for name in _NAMES if (folder / name).is_file() and (found := _read(folder / name))]
        if len(files) > 1:
            raise InputError([_report_second_file(files[1])])
        if files:
            return files[0]
        if (folder / ".git").exists():
            return None
    return None


def defaults_of(found: Configuration, group: click.Group, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return click's default map for some commands. Other commands are not imported.

    Raises: InputError with every setting that is unknown or of the wrong type.
    """
    context = click.Context(group)
    known = group.list_commands(context)
    wrong: list[Diagnostic] = []
    for key, value in found.settings.items():
        if key not in known and key not in SHARED:
            wrong.append(_unknown(found, (key,), [*SHARED, *known], _suggest_table(key, group, context)))
        elif key in known and key not in SHARED and not isinstance(value, dict):
            wrong.append(_wrong_type(found, (key,), f"{key} is a command, so its settings must be a table", f"[{key}]"))
    defaults: dict[str, dict[str, Any]] = {}
    for name in names:
        command = group.get_command(context, name)
        own = found.settings.get(name, {})
        if command is not None:
            table = own if isinstance(own, dict) and name not in SHARED else {}
            check = _Check(found)
            _command(check, command, (name,), table)
            defaults[name] = check.values
            wrong += check.wrong
    if wrong:
        raise InputError(dict.fromkeys(wrong))
    return defaults


def typed(name: str, value: V) -> V | None:
    """Return the value of an option of the running command; None when it comes from settings."""
    return None if _source(name) is ParameterSource.DEFAULT_MAP else value


def is_typed(name: str) -> bool:
    """Whether the command line gives an option of the running command."""
    return _source(name) is ParameterSource.COMMANDLINE


def _source(name: str) -> ParameterSource | None:
    return click.get_current_context().get_parameter_source(name)


def _suggest_table(key: str, group: click.Group, context: click.Context) -> str:
    """Return the fix for a top-level key that is an option of a single command, else an empty text."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and key in _options(command):
            return f"put it below [{name}]"
    return ""


def _command(check: _Check, command: click.Command, names: tuple[str, ...], table: Mapping[str, Any]) -> None:
    """Read the settings of a command: the shared keys that it has as options, then those of its table."""
    if isinstance(command, click.Group):
        _subcommands(check, command, names, table)
        return
    options = _options(command)
    for key in SHARED:
        value = check.found.settings.get(key)
        if key in options and value is not None and key not in table:
            _read_option(check, options[key], (key,), value)
    for key, value in table.items():
        if key in options:
            _read_option(check, options[key], (*names, key), value)
        else:
            check.wrong.append(_unknown(check.found, (*names, key), list(options)))


def _subcommands(check: _Check, group: click.Group, names: tuple[str, ...], table: Mapping[str, Any]) -> None:
    context = click.Context(group)
    below = group.list_commands(context)
    for key in table:
        if key not in below:
            check.wrong.append(_unknown(check.found, (*names, key), below))
    for name in below:
        command, own = group.get_command(context, name), table.get(name, {})
        if command is not None:
            part = _Check(check.found)
            _command(part, command, (*names, name), own if isinstance(own, dict) else {})
            check.values[name] = part.values
            check.wrong += part.wrong


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by key: the long name without dashes."""
    return {
        name[2:]: option
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--") and name[2:] not in _NOT_SETTINGS
    }


def _read_option(check: _Check, option: click.Option, keys: tuple[str, ...], value: Any) -> None:
    try:
        check.values[str(option.name)] = _convert(check.found, option, value)
    except click.BadParameter as error:
        check.wrong.append(_wrong_type(check.found, keys, error.message, f"see {option.opts[-1]} in --help"))


def _convert(found: Configuration, option: click.Option, value: Any) -> Any:
    """Convert a value as the command line would. Raises: click.BadParameter."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise click.BadParameter(f"expected true or false, got {value!r}")
        return value
    if option.name == "gates":
        value = _gates(value)
    if option.multiple:
        return tuple(_convert_one(found, option, one) for one in (value if isinstance(value, list) else [value]))
    return _convert_one(found, option, value)


def _gates(value: Any) -> list[str]:
    """Read feature gates: a table of booleans, or strings as on the command line. Raises: click.BadParameter."""
    given = [f"{name}={_text(on)}" for name, on in value.items()] if isinstance(value, dict) else value
    texts = [_text(one) for one in (given if isinstance(given, list) else [given])]
    try:
        parse_gates([text for text in texts if text != DEFAULT_GATES])
    except InputError as error:
        raise click.BadParameter("; ".join(one.message for one in error.diagnostics)) from None
    return texts


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _convert_one(found: Configuration, option: click.Option, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise click.BadParameter(f"expected one value, got {value!r}")
    text = str(value)
    if "\0" in text:
        raise click.BadParameter(f"expected a string without NUL, got {value!r}")
    if _is_relative_path(found, option, text):
        text = str(found.file.parent / text)
    return option.type.convert(text, option, None)


def _is_relative_path(found: Configuration, option: click.Option, text: str) -> bool:
    """Whether a value is a path relative to the folder of the settings file."""
    if Path(text).is_absolute() or text == "-" or found.file.parent == Path.cwd():
        return False
    return isinstance(option.type, click.Path) or (
        "--kubernetes" in option.opts and (found.file.parent / text).is_dir()
    )


def _read(file: Path) -> Configuration | None:
    """Read one file; None when it holds no settings."""
    is_project = file.name == "pyproject.toml"
    try:
        text = read_bounded_text(file, MAX_BYTES)
        if is_project and _TABLE not in text:
            return None
        document = tomllib.loads(text)
    except OSError as error:
        raise InputError([_unreadable(file, error.strerror or str(error), "name a file that can be read")]) from None
    except (ValueError, RecursionError) as error:
        raise InputError([_unreadable(file, str(error), "fix the TOML")]) from None
    if not is_project:
        return Configuration(file, text, document)
    tool = document.get("tool")
    own = tool.get("harness") if isinstance(tool, dict) else None
    if own is None:
        return None
    if not isinstance(own, dict):
        raise InputError([_unreadable(file, f"tool.harness is not a table: {own!r}", f"[{_TABLE}]")])
    return Configuration(file, text, own, _TABLE)


def _unreadable(file: Path, why: str, fix: str) -> Diagnostic:
    return Diagnostic(Position(str(file)), "config-unreadable", "the settings cannot be read", why=why, fix=fix)


def _report_second_file(other: Configuration) -> Diagnostic:
    return Diagnostic(
        other.position(), "config-twice", f"both this file and {_NAMES[0]} in the same folder have settings",
        why="it would be unclear which of them apply", fix=f"keep one of them: {_NAMES[0]}, or [{_TABLE}]",
    )  # fmt: skip


def _unknown(found: Configuration, keys: tuple[str, ...], known: list[str], place: str = "") -> Diagnostic:
    hint = near_miss(keys[-1], known)
    fix = place or hint or f"known are {', '.join(sorted(known)[:12])}" + (", ..." if len(known) > 12 else "")
    why = "a misspelt setting would otherwise be ignored silently"
    return Diagnostic(found.position(*keys), "config-unknown", f"there is no setting {'.'.join(keys)}", why, fix)


def _wrong_type(found: Configuration, keys: tuple[str, ...], why: str, fix: str) -> Diagnostic:
    return Diagnostic(found.position(*keys), "config-value", f"{'.'.join(keys)} has an invalid value", why, fix)


def _line_of(text: str, keys: list[str]) -> int:
    """Return the line of a key, however it is written (in a table, dotted, as a table); from 1, or 0 if unknown."""
    wanted, table = [key.strip('"') for key in keys], list[str]()
    best = (0, 0)
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[+([^\]]+)\]", line):
            table = list(_parts(header[1]))
            path = table
        elif entry := re.match(r"\s*([\w\"'.\s-]+?)\s*=", line):
            path = [*table, *_parts(entry[1])]
        else:
            continue
        shared = len(path) if path == wanted[: len(path)] else 0
        best = max(best, (shared, -number))
    return -best[1] if best[0] else 0


def _parts(dotted: str) -> Iterator[str]:
    for part in dotted.split("."):
        yield part.strip().strip("\"'")


DEFAULT_GATES = "default"
"""The value of `--gates` for only the release's own gate settings, without a second part with all gates on."""


def parse_gates(texts: Sequence[str]) -> dict[str, bool]:
    """Read `A=true,B=false`. Raises InputError with every part that is wrong."""
    gates: dict[str, bool] = {}
    wrong = []
    for part in (part.strip() for text in texts for part in text.split(",") if part.strip()):
        name, _, value = part.partition("=")
        if name and value.lower() in ("true", "false"):
            gates[name] = value.lower() == "true"
        else:
            wrong.append(
                Diagnostic(
                    Position("--gates"),
                    "gates-syntax",
                    f"{part!r} is not a feature gate setting",
                    fix=f"{name or 'Name'}=true or {name or 'Name'}=false",
                )
            )
    if wrong:
        raise InputError(wrong)
    return gates
