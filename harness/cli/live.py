"""What is shown while a run goes on: a progress bar on a terminal, a plain line every few seconds elsewhere.

It also remembers every finding it saw, so that a run that breaks off loses none.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from harness import events
from harness.engine.packed import Packed
from harness.reporting.text import count, lines, visible

PLAIN_SECONDS = 5.0
"""A line this often where there is no terminal."""


class Steps:
    """Shows how far a job of known length is: a bar on a terminal, a line every few seconds elsewhere."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._next = now() + PLAIN_SECONDS
        console = Console(stderr=True, markup=False, emoji=False)
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True) if console.is_terminal else None
        self._task = self._bar.add_task(visible(name), total=1.0) if self._bar else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: int, total: int, text: str) -> None:
        """Show the state after one more step; the bar appears with the first one."""
        if self._bar is not None and self._task is not None:
            self._bar.start()
            self._bar.update(self._task, completed=done, total=total, description=visible(text))
        elif self._now() >= self._next:
            self._next = self._now() + PLAIN_SECONDS
            click.echo(visible(text), err=True)


class Live:
    """Follows the events of one run or of several, one after the other."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.started: events.Started | None = None
        self.last: events.Progress | None = None
        self.findings: list[Packed] = []
        self._clock = clock
        self._next = 0.0
        self._bar: Progress | None = None
        self._task = None
        if sys.stderr.isatty():
            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True, markup=False, emoji=False), transient=True)
            self._task = self._bar.add_task(visible(name), total=1.0)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take the bar away: something else goes on. May be called twice."""
        if self._bar is not None:
            self._bar.stop()

    def note(self, text: str) -> None:
        """Show something that a person should read now, such as a warning of several lines."""
        if self._bar is not None:
            self._bar.console.print(lines(text), soft_wrap=True, highlight=False)
        else:
            click.echo(lines(text), err=True)

    def __call__(self, event: events.Event) -> None:
        """Take one event of the engine."""
        if isinstance(event, events.Started):
            self.started = event
            self._next = self._clock() + PLAIN_SECONDS
            self.note(
                f"{self.name}: {count(event.kinds, 'kind and operation', 'kinds and operations')}, seed {event.seed}"
            )
        elif isinstance(event, events.Progress):
            self._progress(event)
        elif isinstance(event, events.Found):
            self.findings.append(Packed.of(event.finding))
        elif isinstance(event, events.Noted):
            self.note(f"{self.name}: {event.text}")

    def _progress(self, event: events.Progress) -> None:
        self.last = event
        text = (
            f"{self.name}: {count(event.cases, 'case')}, {count(event.findings, 'finding')}, "
            f"{event.seconds:.0f} s, {event.current}"
        )
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=event.fraction, description=visible(text)[:110])
        elif self._clock() >= self._next:
            self._next = self._clock() + PLAIN_SECONDS
            click.echo(f"{visible(text)}, {event.fraction:.0%} of the budget", err=True)
