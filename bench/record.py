"""What a measurement is, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.console import Console
from rich.table import Table

from harness.events import Timings


class Measured(msgspec.Struct, frozen=True):
    """One line of a table: so many things in so many seconds.

    `timings` say where the time of a run went, when it is known; `more` are counts that belong to it.
    """

    name: str
    count: int
    seconds: float
    timings: Timings | None = None
    processes: int = 1
    more: dict[str, int | str] = {}

    @property
    def rate(self) -> float:
        """Units: things a second."""
        return self.count / self.seconds if self.seconds else 0.0


class Section(msgspec.Struct, frozen=True):
    """A question and its lines; the first is the peer that the others are compared with.

    `left_out` says what was not measured, and why.
    """

    question: str
    unit: str
    lines: tuple[Measured, ...]
    left_out: tuple[str, ...] = ()


class Document(msgspec.Struct, frozen=True):
    """What `--json` writes."""

    python: str
    processors: int
    seconds_each: float
    sections: tuple[Section, ...]


def show(document: Document, console: Console) -> None:
    """Print tables for people."""
    console.print(
        f"Python {document.python}, {document.processors} processors, about {document.seconds_each:g} seconds a line",
        highlight=False,
    )
    for section in document.sections:
        console.print()
        if section.lines:
            console.print(_table(section))
        for reason in section.left_out:
            console.print(f"left out: {reason}", highlight=False, markup=False)


def _table(section: Section) -> Table:
    table = Table(title=section.question, title_justify="left", title_style="bold")
    table.add_column("", overflow="fold")
    table.add_column(f"{section.unit}/s", justify="right", no_wrap=True)
    table.add_column("times", justify="right", no_wrap=True)
    spent = any(line.timings for line in section.lines)
    for name in Timings.__struct_fields__ if spent else ():
        table.add_column(name, justify="right", no_wrap=True)
    extra = list(dict.fromkeys(key for line in section.lines for key in line.more))
    for name in extra:
        table.add_column(name, justify="right", no_wrap=True)
    for line in section.lines:
        table.add_row(*_cells(line, section.lines[0], spent, extra))
    return table


def _cells(line: Measured, peer: Measured, spent: bool, extra: Iterable[str]) -> list[str]:
    cells = [line.name, f"{line.rate:,.0f}", f"{line.rate / peer.rate:.1f}" if peer.rate else ""]
    if spent:
        cells += _shares(line)
    cells += [f"{value:,}" if isinstance(value := line.more.get(name, ""), int) else value for name in extra]
    return cells


def _shares(line: Measured) -> list[str]:
    """Shares of the wall clock of all jobs. What is missing to 100 % is the start, and the bookkeeping."""
    if line.timings is None or not line.seconds:
        return [""] * len(Timings.__struct_fields__)
    whole = line.seconds * line.processes
    return [f"{100 * getattr(line.timings, name) / whole:.0f} %" for name in Timings.__struct_fields__]
