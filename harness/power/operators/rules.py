"""Operators on compiled rules: those of their tags, levels, short-circuits, ratcheting.

Each takes a rule in its place and yields what a careless author could have written instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from harness.case import Operation
from harness.compiler import Compiled, compile_plan
from harness.compiler.plan import FieldPlan, Inner, Plan, rules_in
from harness.compiler.validators import module_of
from harness.field import FieldError, Level, Path
from harness.gotypes.packages import Universe
from harness.power.mutant import Mutant
from harness.power.operators.errors import OPERATORS, Alter, first_item_only
from harness.power.rulesites import RuleSite, change_rule, checks_of, rule_sites_of
from harness.subject import Rework
from harness.suite import Suite
from harness.tags.families import update
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, CheckFunction, EachVal, Mode, Option, Rule

Changes = Iterator[tuple[str, Callable[[Rule], Rule], str]]
"""Operator, what it does to the rule, and what would show it."""

_CALLED = "mutated"
_OTHER_LEVEL: dict[Level, Level] = {"": "beta", "alpha": "", "beta": ""}
"""Between alpha and beta no list differs: a level says when errors count, not which there are."""


def mutants_of(compiled: Compiled) -> Iterator[Mutant]:
    """Yield every mutant of the rules of one package."""
    for site, check in checks_of(compiled.plan):
        for name, alter, shown_by in _of_errors(site):
            yield _mutant(compiled, site, name, _around(check, alter), shown_by)
        for name, change, shown_by in _of_check(site.rule.tag, check):
            yield _mutant(compiled, site, name, change, shown_by)
    for site in rule_sites_of(compiled.plan):
        for name, change, shown_by in (*_of_holder(site), *_of_top(site)):
            yield _mutant(compiled, site, name, change, shown_by)
    yield from _without_ratcheting(compiled)
    yield from _without_correlation(compiled)


def _mutant(compiled: Compiled, site: RuleSite, operator: str, change: Callable[[Rule], Rule], shown_by: str) -> Mutant:
    rework = _rework_plan(compiled.package, lambda plan: change_rule(plan, site.number, change))
    return Mutant("declarative", operator, site.location, site.words, shown_by, rework, lines=_lines_of([site.rule]))


def _lines_of(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the lines of the tags that declare rules."""
    positions = (position for rule in rules for position in (rule.position, *rule.parts.values()))
    return frozenset(f"{one.file}:{one.line}" for one in positions)


def _rework_plan(package: str, change: Callable[[Plan], Plan]) -> Rework:
    def rework(suite: Suite, universe: Universe, compiled: Compiled) -> Compiled:
        if compiled.package != package:
            return compiled
        return compile_plan(change(compiled.plan), universe, release=suite.release)

    return rework


# What is said


def _of_errors(site: RuleSite) -> Iterator[tuple[str, Alter, str]]:
    yield from OPERATORS
    if any(isinstance(rule.body, EachVal) and rule.body.list_type.kind != "map" for rule in site.outer):
        yield "first item only", first_item_only, "a list whose first item is fine and another is not"


def _around(check: Check, alter: Alter) -> Callable[[Rule], Rule]:
    """Change what a rule says."""

    def mutated(op: Operation, path: Path, new: Any, old: Any, *args: Any) -> list[FieldError]:
        return list(alter(check.function(op, path, new, old, *args), op))

    return _calling(mutated, check)


def _calling(function: CheckFunction, check: Check, args: tuple[Any, ...] | None = None) -> Callable[[Rule], Rule]:
    body = Check(function, check.args if args is None else args, custom=_CALLED)
    return lambda rule: replace(rule, body=body)


def _with_args(check: Check, *args: Any) -> Callable[[Rule], Rule]:
    return lambda rule: replace(rule, body=replace(check, args=args))


# What is checked


def _of_check(tag: str, check: Check) -> Changes:
    spec = ALL_SPECS.get(tag)
    for one in spec.mutations_of(check) if spec is not None and not check.custom else ():
        if one.function is None:
            yield one.operator, _with_args(check, *one.args), one.shown_by
        else:
            yield one.operator, _calling(one.function, check, one.args), one.shown_by


# What holds rules


