"""Mutants of a target that cannot be changed: what a broken validator would have answered in the place of an answer.

A filter sees a case, its original answer, and of a rule only facts about its errors. Those on errors say what the rule
would have said instead. A limit is known when a value was rejected and the next smaller one accepted: then a
validator whose limit is one higher says nothing of the rejected one, and one whose limit is one lower says of the
accepted one what it says of others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Operation
from harness.field import FieldError, Level
from harness.field.facts import RuleLimit
from harness.jsonpath import canonical_path
from harness.power.operators.errors import OPERATORS, Alter
from harness.tags.registry import rule_facts

Errors: TypeAlias = tuple[FieldError, ...]


class RuleKey(NamedTuple):
    """What tells a declarative rule by its errors: canonical path, type, origin, level."""

    path: str
    type: str
    origin: str
    level: Level

    @classmethod
    def of(cls, error: FieldError) -> RuleKey:
        """Return the rule that an error is of."""
        return cls(canonical_path(error.field), error.type, error.origin, error.level)

    @property
    def words(self) -> str:
        """The rule for people."""
        return " ".join(part for part in (self.type, self.origin, self.level and f"({self.level})") if part)


IsCounterpart: TypeAlias = Callable[[FieldError], bool]
Filter: TypeAlias = Callable[[RuleKey, Answer, Operation, IsCounterpart], Answer]
"""(rule, original answer, operation, which handwritten errors are counterparts of the rule's) to the mutated answer."""


def _declarative(alter: Alter) -> Filter:
    """Change the rule's own errors."""

    def apply(rule: RuleKey, answer: Answer, operation: Operation, is_counterpart: IsCounterpart) -> Answer:
        own = [error for error in answer.declarative if RuleKey.of(error) == rule]
        others = [error for error in answer.declarative if RuleKey.of(error) != rule]
        return msgspec.structs.replace(answer, declarative=(*others, *alter(own, operation)))

    return apply


def _handwritten(alter: Alter) -> Filter:
    """Change the handwritten errors that are counterparts of the rule's."""

    def apply(rule: RuleKey, answer: Answer, operation: Operation, is_counterpart: IsCounterpart) -> Answer:
        own = [error for error in answer.handwritten if is_counterpart(error)]
        others = [error for error in answer.handwritten if not is_counterpart(error)]
        return msgspec.structs.replace(answer, handwritten=(*others, *alter(own, operation)))

    return apply


def change_level(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """The rule counts at once, or, when it does, no longer. Between alpha and beta no list of errors differs."""
    return [msgspec.structs.replace(error, level="" if error.level else "beta") for error in errors]


def flip_mark(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """The handwritten check says of itself that it is covered, or no longer does."""
    return [msgspec.structs.replace(error, covered=not error.covered) for error in errors]


def no_errors(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """The handwritten check is not there."""
    return []


FLIP_MARK, NOT_WRITTEN = "flip the mark", "drop the handwritten error"
ON_COUNTERPARTS = frozenset({FLIP_MARK, NOT_WRITTEN})
"""Filters of handwritten errors: of rules that have a handwritten counterpart."""
_BREAKS = "an object that breaks the rule, on which both sides agree"
ON_ERRORS: tuple[tuple[str, Filter, str], ...] = (
    *((name, _declarative(alter), shown_by) for name, alter, shown_by in OPERATORS),
    ("change level", _declarative(change_level), _BREAKS),
    (FLIP_MARK, _handwritten(flip_mark), _BREAKS),
    (NOT_WRITTEN, _handwritten(no_errors), _BREAKS),
)
"""Name, filter, and what would show it. Of every rule."""

LIMIT_UP, LIMIT_DOWN, NO_RATCHETING = "limit + 1", "limit - 1", "no ratcheting"
UPDATES = "skip updates"


def limit_of(rule: RuleKey) -> RuleLimit | None:
    """Return what a rule counts and which way its limit is crossed, None when it has none."""
    return rule_facts().limit_of(rule.type, rule.origin)
