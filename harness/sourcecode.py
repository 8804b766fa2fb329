"""What the sources of validators show, whatever language they are written in: conditions above a line, and paths.

`harness.gotypes.branches` reads Go files, and `harness.subject.pythonsource` the Python files of suites.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

LONGEST_TEXT = 90
"""At most so many characters of a condition are told."""


class CodeBranch(NamedTuple):
    """A condition above a line. `start` and `end` are the bytes of its whole statement, `own` those of its branch.

    `text` is the condition as it is written, `names` the members that it reads, `variables` its other names. `returns`:
    the line runs only if the condition does not hold, because its branch leaves the function, at `leaves_at`.
    """

    line: int
    text: str
    names: frozenset[str]
    variables: frozenset[str]
    start: int
    end: int
    own: tuple[int, int]
    returns: bool = False
    leaves_at: int = 0

    def excludes(self, offset: int) -> bool:
        """Whether code at an offset stands in another branch of the same statement."""
        return self.start <= offset < self.end and not self.own[0] <= offset < self.own[1] and not self.returns


class Count(NamedTuple):
    """A line that adds to what a condition reads, and the condition above it, with the members that this one reads."""

    line: int
    text: str
    names: frozenset[str]


class Guard(NamedTuple):
    """A condition or loop right above a line; `counted` are the lines that add to what it reads."""

    line: int
    text: str
    counted: tuple[Count, ...] = ()


class GivenStep(NamedTuple):
    """A member that a call adds to a path, and the line that names it."""

    name: str
    line: int


class ErrorCall(NamedTuple):
    """A call that makes a field error: its constructor, and the members that it adds to the path of its function.

    `path` is that path as it is written, and `line` where the call begins.
    """

    offset: int
    constructor: str
    field: str
    path: str = ""
    line: int = 0


class SourceFile(Protocol):
    """One file. Lines count from 1, offsets are bytes. A file that cannot be read has nothing."""

    def offset_of(self, line: int) -> int | None:
        """Return where the code of a line begins; None where there is none."""

    def function_at(self, offset: int) -> str:
        """Return the name of the function around an offset, empty outside one."""

    def function_line(self, name: str) -> int | None:
        """Return the line that declares a function; None if the file does not."""

    def branches(self, offset: int) -> list[CodeBranch]:
        """Return the branches above an offset, the innermost first."""

    def guard_of(self, offset: int) -> Guard | None:
        """Return the condition or the loop right above an offset; None if there is none in its function."""

    def steps_at(self, line: int, callee: str = "") -> tuple[GivenStep, ...]:
        """Return what a path is given by the call of a function on a line; without a name by one that makes an error.

        Where the function has another name on the line, it is the first call that gives something.
        """

    def lines_giving(self, step: GivenStep) -> list[int]:
        """Return the lines of a function that add a member to the same path as a step does, that of the step first."""

    def key_at(self, line: int) -> int:
        """Return the line that adds a key to a path that is handed on at a line; 0 if none is."""

    def argument(self, line: int, callee: str, function_line: int, parameter: str) -> str:
        """Return what a call on a line hands over as a parameter of a function, which is declared in this file; empty
        if the sources do not show it.
        """

    def made_by(self, offset: int, variable: str) -> tuple[str, int]:
        """Return the function whose result a variable has, of the function around an offset, and the line of that."""

    def rounds_of(self, line: int) -> str:
        """Return the loop over written values around the call that makes an error on a line; empty without one."""

    @property
    def error_calls(self) -> Sequence[ErrorCall]:
        """The calls of constructors of field errors, in order."""


def shortened(text: str) -> str:
    """Return the text of a condition on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}..."
