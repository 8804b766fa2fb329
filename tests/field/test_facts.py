"""Facts about rules: what an error tells of the rule behind it, to those who never read rules."""

from __future__ import annotations

from typing import Any

import pytest

from harness.field import ErrorType
from harness.field.facts import NO_FACTS, Measure, RuleFact, RuleFacts, RuleLimit, measured
from harness.tags.registry import rule_facts

UP, DOWN = 1, -1


@pytest.mark.parametrize(
    ("type_", "origin", "expected"),
    [
        ("Invalid", "minimum", "+k8s:minimum=<limit>"),
        ("TooLong", "maxBytes", "+k8s:maxBytes=<limit>"),
        ("TooMany", "maxProperties", "+k8s:maxProperties=<limit>"),
        ("Invalid", "immutable", "+k8s:immutable"),
        ("Forbidden", "update", "+k8s:update=<constraint>"),
        ("Invalid", "monotonic", "+k8s:monotonic"),
        ("Invalid", "neq", "+k8s:neq=<value>"),
        ("Invalid", "union", "+k8s:unionMember on each member"),
        ("Invalid", "zeroOrOneOf", "+k8s:zeroOrOneOfMember on each member"),
        ("Required", "dependentRequired", "+k8s:dependentRequired(<field>)"),
        ("Forbidden", "dependentForbidden", "+k8s:dependentForbidden(<field>)"),
        ("TooLong", "format=k8s-resource-pool-name", "+k8s:format=k8s-resource-pool-name"),
        ("Required", "", "+k8s:required"),
        ("Forbidden", "", "+k8s:forbidden"),
        ("NotSupported", "", "+k8s:enum on its type"),
        ("Duplicate", "", "+k8s:listType=map with +k8s:listMapKey, or +k8s:unique"),
        ("TooLong", "", "+k8s:maxLength=<limit> or +k8s:maxBytes=<limit>"),
        ("TooShort", "", "+k8s:minLength=<limit>"),
        ("TooMany", "", "+k8s:maxItems=<limit>"),
        ("TooFew", "", "+k8s:minItems=<limit>"),
        ("Invalid", "", ""),
        ("Required", "somebodys", ""),
    ],
)
def test_an_error_names_the_tag_that_would_report_it(type_: str, origin: str, expected: str) -> None:
    """By its origin; without one by its type, where one tag is meant."""
    assert expected == rule_facts().tag_for(f"FieldValue{type_}", origin)


@pytest.mark.parametrize(
    ("type_", "origin", "expected"),
    [
        ("TooLong", "maxLength", ("characters", UP)),
        ("TooLong", "maxBytes", ("bytes", UP)),
        ("TooShort", "minLength", ("characters", DOWN)),
        ("TooMany", "maxProperties", ("items", UP)),
        ("TooFew", "minItems", ("items", DOWN)),
        ("Invalid", "minimum", ("value", DOWN)),
        ("Invalid", "maximum", ("value", UP)),
        ("TooLong", "somebodys", ("characters", UP)),
        ("Invalid", "somebodys", None),
        ("Required", "", None),
    ],
)
def test_an_error_tells_what_is_counted(type_: str, origin: str, expected: tuple[Measure, int] | None) -> None:
    """Types of sizes tell it by themselves, others by their origin."""
    assert (RuleLimit(*expected) if expected else None) == rule_facts().limit_of(f"FieldValue{type_}", origin)


def test_the_tag_of_another_unit_is_known() -> None:
    """Of what is too long there is a rule for bytes and one for characters; of what is too short for characters."""
    facts = rule_facts()
    found = {(type_[10:], unit): facts.counting(type_, unit)
             for type_ in (ErrorType.TOO_LONG, ErrorType.TOO_SHORT) for unit in ("bytes", "characters")}  # fmt: skip
    assert {
        ("TooLong", "bytes"): "k8s:maxBytes", ("TooLong", "characters"): "k8s:maxLength",
        ("TooShort", "bytes"): "", ("TooShort", "characters"): "k8s:minLength",
    } == found  # fmt: skip


def test_errors_about_changes_are_known() -> None:
    """Those that say of every change that it may not be, and let nobody look at the new value."""
    assert {"immutable", "update"} == rule_facts().of_changes


def test_the_first_fact_counts() -> None:
    """Of two tags with one origin the one that was told first is proposed."""
    told = (("a", "T", "o", "+a"), ("b", "T", "o", "+b"), ("c", "U", "x=", "+<origin>"))
    facts = RuleFacts(RuleFact(*one) for one in told)
    assert ("+a", "+x=1") == (facts.tag_for("T", "o"), facts.tag_for("U", "x=1"))
    assert (True, False) == (facts.is_one_of_several("x=1"), facts.is_one_of_several("o"))
    assert ("", None) == (NO_FACTS.tag_for("T", "o"), NO_FACTS.limit_of("T", "o"))


@pytest.mark.parametrize(
    ("measure", "value", "expected"),
    [
        ("value", 7, 7),
        ("value", True, None),
        ("characters", "éé", 2),
        ("bytes", "éé", 4),
        ("bytes", "\ud800", 3),
        ("characters", [1], None),
        ("items", [1, 2], 2),
        ("items", {"a": 1}, 1),
        ("items", "ab", None),
    ],
)
def test_what_a_limit_counts(measure: Measure, value: Any, expected: int | None) -> None:
    """Each unit of the values that have it, and nothing of others."""
    assert expected == measured(measure, value)
