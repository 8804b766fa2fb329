"""Why no object exactly at the limit of a rule was accepted: a word, and what was wrong with the nearest object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

Reason: TypeAlias = Literal["rejected", "failed", "untried"]
"""`rejected`: the object was, for other errors. `failed`: the target could not validate it. `untried`: there was none.

The first one is the most that is known.
"""

REASONS: tuple[Reason, ...] = ("rejected", "failed", "untried")

MOST_ERRORS = 3
_MOST_CHARACTERS = 200


class ErrorAt(msgspec.Struct, frozen=True, order=True):
    """An error by its canonical path and its type."""

    path: str
    type: str


class Unaccepted(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why no object at a limit was accepted.

    `errors` are some of the other errors of the rejected object that has the fewest, `count` is how many different ones
    it has. `message` is that of a failure, with its stage.
    """

    reason: Reason
    count: int = 0
    errors: tuple[ErrorAt, ...] = ()
    message: str = ""


UNTRIED = Unaccepted("untried")


def rejected_with(errors: Iterable[ErrorAt]) -> Unaccepted:
    """Return the reason of an object with these errors, each counted once."""
    different = sorted(set(errors))
    return Unaccepted("rejected", len(different), tuple(different[:MOST_ERRORS]))


def failed_with(stage: str, message: str) -> Unaccepted:
    """Return the reason of an object on which the target failed; a long message is cut."""
    return Unaccepted("failed", message=f"{stage}: {message}"[:_MOST_CHARACTERS])


def nearest(one: Unaccepted | None, other: Unaccepted | None) -> Unaccepted | None:
    """Return the reason that says most, whatever their order: an object with fewer errors is nearer to the limit."""
    return min((why for why in (one, other) if why is not None), key=_rank, default=None)


def _rank(why: Unaccepted) -> tuple[int, int, tuple[ErrorAt, ...], str]:
    return REASONS.index(why.reason), why.count, why.errors, why.message
