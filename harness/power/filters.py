"""Filters: mutants of a target whose validators cannot be changed, as changes to their answers.

A filter turns the original answer to a case into the one that a broken validator would give. It knows only facts about
the errors of the rule. Filters on errors change or drop the errors of the rule. Filters on limits need two values: one
that was rejected, and the next smaller one that was accepted. With a limit one higher the validator would accept the
first one, and with a limit one lower it would reject the second one.
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
    """The identity of a declarative rule, from its errors: canonical path, type, origin, level."""

    path: str
    type: str
    origin: str
    level: Level

    @classmethod
    def of(cls, error: FieldError) -> RuleKey:
        """Return the rule that caused an error."""
        return cls(canonical_path(error.field), error.type, error.origin, error.level)

    @property
    def words(self) -> str:
        """The displayed rule: type, origin and level."""
        return " ".join(part for part in (self.type, self.origin, self.level and f"({self.level})") if part)


IsCounterpart: TypeAlias = Callable[[FieldError], bool]
Filter: TypeAlias = Callable[[RuleKey, Answer, Operation, IsCounterpart], Answer]
"""(rule, original answer, operation, which handwritten errors are counterparts of the rule's) to the mutated answer."""


def _declarative(alter: Alter) -> Filter:
    """Return a filter that changes the rule's own errors."""

    def apply(rule: RuleKey, answer: Answer, operation: Operation, is_counterpart: IsCounterpart) -> Answer:
        own = [error for error in answer.declarative if RuleKey.of(error) == rule]
        others = [error for error in answer.declarative if RuleKey.of(error) != rule]
        return msgspec.structs.replace(answer, declarative=(*others, *alter(own, operation)))

    return apply


def _handwritten(alter: Alter) -> Filter:
    """Return a filter that changes the handwritten counterparts of the rule's errors."""

    def apply(rule: RuleKey, answer: Answer, operation: Operation, is_counterpart: IsCounterpart) -> Answer:
        own = [error for error in answer.handwritten if is_counterpart(error)]
        others = [error for error in answer.handwritten if not is_counterpart(error)]
        return msgspec.structs.replace(answer, handwritten=(*others, *alter(own, operation)))

    return apply


def change_level(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """Change a standard rule to beta, and others to standard. Alpha and beta do not differ in any list of errors."""
    return [msgspec.structs.replace(error, level="" if error.level else "beta") for error in errors]


def flip_mark(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """Mark covered handwritten errors as not covered, and the others as covered."""
    return [msgspec.structs.replace(error, covered=not error.covered) for error in errors]


def no_errors(errors: Sequence[FieldError], operation: Operation) -> list[FieldError]:
    """Drop the handwritten errors."""
    return []


FLIP_MARK, NOT_WRITTEN = "flip the mark", "drop the handwritten error"
ON_COUNTERPARTS = frozenset({FLIP_MARK, NOT_WRITTEN})
"""The filters of handwritten errors, for rules with a handwritten counterpart."""
_BREAKS = "an object that breaks the rule, on which both sides agree"
ON_ERRORS: tuple[tuple[str, Filter, str], ...] = (
    *((name, _declarative(alter), shown_by) for name, alter, shown_by in OPERATORS),
    ("change level", _declarative(change_level), _BREAKS),
    (FLIP_MARK, _handwritten(flip_mark), _BREAKS),
    (NOT_WRITTEN, _handwritten(no_errors), _BREAKS),
)
"""Name, filter, and the case that would kill the mutant; they apply to every rule."""

LIMIT_UP, LIMIT_DOWN, NO_RATCHETING = "limit + 1", "limit - 1", "no ratcheting"
UPDATES = "skip updates"


def limit_of(rule: RuleKey) -> RuleLimit | None:
    """Return the limit of a rule, with what it measures and in which direction it rejects; None if it has none."""
    return rule_facts().limit_of(rule.type, rule.origin)
