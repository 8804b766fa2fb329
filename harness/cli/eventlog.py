"""Events of a run, written while it goes on: `--events FILE`, for whoever watches a run that takes hours.

Every line is flushed, so that `tail -f` shows it. A file that cannot be written any more ends the log, not the run.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import click

from harness import events
from harness.cli import COULD_NOT_RUN, INTERRUPTED
from harness.cli.options import STDOUT
from harness.cli.publishing import Files
from harness.diagnostics import UsageError
from harness.reporting.document import Report
from harness.reporting.eventlines import FailedLine, Line, encode_line, finished, lines_of

F = TypeVar("F", bound=Callable[..., Any])

PROGRESS_SECONDS = 2.0
"""Progress is told no more often."""


def events_option(function: F) -> F:
    """Add `--events`; the command gets it as `events: Path | None`."""
    words = "Write events as NDJSON while the run goes on; - for standard output."
    return click.option("--events", type=click.Path(path_type=Path), metavar="FILE", help=words)(function)


def beside_events(files: Files, place: Path | None) -> Files:
    """Leave standard output to the events where they go there. Raises: UsageError when a form wants it too."""
    if place != STDOUT:
        return files
    if files.aside:
        raise UsageError("standard output cannot take --events and a report\n  fix: give one of them a file")
    return replace(files, taken=True)


class EventLog:
    """Writes the events of the runs of one command. Without a place it writes nothing.

    `failed` says that the log broke off. Raises: UsageError when the file cannot be opened.
    """

    def __init__(self, place: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.place, self.failed = place, False
        self._clock = clock
        self._next = 0.0
        self._stream = None if place is None else _opened(place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and self.place != STDOUT:
            self._stream.close()

    def hear(self, subject: str, event: events.Event) -> None:
        """Take one event of the engine."""
        if self._stream is None:
            return
        if isinstance(event, events.Progress):
            if self._clock() < self._next:
                return
            self._next = self._clock() + PROGRESS_SECONDS
        for line in lines_of(event, subject, _now()):
            self._write(line)

    def fail(self, subject: str, message: str) -> None:
        """Tell that a subject could not be searched, or not to the end."""
        self._write(FailedLine(time=_now(), subject=subject, message=message))

    def code_of(self, code: int) -> int:
        """Return the exit code of a command that would end with this one: a log that broke off is no success."""
        return COULD_NOT_RUN if self.failed and code != INTERRUPTED else code

    def finish(self, report: Report, exit_code: int) -> None:
        """Tell how the run ended."""
        self._write(finished(report, exit_code, _now()))

    def _write(self, line: Line) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(encode_line(line))
            self._stream.flush()
        except OSError as error:
            broken, self._stream, self.failed = self._stream, None, True
            if self.place == STDOUT:
                # Nobody reads any more; keep the interpreter from complaining at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            else:
                with contextlib.suppress(OSError):
                    broken.close()
            click.echo(f"harness: {self.place}: the events end here: {error.strerror or error}", err=True)


def _opened(place: Path) -> IO[bytes]:
    if place == STDOUT:
        return sys.stdout.buffer
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        return open(place, "wb")
    except OSError as error:
        message = f"--events {place} cannot be written: {error.strerror or error}"
        raise UsageError(f"{message}\n  fix: name a file in a folder that you may write to") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
