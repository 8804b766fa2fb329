"""Progress of a command: a progress bar on a terminal, else a line of text every ten seconds.

The bar appears before the target is opened, and is never wider than the terminal: the least important parts are left
out. `Live` also keeps every finding of a run, so that an aborted run loses none.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.live import Live as Display
from rich.text import Text

from harness import events
from harness.engine.packedfinding import PackedFinding
from harness.report.escaping import count, lines, visible
from harness.report.formats.terminal.lines import fold
from harness.report.formats.terminal.screen import Verbosity
from harness.report.words import DONE

PLAIN_SECONDS = 10.0
"""Seconds between two lines of text without a terminal, and before the first."""
COLUMNS = 16
"""The width of the bar itself."""

_VERBOSITY = "harness.verbosity"
_NUMBER = re.compile(r"[\d,.]+")

F = TypeVar("F", bound=Callable[..., Any])


def verbosity_options(function: F) -> F:
    """Add -q and -v, which `verbosity` returns."""

    def keep(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            wanted = Verbosity.QUIET if parameter.name == "quiet" else Verbosity.VERBOSE
            if context.meta.setdefault(_VERBOSITY, wanted) is not wanted:
                raise click.UsageError("-q and -v are mutually exclusive", context)

    words = "Show only the verdict, and one line per group."
    quiet = click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=keep, help=words)
    words = "Show every group in full, all steps, and timings."
    verbose = click.option("-v", "--verbose", is_flag=True, expose_value=False, callback=keep, help=words)
    return quiet(verbose(function))


def verbosity() -> Verbosity:
    """Return the verbosity of the running command."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_VERBOSITY, Verbosity.NORMAL) if context is not None else Verbosity.NORMAL


class ProgressBar:
    """The progress of one job: the last line of a terminal, else a line of text now and then.

    A thread updates it while the job reports nothing.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.verbosity = verbosity()
        self._clock = clock
        self._began = clock()
        self._next = self._began + PLAIN_SECONDS
        self._fraction: float | None = None
        self._left: float | None = None
        self._parts: Sequence[str] = ()
        self._step = ""
        self._pending = ""
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._display: Display | None = None
        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        if self.verbosity is not Verbosity.QUIET and sys.stderr.isatty() and not console.is_dumb_terminal:
            self._display = Display(get_renderable=self._line, console=console, transient=True, refresh_per_second=8)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Show the bar, or start the thread that prints lines of text."""
        if self._display is not None:
            self._display.start(refresh=True)
        elif self.verbosity is not Verbosity.QUIET:
            threading.Thread(target=self._beat, name="progress", daemon=True).start()

    def stop(self) -> None:
        """Remove the bar. May be called twice."""
        self._ended.set()
        with self._lock:
            self._flush()
        if self._display is not None:
            self._display.stop()

    def note(self, text: str) -> None:
        """Print a note above the bar. One that differs from the last only in numbers is shown in the bar instead."""
        if self.verbosity is Verbosity.QUIET:
            return
        with self._lock:
            shape = _NUMBER.sub("0", text)
            if shape == self._step and self.verbosity is not Verbosity.VERBOSE:
                self._pending = text  # shown in the bar, or printed with the next line of text
                return
            self._flush()
            self._step = shape
            self._print(text)

    def update(self, fraction: float | None, parts: Sequence[str], left: float | None = None) -> None:
        """Set the progress: the done fraction, further parts, the most important first, and the seconds left."""
        with self._lock:
            self._fraction, self._parts, self._left = fraction, parts, left
            if self._display is not None:
                self._flush()
        self.tick()

    def tick(self) -> None:
        """Print a line of text when there is no terminal and it is due."""
        with self._lock:
            if self._display is None and self.verbosity is not Verbosity.QUIET and self._clock() >= self._next:
                self._print(self._pending or self._plain())
                self._pending = ""

    def _beat(self) -> None:
        while not self._ended.wait(0.5):
            self.tick()

    def _flush(self) -> None:
        if self._pending and not (self._ended.is_set() and self._display is not None):
            self._print(self._pending)
        self._pending = ""

    def _print(self, text: str) -> None:
        self._next = self._clock() + PLAIN_SECONDS
        if self._display is None:
            click.echo(lines(text), err=True)
            return
        console = self._display.console
        for line in lines(text).split("\n"):
            for piece in fold(Text(line), console.width):
                console.print(piece, soft_wrap=True)

    def _progress_parts(self) -> list[str]:
        """Return the parts of the progress, the most important first."""
        parts = [] if self._fraction is None else [f"{self._fraction:.0%}"]
        parts += [f"{_clock_of(self._left)} left"] if self._left is not None else []
        return [*parts, *self._parts]

    def _plain(self) -> str:
        elapsed = f"{self._clock() - self._began:.0f} s"
        if self._fraction is None and not self._parts:
            return f"{self.name}: opening, {elapsed}"
        return f"{self.name}: {', '.join((*self._progress_parts(), elapsed))}"

    def _line(self) -> Text:
        """Return the bar with the parts that fit behind it."""
        with self._lock:
            parts = self._progress_parts()
            pending = self._pending.removeprefix(f"{self.name}: ")
            name = self.name if len(self.name) <= 30 else f"{self.name[:29]}…"
            if not parts or pending:
                parts = [*([f"{name}: {pending}"] if pending else [f"{name}: opening"]), *parts]
                parts.append(f"{self._clock() - self._began:.0f} s")
            else:
                parts = [*parts[:4], name, *parts[4:]]
            width = self._display.console.width if self._display is not None else 80
            return render_bar(self._fraction, [visible(part) for part in parts], width)