def _of_holder(site: RuleSite) -> Changes:
    body = site.rule.body
    if isinstance(body, Option):
        wrong = replace(body, wanted=not body.wanted)
        yield (
            "invert the option",
            lambda rule: replace(rule, body=wrong),
            f"an object, with {body.name} on or off",
        )
    if isinstance(body, Mode):
        for value, _ in body.rules:
            kept = replace(body, rules=tuple(pair for pair in body.rules if pair[0] != value))
            shown_by = f"an object whose {body.discriminator.json_name} is {value!r}"
            yield f"forget mode {value!r}", partial(_with_body, body=kept), shown_by


def _with_body(rule: Rule, body: Mode) -> Rule:
    return replace(rule, body=body)


def _of_top(site: RuleSite) -> Changes:
    rule = site.rule
    if site.outer or rule.hidden or not _reports(site):
        return
    other = _OTHER_LEVEL[rule.level]
    yield f"level {other or 'standard'}", lambda one: replace(one, level=other), "any object that breaks the rule"
    if rule.short_circuits:
        yield (
            "no short-circuit",
            lambda one: replace(one, short_circuits=False),
            "an object that breaks this rule and a later one",
        )


def _reports(site: RuleSite) -> bool:
    """Whether a rule makes errors, or holds others that do."""
    return not isinstance(site.rule.body, Check) or site.check is not None


# Ratcheting


def _without_ratcheting(compiled: Compiled) -> Iterator[Mutant]:
    """A field that judges what did not change. What only holds others leaves ratcheting to them."""
    for plan in compiled.plan.types.values():
        for member in plan.fields:
            direct = [rule for rule in rules_in(member.cohorts) if _judges(rule)]
            if direct:
                place = f"{plan.name.rpartition('/')[2]}.{member.field.json_name}"
                rework = _rework_ratcheting(compiled.package, plan.name, member)
                shown_by = "an update that leaves an invalid value as it is"
                lines = _lines_of(direct)
                yield Mutant("declarative", "no ratcheting", place, "unchanged values", shown_by, rework, lines=lines)


def _judges(rule: Rule) -> bool:
    site = RuleSite(0, "", "", "", rule)
    return site.check is not None and site.check.function.__module__ != update.__name__


def _rework_ratcheting(package: str, type_name: str, member: FieldPlan) -> Rework:
    start = re.compile(rf'"""{re.escape(type_name)}"""\n.*?\n    # {re.escape(member.field.name)}\b', re.DOTALL)

    def rework(suite: Suite, universe: Universe, compiled: Compiled) -> Compiled:
        if compiled.package != package:
            return compiled
        found = start.search(compiled.source)
        assert found is not None, f"{type_name}.{member.field.name} is not in its own source"
        head, tail = compiled.source[: found.end()], compiled.source[found.end() :]
        source = head + re.sub(r"(if|while) not \(.*\):\n", r"\1 True:\n", tail, count=1)
        module = compiled.module
        again = module_of(
            source, module.package, entries=module.entries, custom=module.custom, warnings=module.warnings
        )
        return Compiled(compiled.plan, again)

    return rework


def _without_correlation(compiled: Compiled) -> Iterator[Mutant]:
    """Items that are not told apart: none is ratcheted."""
    for plan in compiled.plan.types.values():
        for member in plan.fields:
            identity = member.inner.identity
            if member.inner.elem and identity is not None and identity.semantic != "atomic":
                place = f"{plan.name.rpartition('/')[2]}.{member.field.json_name}"
                rework = _rework_plan(compiled.package, _drop_identity(plan.name, member.field.name))
                shown_by = "an update that leaves an invalid item as it is and changes another"
                yield Mutant("declarative", "no correlation", place, "items", shown_by, rework)


def _drop_identity(type_name: str, member: str) -> Callable[[Plan], Plan]:
    def bare(inner: Inner) -> Inner:
        return replace(inner, identity=None)

    def change(plan: Plan) -> Plan:
        own = plan.types[type_name]
        fields = tuple(replace(one, inner=bare(one.inner)) if one.field.name == member else one for one in own.fields)
        return replace(plan, types={**plan.types, type_name: replace(own, fields=fields)})

    return change
