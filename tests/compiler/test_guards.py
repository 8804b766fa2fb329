"""A guard never changes what is reported: it is true exactly when the check that it stands before reports."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Operation
from harness.compiler.guards import Guards, Value
from harness.compiler.source import Source
from harness.compiler.values import Values
from harness.content import names
from harness.field import Path
from harness.tags.families.enum import enum
from harness.tags.families.format import format_label_value, format_long_name, format_short_name, format_uuid
from harness.tags.families.limits import (
    max_items,
    max_length,
    max_properties,
    maximum,
    min_length,
    minimum,
    older_max_length,
)
from harness.tags.families.requiredness import forbidden_pointer, forbidden_value, required_pointer, required_value
from harness.tags.rules import Check, CheckFunction, Rule
from harness.tags.types import Types
from tests.compiler.fixtures import universe_of

SOURCE = Source()
GUARDS = Guards(Values(Types(universe_of("type T struct{}")), SOURCE), SOURCE)
NUMBERS = (None, -1, 0, 1, 2, 3, 2**63)
TEXTS = (None, "", "a", "ab", "abc", "é" * 2, "\U0001f600" * 3)
LISTS: tuple[Any, ...] = (None, [], [1], [1, 2], [1, 2, 3])
MAPS: tuple[Any, ...] = (None, {}, {"a": 1}, {"a": 1, "b": 2, "c": 3})
ANY = (*NUMBERS, *TEXTS, *LISTS, *MAPS, False, True)


@pytest.mark.parametrize(
    ("tag", "function", "args", "values"),
    [
        ("", required_value, (), ANY),
        ("", required_pointer, (), ANY),
        ("", forbidden_value, (), ANY),
        ("", forbidden_pointer, (), ANY),
        ("k8s:maxLength", max_length, (2,), TEXTS),
        ("k8s:minLength", min_length, (2,), TEXTS),
        ("k8s:maxItems", max_items, (2,), LISTS),
        ("k8s:maxProperties", max_properties, (2,), MAPS),
        ("k8s:minimum", minimum, (2,), NUMBERS),
        ("k8s:maximum", maximum, (-1,), NUMBERS),
        ("k8s:enum", enum, (repr, ("a", "abc")), TEXTS),
        ("k8s:enum", enum, (repr, ()), TEXTS),
    ],
)
def test_a_guard_is_true_when_its_check_reports(
    tag: str, function: CheckFunction, args: tuple[Any, ...], values: tuple[Any, ...]
) -> None:
    """For every value at the borders, and none."""
    guard = GUARDS.guard_of(Rule(Check(function, args), tag=tag), Value("v"))
    for value in values:
        reported = function(Operation.CREATE, Path(), value, None, *args)
        assert (value, bool(reported)) == (value, bool(eval(guard, {"v": value})))


NAMES = (
    None, "", "a", "A", "a" * 63, "a" * 64, "a-b", "-a", "a-", "a.b", "a..b", ".a", "é", "a\n", "a\n" + "b" * 63,
    "\n" + "a" * 300, "a." * 126 + "a", "a." * 126 + "aa", "a_b", "_a", "\u212a", "\u017f", "0",
    "123e4567-e89b-12d3-a456-426614174000", "123E4567-e89b-12d3-a456-426614174000",
    "123e4567-e89b-12d3-a456-426614174000\n",
)  # fmt: skip


@pytest.mark.parametrize("function", [format_short_name, format_long_name, format_label_value, format_uuid])
def test_a_guard_of_a_format_is_its_predicate_in_one_look(function: CheckFunction) -> None:
    """For every name at the borders, newlines and look-alikes among them."""
    guard = GUARDS.guard_of(Rule(Check(function)), Value("v"))
    assert guard.startswith("v is not None and ")
    for name in NAMES:
        reported = function(Operation.CREATE, Path(), name, None)
        assert (name, bool(reported)) == (name, bool(eval(guard, {"v": name, **vars(names)})))


@given(st.text(alphabet="ab-._A\n/é", max_size=70))
def test_no_text_tells_a_guard_from_its_format(text: str) -> None:
    """Whatever the text is."""
    for function in (format_short_name, format_long_name, format_label_value, format_uuid):
        guard = GUARDS.guard_of(Rule(Check(function)), Value("v", nilable=False))
        reported = function(Operation.CREATE, Path(), text, None)
        assert bool(reported) == bool(eval(guard, {"v": text, **vars(names)}))


def test_a_check_of_an_earlier_release_has_no_guard() -> None:
    """It may count otherwise than the tag's own: that of 1.35 counted bytes."""
    assert "" == GUARDS.guard_of(Rule(Check(older_max_length, (3,)), tag="k8s:maxLength"), Value("v"))


def test_a_function_of_a_user_has_no_guard() -> None:
    """Only it knows what it reports."""
    assert "" == GUARDS.guard_of(Rule(Check(maximum, (3,), custom="validate_it"), tag="k8s:maximum"), Value("v"))
