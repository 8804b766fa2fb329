"""The keywords of JSON Schema as rules: which type of error each reports, and what its limit counts.

They are the origins of the errors of every adapter, whatever the library calls them, so that one word stands for one
rule on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.case import Json
from harness.field import ErrorType, FieldError, quote
from harness.field.facts import Measure, RuleFact, RuleFacts, RuleLimit
from harness.jsonpath import ABSENT

RULES: Mapping[str, ErrorType] = {
    "required": ErrorType.REQUIRED,
    "additionalProperties": ErrorType.FORBIDDEN,
    "type": ErrorType.TYPE_INVALID,
    "enum": ErrorType.NOT_SUPPORTED,
    "const": ErrorType.NOT_SUPPORTED,
    "maxLength": ErrorType.TOO_LONG,
    "minLength": ErrorType.TOO_SHORT,
    "maxItems": ErrorType.TOO_MANY,
    "minItems": ErrorType.TOO_FEW,
    "maxProperties": ErrorType.TOO_MANY,
    "minProperties": ErrorType.TOO_FEW,
    "uniqueItems": ErrorType.DUPLICATE,
    "minimum": ErrorType.INVALID,
    "maximum": ErrorType.INVALID,
    "exclusiveMinimum": ErrorType.INVALID,
    "exclusiveMaximum": ErrorType.INVALID,
    "multipleOf": ErrorType.INVALID,
    "pattern": ErrorType.INVALID,
    "format": ErrorType.INVALID,
}
"""The error type of each rule; every other rule, and a check without one, reports `Invalid`."""

_LIMITS: Mapping[str, tuple[Measure, int]] = {
    "maxLength": ("characters", 1), "minLength": ("characters", -1),
    "maxItems": ("items", 1), "minItems": ("items", -1),
    "maxProperties": ("items", 1), "minProperties": ("items", -1), "maximum": ("value", 1), "minimum": ("value", -1),
    "exclusiveMaximum": ("value", 1), "exclusiveMinimum": ("value", -1),
}  # fmt: skip
_MOST_SHOWN = 80


def error_of(rule: str, field: str, detail: str, value: Json = ABSENT) -> FieldError:
    """Make the error of a rule, by its keyword; of a check without one, the keyword is empty."""
    return FieldError(RULES.get(rule, ErrorType.INVALID).value, field, detail, rule, value=show(value))


def show(value: Json) -> str:
    """Write a value for the text of an error: short scalars only, the object has the rest."""
    if value.__class__ is str:
        return quote(value) if len(value) <= _MOST_SHOWN else ""
    if value is None:
        return "null"
    if value.__class__ is bool:
        return "true" if value else "false"
    return str(value) if value.__class__ is int or value.__class__ is float else ""


def facts_of(words: Mapping[str, str]) -> RuleFacts:
    """Return what causes may say of rules: how an author declares each, and what its limit counts."""
    return RuleFacts(
        RuleFact(rule, RULES.get(rule, ErrorType.INVALID), rule, written, limit=_limit(rule))
        for rule, written in words.items()
    )


def _limit(rule: str) -> RuleLimit | None:
    return RuleLimit(*_LIMITS[rule]) if rule in _LIMITS else None
