"""What is shown while a run goes on: a progress bar on a terminal, a plain line every ten seconds elsewhere.

The bar is there before anything is opened, and is never wider than the terminal: what does not fit is left out, the
least important first. It also remembers every finding it saw, so that a run that breaks off loses none.
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
from harness.reporting.linewrap import fold
from harness.reporting.terminal import Loudness
from harness.reporting.text import count, lines, visible

PLAIN_SECONDS = 10.0
"""A line this often where there is no terminal, and the first one no later."""
COLUMNS = 16
"""The bar itself is so wide."""

_LOUDNESS = "harness.loudness"
_NUMBER = re.compile(r"[\d,.]+")

F = TypeVar("F", bound=Callable[..., Any])


def loudness_options(function: F) -> F:
    """Add -q and -v. Whatever the command shows asks `loudness` for them."""

    def keep(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            wanted = Loudness.QUIET if parameter.name == "quiet" else Loudness.VERBOSE
            if context.meta.setdefault(_LOUDNESS, wanted) is not wanted:
                raise click.UsageError("-q and -v are mutually exclusive", context)

    words = "Show only the verdict, and one line per group."
    quiet = click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=keep, help=words)
    words = "Show every group in full, all steps, and timings."
    verbose = click.option("-v", "--verbose", is_flag=True, expose_value=False, callback=keep, help=words)
    return quiet(verbose(function))


def loudness() -> Loudness:
    """How much the command that runs is to tell."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_LOUDNESS, Loudness.NORMAL) if context is not None else Loudness.NORMAL


class ProgressBar:
    """One line that says how far something is: always the last one of a terminal, now and then elsewhere.

    A thread keeps it alive while whoever works has nothing to say.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.loudness = loudness()
        self._clock = clock
        self._began = clock()
        self._next = self._began + PLAIN_SECONDS
        self._fraction: float | None = None
        self._left: float | None = None
        self._parts: Sequence[str] = ()
        self._step = ""
        self._held = ""
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._display: Display | None = None
        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        if self.loudness is not Loudness.QUIET and sys.stderr.isatty() and not console.is_dumb_terminal:
            self._display = Display(get_renderable=self._line, console=console, transient=True, refresh_per_second=8)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Show the bar, or begin to count the seconds until the first line."""
        if self._display is not None:
            self._display.start(refresh=True)
        elif self.loudness is not Loudness.QUIET:
            threading.Thread(target=self._beat, name="progress", daemon=True).start()

    def stop(self) -> None:
        """Take the bar away: something else goes on. May be called twice."""
        self._ended.set()
        with self._lock:
            self._flush()
        if self._display is not None:
            self._display.stop()

    def note(self, text: str) -> None:
        """Show a line that a person should read now. What differs from the one before in its numbers alone can wait."""
        if self.loudness is Loudness.QUIET:
            return
        with self._lock:
            shape = _NUMBER.sub("0", text)
            if shape == self._step and self.loudness is not Loudness.VERBOSE:
                self._held = text  # the same again with other numbers: it stands in the bar, or waits for its turn
                return
            self._flush()
            self._step = shape
            self._say(text)

    def update(self, fraction: float | None, parts: Sequence[str], left: float | None = None) -> None:
        """Say how far it is: a share of all, what else is known, the most important first, and the seconds left."""
        with self._lock:
            self._fraction, self._parts, self._left = fraction, parts, left
            if self._display is not None:
                self._flush()
        self.tick()

    def tick(self) -> None:
        """Tell how far it is where there is no terminal, and it is time to."""
        with self._lock:
            if self._display is None and self.loudness is not Loudness.QUIET and self._clock() >= self._next:
                self._say(self._held or self._plain())
                self._held = ""

    def _beat(self) -> None:
        while not self._ended.wait(0.5):
            self.tick()

    def _flush(self) -> None:
        if self._held and not (self._ended.is_set() and self._display is not None):
            self._say(self._held)
        self._held = ""

    def _say(self, text: str) -> None:
        self._next = self._clock() + PLAIN_SECONDS
        if self._display is None:
            click.echo(lines(text), err=True)
            return
        console = self._display.console
        for line in lines(text).split("\n"):
            for piece in fold(Text(line), console.width):
                console.print(piece, soft_wrap=True)

    def _told(self) -> list[str]:
        """What is known of how far it is, the most important first."""
        parts = [] if self._fraction is None else [f"{self._fraction:.0%}"]
        parts += [f"{_clock_of(self._left)} left"] if self._left is not None else []
        return [*parts, *self._parts]

    def _plain(self) -> str:
        elapsed = f"{self._clock() - self._began:.0f} s"
        if self._fraction is None and not self._parts:
            return f"{self.name}: opening, {elapsed}"
        return f"{self.name}: {', '.join((*self._told(), elapsed))}"

    def _line(self) -> Text:
        """The bar and what fits behind it."""
        with self._lock:
            told = self._told()
            held = self._held.removeprefix(f"{self.name}: ")
            name = self.name if len(self.name) <= 30 else f"{self.name[:29]}…"
            if not told or held:
                told = [*([f"{name}: {held}"] if held else [f"{name}: opening"]), *told]
                told.append(f"{self._clock() - self._began:.0f} s")
            else:
                told = [*told[:4], name, *told[4:]]
            width = self._display.console.width if self._display is not None else 80
            return fitting(self._fraction, [visible(part) for part in told], width)


def fitting(fraction: float | None, parts: Sequence[str], width: int) -> Text:
    """Write a bar with as many parts behind it as one line holds; the last column stays free."""
    done = round(COLUMNS * min(1.0, max(0.0, fraction or 0.0)))
    row = Text()
    row.append("━" * done, style="green")
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
    """Shows how far a job of known length is. The bar appears with the first step."""

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
    """Follows the events of one run or of several, one after the other."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(name, clock)
        self.started: events.Started | None = None
        self.last: events.Progress | None = None
        self.findings: list[PackedFinding] = []

    def __call__(self, event: events.Event) -> None:
        """Take one event of the engine."""
        if isinstance(event, events.Started):
            self.started = event
            self.note(
                f"{self.name}: {count(event.kinds, 'kind and operation', 'kinds and operations')}, seed {event.seed}"
            )
        elif isinstance(event, events.Progress):
            self._progress(event)
        elif isinstance(event, events.Found):
            self.findings.append(PackedFinding.of(event.finding))
            if self.loudness is Loudness.VERBOSE:
                one = event.finding
                self.note(f"{self.name}: found {one.severity} {one.cause} {one.operation} {one.path} {one.fingerprint}")
        elif isinstance(event, events.Noted):
            self.note(f"{self.name}: {event.text}")
        elif isinstance(event, events.Finished) and self.loudness is Loudness.VERBOSE:
            told = event.result
            self.note(f"{told.part or told.subject}: ended by: {told.stopped}, after {told.seconds:.1f} s")

    def _progress(self, event: events.Progress) -> None:
        self.last = event
        parts = ["finishing"] if event.fraction >= 1 else []
        parts += [count(event.cases, "case"), count(event.findings, "finding"), event.current]
        self.update(event.fraction, parts, self._seconds_left(event))

    def _seconds_left(self, event: events.Progress) -> float | None:
        """What the budget leaves; of a number of cases it is known after a while only."""
        if not 0.02 <= event.fraction < 1:
            return None
        return event.seconds * (1 - event.fraction) / event.fraction
