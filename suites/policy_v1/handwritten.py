"""Validation of policies as it was written by hand, for the version that is stored (v1).

Objects of v1beta1 are converted first, so errors name the fields of v1 whatever version was sent.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from harness.content import names
from harness.field import FieldError, Path
from harness.field.make import duplicate, invalid, not_supported, required, too_long_characters, too_many
from harness.suite import Context

Object: TypeAlias = dict[str, Any]
Errors: TypeAlias = list[FieldError]

MODES = ("Enforce", "Warn")
ACTIONS = ("Allow", "Deny", "Log")
LIMITS = {"connections": (1, 1000), "requestsPerSecond": (1, None)}


def validate_policy(new: Object, old: Object | None, context: Context) -> Errors:
    """Validate a policy."""
    spec, old_spec = new.get("spec", {}), None if old is None else old.get("spec", {})
    path = Path().child("spec")
    errors: Errors = []
    if old_spec is None or spec.get("mode") != old_spec.get("mode"):
        errors += choice(spec.get("mode", ""), MODES, path.child("mode"))
    target, old_target = spec.get("target", {}), None if old_spec is None else old_spec.get("target", {})
    errors += validate_target(target, old_target, path.child("target"))
    limits, old_limits = spec.get("limits", {}), {} if old_spec is None else old_spec.get("limits", {})
    for name, (low, high) in LIMITS.items():
        if name in limits and limits[name] != old_limits.get(name):
            errors += within(limits[name], low, high, path.child("limits", name))
    rules, old_rules = spec.get("rules", []), None if old_spec is None else old_spec.get("rules", [])
    if rules != old_rules:
        errors += validate_rules(rules, old_rules or [], path.child("rules"))
    return errors


def choice(value: str, choices: tuple[str, ...], path: Path) -> Errors:
    """Demand one of some words."""
    if not value:
        return [required(path, covered=True)]
    return [] if value in choices else [not_supported(path, value, choices, covered=True)]


def validate_target(target: Object, old: Object | None, path: Path) -> Errors:
    """A policy is about one target for good."""
    errors: Errors = []
    for name in ("kind", "name"):
        value, place = target.get(name, ""), path.child(name)
        if old is not None and value == old.get(name, ""):
            continue
        problems = [required(place, covered=True)] if not value else []
        if old is not None:
            problems.append(invalid(place, None, "field is immutable", origin="immutable", covered=True))
        if not problems and name == "kind" and len(value) > 24:
            problems.append(too_long_characters(place, 24, origin="maxLength", covered=True))
        if not problems and name == "name":
            problems = named(value, "k8s-long-name", names.long_name(value), place)
        errors += problems
    return errors


def named(value: str, form: str, messages: Any, path: Path) -> Errors:
    """Report what is wrong with a name."""
    return [invalid(path, value, message, origin=f"format={form}", covered=True) for message in messages]


def within(value: int, low: int, high: int | None, path: Path) -> Errors:
    """Demand a number between two limits, or above one."""
    if value < low:
        return [invalid(path, value, f"must be greater than or equal to {low}", origin="minimum", covered=True)]
    if high is not None and value > high:
        return [invalid(path, value, f"must be less than or equal to {high}", origin="maximum", covered=True)]
    return []


def validate_rules(rules: list[Object], old: list[Object], path: Path) -> Errors:
    """Rules are named, so that people can speak of them."""
    if not rules:
        return [required(path, covered=True)]
    if len(rules) > 5:
        return [too_many(path, len(rules), 5, origin="maxItems", covered=True)]
    errors: Errors = []
    for i, rule in enumerate(rules):
        name = rule.get("name", "")
        if any(other.get("name", "") == name for other in rules[:i]):
            errors.append(duplicate(path.index(i), rule, covered=True))
        before = next((other for other in old if other.get("name", "") == name), None)
        if rule != before:
            errors += validate_rule(rule, before, path.index(i))
    return errors


def validate_rule(rule: Object, old: Object | None, path: Path) -> Errors:
    """Validate one rule. The length of its note is a rule of the type alone."""
    errors: Errors = []
    name = rule.get("name", "")
    if old is None:
        found = named(name, "k8s-short-name", names.short_name(name), path.child("name"))
        errors += found if name else [required(path.child("name"), covered=True)]
    if old is None or rule.get("action") != old.get("action"):
        errors += choice(rule.get("action", ""), ACTIONS, path.child("action"))
    ports = rule.get("ports", [])
    if old is None or ports != old.get("ports", []):
        if len(ports) > 4:
            errors.append(too_many(path.child("ports"), len(ports), 4, origin="maxItems", covered=True))
        else:
            for i, port in enumerate(ports):
                errors += within(port, 1, 65535, path.child("ports").index(i))
    return errors