def render_bar(fraction: float | None, parts: Sequence[str], width: int) -> Text:
    """Return a bar with as many parts as fit on one line; the last column stays free."""
    done = round(COLUMNS * min(1.0, max(0.0, fraction or 0.0)))
    row = Text()
    row.append("━" * done, style=DONE)
    row.append("─" * (COLUMNS - done), style="dim")
    room = width - COLUMNS - 2
    text = ""
    for part in parts:
        longer = f"{text}, {part}" if text else part
        if cell_len(longer) > room:
            break
        text = longer
    if not text and parts:
        text = set_cell_size(parts[0], max(0, room))
    return row.append(f" {text}")


def _clock_of(seconds: float) -> str:
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


class Steps(ProgressBar):
    """The progress of a job with a known number of steps. The bar appears with the first step."""

    def __init__(self, name: str, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__(name, now)
        self._shown = False

    def start(self) -> None:
        """Wait for the first step."""

    def show(self, done: int, total: int, text: str) -> None:
        """Show the state after one more step."""
        if not self._shown:
            self._shown = True
            super().start()
        seconds, fraction = self._clock() - self._began, done / total if total else 1.0
        left = seconds * (1 - fraction) / fraction if fraction else None
        self.update(fraction, [text.removeprefix(f"{self.name}: ")], left)


class Live(ProgressBar):
    """The progress of one run or several in sequence, from their events."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(name, clock)
        self.started: events.Started | None = None
        self.last: events.Progress | None = None
        self.findings: list[PackedFinding] = []

    def __call__(self, event: events.Event) -> None:
        """Show one event of the engine."""
        if isinstance(event, events.Started):
            self.started = event
            self.note(
                f"{self.name}: {count(event.kinds, 'kind and operation', 'kinds and operations')}, seed {event.seed}"
            )
        elif isinstance(event, events.Progress):
            self._progress(event)
        elif isinstance(event, events.Found):
            self.findings.append(PackedFinding.of(event.finding))
            if self.verbosity is Verbosity.VERBOSE:
                one = event.finding
                self.note(f"{self.name}: found {one.severity} {one.cause} {one.operation} {one.path} {one.fingerprint}")
        elif isinstance(event, events.Noted):
            self.note(f"{self.name}: {event.text}")
        elif isinstance(event, events.Finished) and self.verbosity is Verbosity.VERBOSE:
            result = event.result
            self.note(f"{result.part or result.subject}: ended by: {result.stopped}, after {result.seconds:.1f} s")

    def _progress(self, event: events.Progress) -> None:
        self.last = event
        parts = ["finishing"] if event.fraction >= 1 else []
        parts += [count(event.cases, "case"), count(event.findings, "finding"), event.current]
        self.update(event.fraction, parts, self._seconds_left(event))

    def _seconds_left(self, event: events.Progress) -> float | None:
        """Estimate the seconds left from the used fraction of the budget, None while that is too small."""
        if not 0.02 <= event.fraction < 1:
            return None
        return event.seconds * (1 - event.fraction) / event.fraction
