"""Options of several commands: those that name an API by its types, and those that name where a command writes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from harness.cli.configuration import typed

F = TypeVar("F", bound=Callable[..., Any])


def api_options(function: F) -> F:
    """Add --kubernetes and --release: what `open_api` wants beside a path."""
    for add in (
        click.option(
            "--release", default="", metavar="1.N",
            help="Read tags as this release does. Default: that of the types, else 1.37.",
        ),
        click.option(
            "--kubernetes", default="", metavar="RELEASE|CHECKOUT", help="A release such as 1.37.1, or a checkout."
        ),
    ):  # fmt: skip
        function = add(function)
    return _of_settings(function)


def _of_settings(function: F) -> F:
    """Take the release of the project's settings only where the command line names no API."""

    @wraps(function)
    def wrapped(*args: Any, kubernetes: str, **others: Any) -> Any:
        if any(others.get(name) for name in ("path", "paths", "report", "tags", "words")):
            kubernetes = typed("kubernetes", kubernetes) or ""
        return function(*args, kubernetes=kubernetes, **others)

    return cast(F, wrapped)


def api_argument(function: F) -> F:
    """Add [PATH] as well, for commands that read one API: `path`, `kubernetes` and `release`."""
    return click.argument("path", required=False, default="", metavar="[PATH]")(api_options(function))


STDOUT = Path("-")
"""What an option for one file takes for standard output."""


class WritablePath(click.Path):
    """A file or folder to write that cannot be standard output: `-` is refused, where a file of that name would lie."""

    def __init__(self, what: str, **more: Any) -> None:
        super().__init__(path_type=Path, **more)
        self._what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == str(STDOUT):
            self.fail(f"standard output is no {self._what}\n  fix: name a {self._what}", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = WritablePath("folder", file_okay=False)
FILE = WritablePath("file", dir_okay=False)
