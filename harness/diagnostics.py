"""Defines positions, diagnostics of invalid input, and the Python exceptions that carry them.

A *diagnostic* is about input of the harness (a file, a tag, a manifest, a worker, an option); a *field error* is the
result of a validator, and is defined in `harness.field`.

    HarnessError                 anything the command line turns into a message and exit code 2
    ├── InputError               files, tags, manifests, options: carries every diagnostic found, not the first
    ├── TargetError              a target cannot be used at all (not built, not started, another protocol)
    └── UsageError               an invalid call (a kind that the target does not serve)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A position in a file. Units: lines and columns count from 1, a tab is one column; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A message about invalid input: where, what, why and how to fix it.

    `code` is a slug that `harness explain` explains; `source` is the line of the position, printed with a caret when
    the position has a column; `width` is the number of characters that the caret line marks.
    """

    position: Position
    code: str
    message: str
    why: str = ""
    fix: str = ""
    source: str = ""
    width: int = 1

    def __str__(self) -> str:
        lines = [f"{self.position}: {self.code}: {self.message}"]
        if self.source:
            shown = self.source.replace("\t", " ")
            lines.append(f"    {shown}")
            if self.position.column:
                lines.append("    " + " " * (self.position.column - 1) + "^" * max(1, self.width))
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)


class HarnessError(Exception):
    """An error that ends a command with a message and exit code 2."""


class InputError(HarnessError):
    """Input is invalid. Carries every diagnostic that was found."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics))


class TargetError(HarnessError):
    """A target cannot be used: it cannot be built or started, or it speaks another protocol."""

    def __init__(self, message: str, why: str = "", fix: str = "") -> None:
        self.message, self.why, self.fix = message, why, fix
        parts = [message]
        if why:
            parts.append(f"  why: {why}")
        if fix:
            parts.append(f"  fix: {fix}")
        super().__init__("\n".join(parts))


class UsageError(HarnessError):
    """A call is invalid, such as for a kind that the target does not serve."""


def near_miss(word: str, known: Sequence[str]) -> str:
    """Suggest the closest known word, as `"did you mean x?"`, or the empty string when nothing is close."""
    if len(word) > 100:  # not a misspelling, and slow to compare
        return ""
    found = get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else ""
