"""Defines options of several commands: those that name an API by its types, and types for files to write."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from harness.cli.configuration import typed

F = TypeVar("F", bound=Callable[..., Any])


def api_options(function: F) -> F:
    """Add --kubernetes and --release, the arguments of `open_api` besides the path."""
    for add in (
        click.option(
            "--release", default="", metavar="1.N|proposed",
            help="Read tags as this release does, or those of proposals too. Default: that of the types, else 1.37.",
        ),
        click.option(
            "--kubernetes", default="", metavar="RELEASE|CHECKOUT", help="A release such as 1.37.1, or a checkout."
        ),
    ):  # fmt: skip
        function = add(function)
    return _ignore_settings(function)


def _ignore_settings(function: F) -> F:
    """Ignore `kubernetes` of the project's settings if the command line names an API or another input."""

    @wraps(function)
    def wrapped(*args: Any, kubernetes: str, **others: Any) -> Any:
        if any(others.get(name) for name in ("path", "paths", "report", "tags", "words", "crds", "policies")):
            kubernetes = typed("kubernetes", kubernetes) or ""
        return function(*args, kubernetes=kubernetes, **others)

    return cast(F, wrapped)


def api_argument(function: F) -> F:
    """Add [PATH], --kubernetes and --release, for commands that read one API."""
    return click.argument("path", required=False, default="", metavar="[PATH]")(api_options(function))


STDOUT = Path("-")
"""The value of an option for a file that means standard output."""


class WritablePath(click.Path):
    """A file or folder to write. `-` for standard output is rejected, because it would create a file of that name."""

    def __init__(self, what: str, **more: Any) -> None:
        super().__init__(path_type=Path, **more)
        self._what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == str(STDOUT):
            self.fail(f"standard output is not a {self._what}\n  fix: name a {self._what}", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = WritablePath("folder", file_okay=False)
FILE = WritablePath("file", dir_okay=False)
