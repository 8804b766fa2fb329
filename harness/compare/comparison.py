"""The protocol of a comparison, and its implementation for the handwritten and the declarative validators of a target.

An answer has two lists in every comparison. The comparison defines what they are, how their differences are described
and how severe they are. It is chosen when a subject is opened. For two servers, see `harness.compare.two_servers`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from harness.case import Answer
from harness.compare.mismatch import Mismatch, Signature
from harness.field import FieldError

if TYPE_CHECKING:  # `cause` imports this module
    from harness.compare.cause import Cause, Finder


def quote(text: str) -> str:
    """Write words of an error in quotes, and nothing in them otherwise than users read it."""
    mark = '"' if "'" in text and '"' not in text else "'"
    return f"{mark}{text}{mark}"


class Comparison(Protocol):
    """Defines what the two lists of an answer are. Hashable, because equal comparisons share the cache of lists."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of two servers, the one before first; empty for the validators of one target."""

    def name_of(self, side: str) -> str:
        """Return the name of a side for a sentence."""

    def reported_by(self, side: str, answer: Answer) -> tuple[FieldError, ...]:
        """Return all errors of a side."""

    def reporters(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> tuple[bool, bool]:
        """Return whether the handwritten and the declarative side report an error; the lists have that error only."""

    def is_one_rule(self, origin: str, other: str) -> bool:
        """Whether two errors of one type and path, with these origins, may be of one rule."""

    def is_resolved(self, mismatch: Mismatch, shown: Collection[Signature]) -> bool:
        """Whether a mismatch is gone when both sides report its error and the answer has these signatures."""

    def is_agreement(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> bool:
        """Whether two lists have no mismatch, as far as that can be told without composing them."""

    def extra(self, unmatched: Sequence[FieldError], extra: Sequence[FieldError]) -> list[FieldError]:
        """Return the extra errors to report in addition to the unmatched ones."""

    def describe_alone(self, error: FieldError, side: str) -> str:
        """Return a sentence: only one side reports an error."""

    def describe_words(self, setting: str, pairs: Sequence[tuple[str, str]]) -> str:
        """Return a sentence: errors have other words under a setting, of the handwritten side and of a rule."""

    def describe(self, mismatch: Mismatch, answer: Answer) -> str:
        """Return a sentence that describes a mismatch without its cause."""

    def grade(self, answer: Answer) -> Literal["verdict", "visible"] | None:
        """Return the severity of every mismatch of an answer; None if it depends on gate settings."""

    def finder_of(self, cause: Cause) -> Finder:
        """Return the finder of a cause for this comparison."""


@dataclass(frozen=True, slots=True)
class TwoSides:
    """The comparison of the handwritten and the declarative validators of one target."""

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def name_of(self, side: str) -> str:
        return f"the {side} side"

    def reported_by(self, side: str, answer: Answer) -> tuple[FieldError, ...]:
        return answer.handwritten if side == "handwritten" else answer.declarative

    def reporters(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> tuple[bool, bool]:
        return bool(handwritten), bool(declarative)

    def is_one_rule(self, origin: str, other: str) -> bool:
        return origin == other

    def is_resolved(self, mismatch: Mismatch, shown: Collection[Signature]) -> bool:
        return mismatch.signature not in shown

    def is_agreement(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> bool:
        return not handwritten and not declarative

    def extra(self, unmatched: Sequence[FieldError], extra: Sequence[FieldError]) -> list[FieldError]:
        return list(extra)

    def describe_alone(self, error: FieldError, side: str) -> str:
        if side == "handwritten":
            return f"no declarative counterpart of the covered {error.text}"
        return f"no covered handwritten counterpart of {error.text}"

    def describe_words(self, setting: str, pairs: Sequence[tuple[str, str]]) -> str:
        changes = (f"{quote(handwritten)} becomes {quote(rule)}" for handwritten, rule in pairs)
        return f"the words change under {setting}: {', and '.join(changes)}"

    def describe(self, mismatch: Mismatch, answer: Answer) -> str:
        wanted = mismatch.type, mismatch.origin, mismatch.path, False
        said = ((one.type, one.origin, one.field, bool(one.level)) for one in answer.declarative)
        if mismatch.kind != "unmatched" or wanted not in said:
            return mismatch.detail
        return mismatch.detail.replace("no declarative counterpart of", "no declarative counterpart with a level of", 1)

    def grade(self, answer: Answer) -> None:
        return None

    def finder_of(self, cause: Cause) -> Finder:
        return cause.sides


TWO_SIDES = TwoSides()
