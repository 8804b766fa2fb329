"""The ratchet: a committed file of what rules were seen to do, one line each. It may only rise.

    # ...
    cases: 20000
    apps/v1 Deployment spec.replicas Invalid/minimum: accepted declarative handwritten rejected

Lines are sorted and stand alone, so that changes of several people merge.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from harness.diagnostics import Diagnostic, InputError, Position
from harness.files import write_atomically

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
_CASES = re.compile(r"cases: (\d{1,15})")


@dataclass(frozen=True, slots=True)
class Ratchet:
    """What was seen before, and how many cases a search must ask to be held to it."""

    cases: int = 0
    rules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def lost(self, seen: Seen, asked: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Return the rules of the kinds in `asked` of which less was seen, with what is missing.

        A rule that is not in `seen` is declared no more.
        """
        for name, marks in self.rules.items():
            if kind_of(name) in asked:
                now = seen.get(name)
                missing = ("declared",) if now is None else tuple(mark for mark in marks if mark not in now)
                if missing:
                    yield name, missing

    def raised(self, seen: Seen, asked: Collection[str], cases: int) -> Ratchet:
        """Return the ratchet with what was seen now added; only rules that are declared no more go."""
        kept = {name: marks for name, marks in self.rules.items() if name in seen or kind_of(name) not in asked}
        for name, marks in seen.items():
            every = {*kept.get(name, ()), *marks}
            if every:
                kept[name] = tuple(sorted(every))
        return Ratchet(self.cases or cases, kept)

    def text(self) -> str:
        """Return the file."""
        lines = sorted(f"{name}: {' '.join(marks)}" for name, marks in self.rules.items())
        return "\n".join([f"{_HEAD}cases: {self.cases}", *lines]) + "\n"


def kind_of(name: str) -> str:
    """Return the kind of a rule: `apps/v1 Deployment`."""
    return " ".join(name.split(" ")[:2])


def read_ratchet(file: Path) -> Ratchet:
    """Read a file; one that is not there is empty. Raises: InputError with every line that is wrong."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return Ratchet()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError([Diagnostic(Position(str(file)), "ratchet-unreadable", f"cannot be read: {reason}")]) from None
    cases, rules, wrong = 0, dict[str, tuple[str, ...]](), list[Diagnostic]()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if (found := _CASES.fullmatch(line)) is not None:
            cases = int(found[1])
        elif (found := _LINE.fullmatch(line)) is not None and set(found["marks"].split()) <= set(MARKS):
            rules[found["name"]] = tuple(sorted({*rules.get(found["name"], ()), *found["marks"].split()}))
        else:
            wrong.append(_wrong(file, number, line))
    if wrong:
        raise InputError(wrong)
    return Ratchet(cases, rules)


def _wrong(file: Path, number: int, line: str) -> Diagnostic:
    message = "this is no rule" if not line.startswith(("<<<<<<<", "=======", ">>>>>>>")) else "a conflict of a merge"
    why = "a line is GROUP/VERSION KIND PATH TYPE/ORIGIN: and some of " + ", ".join(MARKS)
    fix = "keep the lines of both sides, or take the line out and run with --update-ratchet"
    return Diagnostic(Position(str(file), number), "ratchet-line", message, why, fix, line[:200])


def write_ratchet(file: Path, ratchet: Ratchet) -> None:
    """Write a file. Raises: OSError."""
    write_atomically(file, ratchet.text().encode())


def marks_of(flags: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return the marks that are true, sorted."""
    return tuple(sorted(mark for mark, there in flags if there))
