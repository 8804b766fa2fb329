"""Two targets beside one another: what users were served before is compared with what they are served after.

The lists of such an answer are made by `harness.subject.twin`: handwritten errors are what the target after serves,
those that both serve without a mark; declarative errors are what the target before serves alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from harness.case import Answer
from harness.field import FieldError

Direction: TypeAlias = Literal["newly-rejected", "newly-accepted", "other-errors"]
"""What changes for the user: an object that was accepted is rejected, the reverse, or the errors read differently."""
DIRECTIONS: tuple[Direction, ...] = ("newly-rejected", "newly-accepted", "other-errors")


AGAIN = " (once more than the other)"
"""How the words of an error end that both serve, one of them more often."""


class Ends(NamedTuple):
    """What the two are called: the one that users have, and the one that they move to."""

    before: str
    after: str

    def of(self, side: str) -> str:
        """Return which of the two a side of an answer stands for."""
        return self.after if side == "handwritten" else self.before

    def other(self, side: str) -> str:
        """Return the other one."""
        return self.before if side == "handwritten" else self.after


def served_before(answer: Answer) -> tuple[FieldError, ...]:
    """Return what the target before serves."""
    common = (error for error in answer.handwritten if not error.covered)
    return (*common, *map(plain, answer.declarative))


def served_after(answer: Answer) -> tuple[FieldError, ...]:
    """Return what the target after serves."""
    common = (error for error in answer.handwritten if not error.covered)
    return (*common, *(plain(error) for error in answer.handwritten if error.covered))


def plain(error: FieldError) -> FieldError:
    """Leave out the marks that only tell the two apart."""
    return FieldError(error.type, error.field, error.detail.removesuffix(AGAIN))


def direction_of(before: Sequence[FieldError], after: Sequence[FieldError]) -> Direction:
    """Say what changes for the user between two lists."""
    if bool(before) == bool(after):
        return "other-errors"
    return "newly-rejected" if after else "newly-accepted"


def told(direction: Direction, ends: Ends) -> str:
    """Say it in words, both named."""
    match direction:
        case "newly-rejected":
            return f"accepted by {ends.before}, rejected by {ends.after}"
        case "newly-accepted":
            return f"rejected by {ends.before}, accepted by {ends.after}"
    return f"rejected by {ends.before} and {ends.after}, with other errors"


def only(name: str) -> str:
    """Say why a kind of one target cannot be compared."""
    return f"served by {name} only"
