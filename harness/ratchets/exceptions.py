"""The ratchet of exceptions: how many each suite has. It may only fall.

    # ...
    kubernetes: 91 since 2026-11-21

A number that grows is raised by hand, in a change that people look at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from harness.ratchets.lines import Held, read_lines, write_lines

NAME = "exceptions.ratchet"
"""What the file is called beside that of the exceptions."""

_HEAD = """\
# How many exceptions each suite has. It may only fall: `harness exceptions count --update-ratchet` lowers it.
"""
_LINE = re.compile(r"(?P<suite>\S+): (?P<number>\d{1,9})")
_WHY = "a line is a suite and a number: kubernetes: 84"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many exceptions each suite may have, and since when. A suite that is not there may have none."""

    suites: Mapping[str, Held] = field(default_factory=dict)

    def held(self, suite: str) -> int:
        """How many a suite may have: the least, when a merge left several lines."""
        one = self.suites.get(suite)
        return min(map(int, one.values)) if one is not None else 0

    def since(self, suite: str) -> str:
        """The day since which; empty when it is not known."""
        one = self.suites.get(suite)
        return one.since if one is not None else ""

    def more(self, now: Mapping[str, int]) -> dict[str, int]:
        """Return the suites that have more than they may, and how many."""
        return {suite: number for suite, number in now.items() if number > self.held(suite)}

    def lowered(self, now: Mapping[str, int], today: date) -> Counts:
        """Return the counts with what fell written down; what grew stays as it was."""
        kept = {}
        for suite in self.suites:
            least = min(self.held(suite), now.get(suite, 0))
            fell = least < self.held(suite)
            if least:
                kept[suite] = Held((str(least),), today.isoformat() if fell else self.since(suite))
        return Counts(kept)


def count(suites: Iterable[str]) -> dict[str, int]:
    """Count the exceptions of each suite, in order of name."""
    return dict(sorted(Counter(suites).items()))


def first(now: Mapping[str, int], today: date) -> Counts:
    """Return the first counts."""
    return Counts({suite: Held((str(number),), today.isoformat()) for suite, number in now.items()})


def read_counts(file: Path) -> Counts:
    """Read a file; one that is not there is empty. Raises: InputError with every line that is wrong."""
    return Counts(read_lines(file, _parsed, _WHY).held)


def _parsed(line: str) -> tuple[str, tuple[str, ...]] | None:
    found = _LINE.fullmatch(line)
    return (found["suite"], (found["number"],)) if found else None


def write_counts(file: Path, counts: Counts) -> None:
    """Write a file. Raises: OSError."""
    write_lines(file, _HEAD, None, counts.suites)
