"""Writes guards: cheap conditions that save the call of a check, and the creation of its path, for valid values.

If a guard is false, its check would report no error. If it is true, the check is called, and may accept the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from harness.compiler.plan import TypePlan, rules_in
from harness.compiler.source import Source, indent, literal
from harness.compiler.values import Values
from harness.tags.families.format import PREDICATES
from harness.tags.families.lists import unique
from harness.tags.families.requiredness import (
    forbidden_pointer,
    forbidden_value,
    optional_pointer,
    optional_value,
    required_pointer,
    required_value,
)
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, CheckFunction, EachVal, Rule

_PRESENCE: Mapping[CheckFunction, str] = {
    required_value: "not {}",
    required_pointer: "{} is None",
    forbidden_value: "{}",
    forbidden_pointer: "{} is not None",
}


class Value(NamedTuple):
    """A value in a variable. `nilable` is true if it can be None."""

    name: str
    nilable: bool = True


class Guards:
    """Writes guards."""

    def __init__(self, values: Values, source: Source) -> None:
        self._values, self._source = values, source

    def guard_of(self, rule: Rule, value: Value) -> str:
        """Return the expression that is false if a check of one value reports no error; empty if there is none."""
        body = rule.body
        if not isinstance(body, Check) or body.custom:
            return ""
        if body.function in _PRESENCE:
            return _PRESENCE[body.function].format(value.name)
        if body.function is unique:
            return self._uniqueness_guard(body, value.name)
        test = self._check_guard(rule, body, value.name)
        return f"{value.name} is not None and {test}" if test and value.nilable else test

    def has_guard(self, rule: Rule, value: Value) -> bool:
        """Whether a guard covers all errors of a rule. A short-circuit rule must have a guard of its value alone."""
        return is_optional(rule) or bool(
            self.guard_of(rule, value) or (not rule.short_circuits and self._item_guard(rule))
        )

    def ignores_old(self, rule: Rule, value: Value) -> bool:
        """Whether a rule reads the new value only, after a guard."""
        return is_optional(rule) or bool(self.guard_of(rule, value))

    def guarded(self, rule: Rule, value: Value, lines: list[str]) -> list[str]:
        """Return the lines inside the guard of a rule, or of its items; unchanged if there is no guard."""
        if guard := self.guard_of(rule, value):
            return [f"if {guard}:", *indent(lines)]
        if test := self._item_guard(rule):
            items = self._items(rule, value)
            return [f"for i in {items}:", f"    if {test}:", *indent([*lines, "break"], 2)]
        return lines

    def guard_of_type(self, plan: TypePlan, value: Value) -> str:
        """Return the guard of a type's own function; empty if the function reads parts of its value."""
        rules = list(rules_in(plan.cohorts))
        if plan.struct is not None or plan.inner or not rules:
            return ""
        guards = [self.guard_of(rule, value) for rule in rules if not is_optional(rule)]
        return " or ".join(guards) if guards and all(guards) else ""

    def _uniqueness_guard(self, body: Check, name: str) -> str:
        which = body.args[0].identity
        types = self._values.types
        plain = which.semantic == "set" and types.kind(which.elem) in ("string", "integer", "bool")
        if plain and not types.is_pointer(which.elem):
            return f"{name} and len(set({name})) < len({name})"
        return f"{name} and len({name}) > 1"

    def _check_guard(self, rule: Rule, body: Check, name: str) -> str:
        """Return the guard of a value from the guard of its tag, false for None."""
        if body.function in PREDICATES:
            return f"not {self._source.use('harness.content.names', PREDICATES[body.function])}({name})"
        spec = ALL_SPECS.get(rule.tag)
        guard = spec.guard_of(body) if spec is not None else None
        return guard[0].format(name, literal(guard[1])) if guard else ""

    def _item_guard(self, rule: Rule) -> str:
        """Return the guard of one item `i`; the check of all items may still ratchet it."""
        body = rule.body
        if not isinstance(body, EachVal) or body.list_type.elem is None:
            return ""
        inner = body.rule.body
        test = self._check_guard(body.rule, inner, "i") if isinstance(inner, Check) and not inner.custom else ""
        # Null items that are not nil pointers have been replaced by zero values.
        is_nil = self._values.zero(body.list_type.elem) == "None"
        return f"i is not None and {test}" if test and is_nil else test

    def _items(self, rule: Rule, value: Value) -> str:
        assert isinstance(rule.body, EachVal)
        if rule.body.list_type.kind == "map":
            return f"{value.name}.values() if {value.name} else ()"
        return f"{value.name} or ()"


def is_presence(rule: Rule) -> bool:
    """Whether a rule short-circuits on an absent value, so that later rules have a value."""
    body = rule.body
    return isinstance(body, Check) and body.function in (
        optional_value,
        optional_pointer,
        required_value,
        required_pointer,
    )


def is_optional(rule: Rule) -> bool:
    """Whether a rule only short-circuits on an absent value."""
    return isinstance(rule.body, Check) and rule.body.function in (optional_value, optional_pointer)
