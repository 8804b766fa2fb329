"""Where commands write: what `-` means for an option that names a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

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
