"""Operators on the errors of one rule: left out, said elsewhere, as another type, of another origin, in other words.

Each is a function from the errors of one call to what a broken validator would say in their place. They serve compiled
rules, and answers of a target that cannot be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from harness.case import Operation
from harness.field import ErrorType, FieldError
from harness.jsonpath import parent_of, parse
from harness.objectmodel import METADATA

Errors: TypeAlias = Sequence[FieldError]
Alter: TypeAlias = Callable[[Errors, Operation], Errors]

ELSEWHERE = METADATA
"""Where an error goes that has nothing above it."""


def drop(errors: Errors, operation: Operation) -> Errors:
    """The rule is not there."""
    return ()


def skip_updates(errors: Errors, operation: Operation) -> Errors:
    """The rule looks at new objects only."""
    return () if operation is Operation.UPDATE else errors


def change_path(errors: Errors, operation: Operation) -> Errors:
    """The rule reports the field above its own."""
    return [replace(error, field=above(error.field)) for error in errors]


def above(path: str) -> str:
    """Return the path of what holds a field or an item."""
    return parent_of(path) or ELSEWHERE


def change_type(errors: Errors, operation: Operation) -> Errors:
    """The rule reports another type of error."""
    return [replace(error, type=another_type(error.type)) for error in errors]


def another_type(error_type: str) -> str:
    """Return a type that an author could have meant instead."""
    return (ErrorType.FORBIDDEN if error_type == ErrorType.INVALID else ErrorType.INVALID).value


def change_origin(errors: Errors, operation: Operation) -> Errors:
    """The rule names another origin, or none."""
    return [replace(error, origin="" if error.origin else "mutated") for error in errors]


def change_detail(errors: Errors, operation: Operation) -> Errors:
    """The rule explains itself in other words."""
    return [replace(error, detail=f"{error.detail} (mutated)") for error in errors]


def report_twice(errors: Errors, operation: Operation) -> Errors:
    """The rule reports everything twice."""
    return [*errors, *errors]


def first_item_only(errors: Errors, operation: Operation) -> Errors:
    """The rule looks at the first item of the innermost list only."""
    return [error for error in errors if innermost(error.field) in ("", "0")]


def innermost(path: str) -> str:
    """Return the last subscript of a path; nothing when it has none."""
    return next((step.text for step in reversed(parse(path)) if step.is_subscript), "")


OPERATORS: tuple[tuple[str, Alter, str], ...] = (
    ("drop", drop, "any object that breaks the rule"),
    ("skip updates", skip_updates, "an update that breaks the rule by a changed value"),
    ("change path", change_path, "any object that breaks the rule"),
    ("change type", change_type, "any object that breaks the rule"),
    ("change origin", change_origin, "any object that breaks the rule"),
    ("change detail", change_detail, "any object that breaks the rule"),
    ("report twice", report_twice, "any object that breaks the rule, and no other"),
)
"""Name, what it does, and what would show it. Of every rule."""
