"""Tests that stand before a call: what most objects pass is not worth a call, nor a path.

A guard is true exactly when its check reports an error; the check itself stays the one place that words it.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.compiler.source import literal
from harness.tags.families.enum import enum
from harness.tags.families.limits import max_items, max_length, max_properties, maximum, min_length, minimum
from harness.tags.families.requiredness import forbidden_pointer, forbidden_value, required_pointer, required_value
from harness.tags.rules import Check, CheckFunction, EachVal, Rule

_PRESENCE: Mapping[CheckFunction, str] = {
    required_value: "not {}",
    required_pointer: "{} is None",
    forbidden_value: "{}",
    forbidden_pointer: "{} is not None",
}
_OF_A_VALUE: Mapping[CheckFunction, str] = {
    max_length: "len({}) > {}",
    min_length: "len({}) < {}",
    max_items: "len({}) > {}",
    max_properties: "len({}) > {}",
    minimum: "{} < {}",
    maximum: "{} > {}",
    enum: "{} not in {}",
}
"""These accept None; the check's last argument takes the second place."""


def guard_of(rule: Rule, value: str) -> str:
    """Return the expression that tells whether a check of a value, which is a name, fails; empty when only it knows."""
    body = rule.body
    if isinstance(body, Check) and not body.custom and body.function in _PRESENCE:
        return _PRESENCE[body.function].format(value)
    test = _test(rule, value)
    return f"{value} is not None and {test}" if test else ""


def may_fail(rule: Rule, value: str) -> str:
    """Return an expression without which a rule reports nothing; with it, a rule for items may still forgive them."""
    body = rule.body
    if not isinstance(body, EachVal):
        return guard_of(rule, value)
    test = _test(body.rule, "i")
    items = f"{value}.values()" if body.list_type.kind == "map" else value
    return f"{value} and any(i is None or {test} for i in {items})" if test else ""


def _test(rule: Rule, value: str) -> str:
    body = rule.body
    if not isinstance(body, Check) or body.custom or body.function not in _OF_A_VALUE:
        return ""
    return _OF_A_VALUE[body.function].format(value, literal(body.args[-1]))
