"""The ratchet of rule coverage: a committed file of what rules were seen to do, one line each. It may only rise.

# ...
cases: 20000
apps/v1 Deployment spec.replicas Invalid/minimum: accepted declarative handwritten rejected since 2026-11-21
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeAlias

from harness.ratchets.lines import Held, read_lines, write_lines

NAME = "rules.ratchet"
"""What the file is called in the folder of a suite."""

MARKS = ("accepted", "declarative", "handwritten", "rejected")
"""What may be seen of a rule, as lines have it."""

Seen: TypeAlias = Mapping[str, Collection[str]]
"""What was seen of rules, by name. A name starts with those of group, version and kind."""

_HEAD = """\
# What searches have seen of declared rules. A search of at least so many cases that sees less fails.
# Raise it with `harness run ... --update-ratchet`; docs/explanation/rule-coverage.md says how to read it.
"""
_LINE = re.compile(r"(?P<name>\S+ \S+ \S+ \S+): (?P<marks>[a-z]+(?: [a-z]+)*)")
_WHY = "a line is GROUP/VERSION KIND PATH TYPE/ORIGIN: and some of " + ", ".join(MARKS)


@dataclass(frozen=True, slots=True)
class Ratchet:
    """What was seen before, since when, and how many cases a search must ask to be held to it."""

    cases: int = 0
    rules: Mapping[str, Held] = field(default_factory=dict)

    def lost(self, seen: Seen, asked: Collection[str]) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Return the rules of the kinds in `asked` of which less was seen, what is missing, and since when it was seen.

        A rule that is not in `seen` is declared no more.
        """
        for name, held in self.rules.items():
            if kind_of(name) in asked:
                now = seen.get(name)
                missing = ("declared",) if now is None else tuple(mark for mark in held.values if mark not in now)
                if missing:
                    yield name, missing, held.since

    def raised(self, seen: Seen, asked: Collection[str], cases: int, today: date) -> Ratchet:
        """Return the ratchet with what was seen now added; only rules that are declared no more go."""
        kept = {name: held for name, held in self.rules.items() if name in seen or kind_of(name) not in asked}
        for name, marks in seen.items():
            before = kept.get(name, Held(()))
            every = tuple(sorted({*before.values, *marks}))
            if every and every != before.values:
                kept[name] = Held(every, today.isoformat())
        return Ratchet(self.cases or cases, kept)


def kind_of(name: str) -> str:
    """Return the kind of a rule: `apps/v1 Deployment`."""
    return " ".join(name.split(" ")[:2])


def read_ratchet(file: Path) -> Ratchet:
    """Read a file; one that is not there is empty. Raises: InputError with every line that is wrong."""
    lines = read_lines(file, _parsed, _WHY)
    return Ratchet(lines.cases, lines.held)


def _parsed(line: str) -> tuple[str, tuple[str, ...]] | None:
    found = _LINE.fullmatch(line)
    if found is None or not set(found["marks"].split()) <= set(MARKS):
        return None
    return found["name"], tuple(sorted(found["marks"].split()))


def write_ratchet(file: Path, ratchet: Ratchet) -> None:
    """Write a file. Raises: OSError."""
    write_lines(file, _HEAD, ratchet.cases, ratchet.rules)


def marks_of(flags: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return the marks that are true, sorted."""
    return tuple(sorted(mark for mark, there in flags if there))
