"""`--events FILE`: write the events of a run as JSON Lines while it goes on, for programs that follow a long run.

Every line is flushed, so that `tail -f` shows it. A write error ends the log and changes the exit code to 2, but does
not end the run.
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
from harness.report.model.document import Report
from harness.report.model.eventlines import FailedLine, Line, encode_line, event_lines, finished_line

F = TypeVar("F", bound=Callable[..., Any])

PROGRESS_SECONDS = 2.0
"""At least so many seconds lie between two `progress` lines."""


def events_option(function: F) -> F:
    """Add `--events`; the command gets it as `events: Path | None`."""
    words = "Write events as NDJSON while the run goes on; - for standard output."
    return click.option("--events", type=click.Path(path_type=Path), metavar="FILE", help=words)(function)


def reserve_stdout(files: Files, path: Path | None) -> Files:
    """Mark standard output as used when the events go there. Raises: UsageError when a report goes there too."""
    if path != STDOUT:
        return files
    if files.uses_stdout:
        raise UsageError("--events and a report cannot share standard output\n  fix: give one of them a file")
    return replace(files, stdout_used=True)


class EventLog:
    """Writes the events of the runs of one command; without a path it writes nothing.

    `failed` says that a write failed, after which nothing is written. Raises: UsageError for an unwritable file.
    """

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self.failed = path, False
        self._clock = clock
        self._next = 0.0
        self._stream = None if path is None else _open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and self.path != STDOUT:
            self._stream.close()

    def record(self, subject: str, event: events.Event) -> None:
        """Write the lines of one event of the engine, and drop progress that comes too soon."""
        if self._stream is None:
            return
        if isinstance(event, events.Progress):
            if self._clock() < self._next:
                return
            self._next = self._clock() + PROGRESS_SECONDS
        for line in event_lines(event, subject, _now()):
            self._write(line)

    def fail(self, subject: str, message: str) -> None:
        """Write that a subject could not be opened or searched, or that its search was aborted."""
        self._write(FailedLine(time=_now(), subject=subject, message=message))

    def code_of(self, code: int) -> int:
        """Return the exit code of a command: 2 in place of this code when the log is incomplete."""
        return COULD_NOT_RUN if self.failed and code != INTERRUPTED else code

    def finish(self, report: Report, exit_code: int) -> None:
        """Write the last line of the run."""
        self._write(finished_line(report, exit_code, _now()))

    def _write(self, line: Line) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(encode_line(line))
            self._stream.flush()
        except OSError as error:
            broken, self._stream, self.failed = self._stream, None, True
            if self.path == STDOUT:
                # The reader closed the pipe; without this, Python prints an error when it flushes at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            else:
                with contextlib.suppress(OSError):
                    broken.close()
            click.echo(f"harness: --events {self.path}: the log ends here: {error.strerror or error}", err=True)


def _open(path: Path) -> IO[bytes]:
    if path == STDOUT:
        return sys.stdout.buffer
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "wb")
    except OSError as error:
        message = f"--events {path} cannot be written: {error.strerror or error}"
        raise UsageError(f"{message}\n  fix: name a file in a writable folder") from None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
