"""The ratchet of code coverage: how much handwritten code no case reached. It may only fall.

    # ...
    asked: kubernetes 1.37.1
    cases: 300000
    k8s.io/kubernetes/pkg/apis/apps/validation: 41 since 2026-11-24

A line is a package of Go and its statements that were not reached, or a file of Python and its branches. What was not
reached is held, not what was: code that is deleted is no loss, and new code that nothing reaches is one. A file holds
runs that ask what it says was asked: target, release, and the options that select kinds and operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from harness.ratchets.lines import Held, read_lines, write_lines

NAME = "coverage.ratchet"
"""What the file is called in the folder of a suite."""

_HEAD = """\
# How much handwritten code no case reached: statements of Go packages, branches of Python files. It may only fall.
# A search of at least so many cases that misses more fails. Lower it with `harness run --branches --update-ratchet`.
"""
_LINE = re.compile(r"(?P<name>\S+): (?P<number>\d{1,9})")
_WHY = "a line is a package or file and a number: k8s.io/kubernetes/pkg/apis/apps/validation: 41"


@dataclass(frozen=True, slots=True)
class CodeRatchet:
    """How much was missed before, since when, and how many cases a search must ask to be held to it.

    `asked` is what the search asked; a file without it is of a whole run.
    """

    cases: int = 0
    missed: Mapping[str, Held] = field(default_factory=dict)
    asked: str = ""

    def lost(self, missed: Mapping[str, int]) -> Iterator[tuple[str, int, str]]:
        """Return the names of which more is missed, how much more, and since when it was less.

        A name that is not held has nothing to lose; one of which nothing is known any more is no code any more.
        """
        for name, held in self.missed.items():
            more = missed.get(name, 0) - _least(held)
            if more > 0:
                yield name, more, held.since

    def lowered(self, missed: Mapping[str, int], cases: int, today: date, asked: str = "") -> CodeRatchet:
        """Return the ratchet with what is missed now, where that is less than before; new names are added."""
        kept = {}
        for name, number in missed.items():
            before = self.missed.get(name)
            is_less = before is None or number < _least(before)
            kept[name] = Held((str(number),), today.isoformat()) if before is None or is_less else before
        return CodeRatchet(self.cases or cases, kept, asked or self.asked)


def _least(held: Held) -> int:
    """Return the number of a line: the least, when a merge left several."""
    return min(map(int, held.values))


def read_code_ratchet(file: Path) -> CodeRatchet:
    """Read a file; one that is not there is empty. Raises: InputError with every line that is wrong."""
    lines = read_lines(file, _parsed, _WHY, asks=True)
    return CodeRatchet(lines.cases, lines.held, lines.asked)


def _parsed(line: str) -> tuple[str, tuple[str, ...]] | None:
    found = _LINE.fullmatch(line)
    return (found["name"], (found["number"],)) if found else None


def write_code_ratchet(file: Path, ratchet: CodeRatchet) -> None:
    """Write a file. Raises: OSError."""
    write_lines(file, _HEAD, ratchet.cases, ratchet.missed, ratchet.asked)
