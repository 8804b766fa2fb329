"""Compares two servers: the errors that users are served before a migration to another server, and after it.

The answer of a pair of servers has two lists like any other, written by `encode_difference` and read by `served_before`
and `served_after`. The handwritten list has the errors of the server after, those that only it serves are covered; the
declarative list has the errors that only the server before serves. So each difference is a mismatch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from harness.case import Answer
from harness.compare.comparison import quote
from harness.compare.mismatch import Mismatch, Signature
from harness.field import ErrorType, FieldError
from harness.jsonpath import is_within

if TYPE_CHECKING:  # causes import comparisons
    from harness.compare.cause import Cause, Finder

Direction: TypeAlias = Literal["newly-rejected", "newly-accepted", "other-errors"]
"""The change for the user: an accepted object is rejected, the reverse, or the errors are different."""
DIRECTIONS: tuple[Direction, ...] = ("newly-rejected", "newly-accepted", "other-errors")

Lists: TypeAlias = tuple[tuple[FieldError, ...], tuple[FieldError, ...]]

PRUNED = "pruned"
"""The origin of an error that stands for a field which the server after drops and the one before keeps."""
AGAIN = " (once more than the other)"
"""Suffix of the detail of an error that both servers report, and one of them more often."""


@dataclass(frozen=True, slots=True)
class TwoServers:
    """The comparison of two servers, by name: the one that users have, and the one that they move to."""

    before: str
    after: str

    @property
    def names(self) -> tuple[str, ...]:
        return self.before, self.after

    def name_of(self, side: str) -> str:
        return self.after if side == "handwritten" else self.before

    def reported_by(self, side: str, answer: Answer) -> tuple[FieldError, ...]:
        return served_after(answer) if side == "handwritten" else served_before(answer)

    def reporters(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> tuple[bool, bool]:
        return bool(handwritten), bool(declarative) or any(not error.covered for error in handwritten)

    def is_one_rule(self, origin: str, other: str) -> bool:
        return origin == other or not (origin and other)  # not every server says which of its rules an error is of

    def is_resolved(self, mismatch: Mismatch, shown: Collection[Signature]) -> bool:
        return True  # the words may differ

    def is_agreement(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> bool:
        return not handwritten and not declarative

    def extra(self, unmatched: Sequence[FieldError], extra: Sequence[FieldError]) -> list[FieldError]:
        # Two errors with one path are one change, reported for the server after.
        fields = {error.field for error in unmatched}
        return [error for error in extra if error.field not in fields]

    def describe_alone(self, error: FieldError, side: str) -> str:
        said = error.text.removeprefix(": ")
        if not error.field and error.origin not in said:
            said += f" ({error.origin})"
        return f"{self.name_of(side)} alone reports {said}"

    def describe_words(self, setting: str, pairs: Sequence[tuple[str, str]]) -> str:
        told = (f"{self.before} says {quote(before)}, {self.after} says {quote(after)}" for after, before in pairs)
        return ", and ".join(told)

    def describe(self, mismatch: Mismatch, answer: Answer) -> str:
        if mismatch.kind == "self":
            return mismatch.detail
        direction = direction_of(served_before(answer), served_after(answer))
        return f"{self.describe_direction(direction)}: {mismatch.detail}"

    def grade(self, answer: Answer) -> Literal["verdict", "visible"]:
        # Users read both lists: one today, the other after the migration.
        direction = direction_of(served_before(answer), served_after(answer))
        return "visible" if direction == "other-errors" else "verdict"

    def finder_of(self, cause: Cause) -> Finder:
        return cause.servers

    def describe_direction(self, direction: Direction) -> str:
        """Return a sentence about the change for the user, with the names of both servers."""
        match direction:
            case "newly-rejected":
                return f"accepted by {self.before}, rejected by {self.after}"
            case "newly-accepted":
                return f"rejected by {self.before}, accepted by {self.after}"
        return f"rejected by {self.before} and {self.after}, with other errors"


def encode_difference(after: Sequence[FieldError], before: Sequence[FieldError], *, words: bool = True) -> Lists:
    """Return two lists in which the comparator finds a mismatch exactly if these lists differ, apart from order.

    Errors that differ come first, because equal ones would hide them as duplicates. Their value becomes a part of the
    detail, because the comparator compares details and not values. An origin tells the errors of one path apart, where
    the servers say it, and makes no difference by itself; without `words`, details and values make none either.
    """
    bare = _bare if words else _wordless
    whole = {bare(error): error for error in reversed(before)}
    left = Counter(map(bare, before))
    common: dict[str, FieldError] = {}
    alone: list[FieldError] = []
    for error in after:
        if left[bare(error)]:
            left[bare(error)] -= 1
            common[error.text] = error
        else:
            alone.append(error)
    mine = [msgspec.structs.replace(_write_value(error, common), covered=True) for error in alone]
    return (*mine, *common.values()), tuple(_write_value(whole[error], common) for error in left.elements())


def _write_value(error: FieldError, common: dict[str, FieldError]) -> FieldError:
    """Add the bad value to the detail, and a suffix if the other server reports the error less often."""
    detail = ": ".join(part for part in (error.value, error.detail) if part)
    again = AGAIN if error.text in common else ""
    return FieldError(error.type, error.field, detail + again, error.origin, source=error.source)


def _bare(error: FieldError) -> FieldError:
    """Return the error as users see it: the same rule may stand at another place of the other server's schema."""
    return msgspec.structs.replace(error, origin="", source="") if error.origin or error.source else error


def _wordless(error: FieldError) -> FieldError:
    """Return the type and the path of an error."""
    return FieldError(error.type, error.field)


def drop_errors(after: Collection[str], before: Collection[str]) -> list[FieldError]:
    """Return errors for the fields that the server after drops and the one before keeps."""
    words = "the schema does not know the field: it is dropped"
    return [FieldError(ErrorType.FORBIDDEN, field, words, PRUNED) for field in dropped_alone(after, before)]


def dropped_alone(fields: Collection[str], others: Collection[str]) -> list[str]:
    """Return the fields that one server drops and the other keeps, which may drop them with the one around them."""
    return [field for field in fields if not any(is_within(field, other) for other in others)]


def served_before(answer: Answer) -> tuple[FieldError, ...]:
    """Return the errors of the server before."""
    common = (error for error in answer.handwritten if not error.covered)
    return (*common, *map(plain, answer.declarative))


def served_after(answer: Answer) -> tuple[FieldError, ...]:
    """Return the errors of the server after."""
    common = (error for error in answer.handwritten if not error.covered)
    return (*common, *(plain(error) for error in answer.handwritten if error.covered))


def plain(error: FieldError) -> FieldError:
    """Return the error without the marks of `encode_difference`."""
    return FieldError(error.type, error.field, error.detail.removesuffix(AGAIN))


def direction_of(before: Sequence[FieldError], after: Sequence[FieldError]) -> Direction:
    """Return the change for the user between two lists."""
    if bool(before) == bool(after):
        return "other-errors"
    return "newly-rejected" if after else "newly-accepted"


def only(name: str) -> str:
    """Return the reason why a kind of one server cannot be compared."""
    return f"served by {name} only"
