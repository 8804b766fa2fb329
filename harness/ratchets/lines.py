"""The form of every ratchet file: one line for each thing that is held, and since when.

    # a head of comments
    asked: kubernetes 1.37.1 --kind pods
    cases: 20000
    NAME: VALUES since 2026-11-21

What was asked stands in files that hold a run to what the same run reached; others have no such line. A day says since
when a line is as it is; it is written anew only when the line changes. Lines without one are older.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.diagnostics import Diagnostic, InputError, Position
from harness.files import write_atomically
from harness.limits import read_bounded_text

_SINCE = re.compile(r"(?P<rest>.*?) since (?P<day>\d{4}-\d\d-\d\d)")
_CASES = re.compile(r"cases: (\d{1,15})")
_ASKED = re.compile(r"asked: (\S.*)")
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>")


@dataclass(frozen=True, slots=True)
class Held:
    """What is held of one thing: words, and the day since which; empty when nobody wrote it down."""

    values: tuple[str, ...]
    since: str = ""

    def __str__(self) -> str:
        return " ".join(self.values) + (f" since {self.since}" if self.since else "")


Parse = Callable[[str], tuple[str, tuple[str, ...]] | None]
"""Reads a line without its day as a name and values; None when it is none."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What a file says: how many cases a search must ask to be held to it, and the things it holds by name.

    `asked` is what the search asked, empty if nobody wrote it down.
    """

    cases: int
    held: Mapping[str, Held]
    asked: str = ""


def read_lines(file: Path, parse: Parse, why: str, asks: bool = False) -> Lines:
    """Read a file; one that is not there is empty. Raises: InputError with every line that is wrong.

    `asks`: a line may say what was asked; two that differ, as after a merge, are of two runs. A name that stands twice,
    as after a merge, holds all values since the earlier day.
    """
    try:
        lines = read_bounded_text(file).splitlines()
    except FileNotFoundError:
        return Lines(0, {})
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError([Diagnostic(Position(str(file)), "ratchet-unreadable", f"cannot be read: {reason}")]) from None
    cases, asked, held, wrong = 0, "", dict[str, Held](), list[Diagnostic]()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if (found := _CASES.fullmatch(line)) is not None:
            cases = int(found[1])
            continue
        if asks and (found := _ASKED.fullmatch(line)) is not None and asked in ("", found[1]):
            asked = found[1]
            continue
        dated = _SINCE.fullmatch(line)
        parsed = parse(dated["rest"] if dated else line)
        if parsed is None:
            wrong.append(_wrong(file, number, line, why))
        else:
            name, values = parsed
            held[name] = _merged(held.get(name), Held(values, dated["day"] if dated else ""))
    if wrong:
        raise InputError(wrong)
    return Lines(cases, held, asked)


def _merged(before: Held | None, now: Held) -> Held:
    if before is None:
        return now
    days = sorted(filter(None, (before.since, now.since)))
    return Held(tuple(sorted({*before.values, *now.values})), days[0] if days else "")


def _wrong(file: Path, number: int, line: str, why: str) -> Diagnostic:
    message = "a conflict of a merge" if line.startswith(_CONFLICT) else "this line is none of a ratchet"
    fix = "keep the lines of both sides, or take the line out and run with --update-ratchet"
    return Diagnostic(Position(str(file), number), "ratchet-line", message, why, fix, line[:200])


def write_lines(file: Path, head: str, cases: int | None, held: Mapping[str, Held], asked: str = "") -> None:
    """Write a file, sorted. Raises: OSError."""
    lines: Iterable[str] = sorted(f"{name}: {one}" for name, one in held.items())
    first = [f"asked: {asked}"] if asked else []
    first += [] if cases is None else [f"cases: {cases}"]
    write_atomically(file, ("\n".join([head.rstrip("\n"), *first, *lines]) + "\n").encode())
