"""A guard never changes what is reported: it is true exactly when the check that it stands before reports."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.compiler.guards import guard_of
from harness.field import Path
from harness.tags.families.enum import enum
from harness.tags.families.limits import max_items, max_length, max_properties, maximum, min_length, minimum
from harness.tags.families.requiredness import forbidden_pointer, forbidden_value, required_pointer, required_value
from harness.tags.rules import Check, CheckFunction, Rule

NUMBERS = (None, -1, 0, 1, 2, 3, 2**63)
TEXTS = (None, "", "a", "ab", "abc", "é" * 2, "\U0001f600" * 3)
LISTS: tuple[Any, ...] = (None, [], [1], [1, 2], [1, 2, 3])
MAPS: tuple[Any, ...] = (None, {}, {"a": 1}, {"a": 1, "b": 2, "c": 3})
ANY = (*NUMBERS, *TEXTS, *LISTS, *MAPS, False, True)


@pytest.mark.parametrize(
    ("function", "args", "values"),
    [
        (required_value, (), ANY),
        (required_pointer, (), ANY),
        (forbidden_value, (), ANY),
        (forbidden_pointer, (), ANY),
        (max_length, (2,), TEXTS),
        (min_length, (2,), TEXTS),
        (max_items, (2,), LISTS),
        (max_properties, (2,), MAPS),
        (minimum, (2,), NUMBERS),
        (maximum, (-1,), NUMBERS),
        (enum, (repr, ("a", "abc")), TEXTS),
        (enum, (repr, ()), TEXTS),
    ],
)
def test_a_guard_is_true_when_its_check_reports(
    function: CheckFunction, args: tuple[Any, ...], values: tuple[Any, ...]
) -> None:
    """For every value at the borders, and none."""
    guard = guard_of(Rule(Check(function, args)), "v")
    for value in values:
        reported = function(Operation.CREATE, Path(), value, None, *args)
        assert (value, bool(reported)) == (value, bool(eval(guard, {"v": value})))


def test_a_function_of_a_user_has_no_guard() -> None:
    """Only it knows what it reports."""
    assert "" == guard_of(Rule(Check(maximum, (3,), custom="validate_it")), "v")
