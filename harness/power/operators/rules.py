"""Operators on compiled rules: limits, enums, formats, unions, keys, constraints, levels, short-circuits, ratcheting.

Each takes a rule in its place and yields what a careless author could have written instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from harness.case import Operation
from harness.compiler import Compiled, compile_plan
from harness.compiler.plan import FieldPlan, Inner, Plan, rules_in
from harness.compiler.validators import module_of
from harness.field import FieldError, Level, Path
from harness.gotypes.packages import Universe
from harness.power.mutant import Mutant
from harness.power.operators.errors import OPERATORS, Alter, first_item_only
from harness.power.rulesites import RuleSite, changed, checks_of, rule_sites_of
from harness.subject import Rework
from harness.suite import Suite
from harness.tags.families import enum, limits, lists, union, update
from harness.tags.families import format as formats
from harness.tags.rules import Check, CheckFunction, EachVal, KeyOf, MembersSet, Mode, Option, Rule

Changes = Iterator[tuple[str, Callable[[Rule], Rule], str]]
"""Operator, what it does to the rule, and what would show it."""

_CALLED = "mutated"
_LIMITS = (
    limits.max_length, limits.older_max_length, limits.max_bytes, limits.min_length, limits.max_items,
    limits.min_items, limits.max_properties, limits.min_properties, limits.minimum, limits.maximum,
)  # fmt: skip
_CHARACTERS = (limits.max_length, limits.min_length)
_UNIONS = (
    union.union, union.zero_or_one_of, union.discriminated_union,
    union.older_union, union.older_zero_or_one_of, union.older_discriminated_union,
)  # fmt: skip
_OTHER_LEVEL: dict[Level, Level] = {"": "beta", "alpha": "", "beta": ""}
"""Between alpha and beta no list differs: a level says when errors count, not which there are."""
_ENUMS = (enum.enum, enum.enum_with_exclusions)


def mutants_of(compiled: Compiled) -> Iterator[Mutant]:
    """Yield every mutant of the rules of one package."""
    for site, check in checks_of(compiled.plan):
        for name, alter, shown_by in _of_errors(site):
            yield _made(compiled, site, name, _around(check, alter), shown_by)
        for name, change, shown_by in _of_check(check):
            yield _made(compiled, site, name, change, shown_by)
    for site in rule_sites_of(compiled.plan):
        for name, change, shown_by in (*_of_holder(site), *_of_top(site)):
            yield _made(compiled, site, name, change, shown_by)
    yield from _unratcheting(compiled)
    yield from _correlating(compiled)


def _made(compiled: Compiled, site: RuleSite, operator: str, change: Callable[[Rule], Rule], shown_by: str) -> Mutant:
    rework = _reworked(compiled.package, lambda plan: changed(plan, site.number, change))
    return Mutant("declarative", operator, site.location, site.words, shown_by, rework)


def _reworked(package: str, change: Callable[[Plan], Plan]) -> Rework:
    def rework(suite: Suite, universe: Universe, compiled: Compiled) -> Compiled:
        if compiled.package != package:
            return compiled
        return compile_plan(change(compiled.plan), universe, release=suite.release)

    return rework


# What is said


def _of_errors(site: RuleSite) -> Iterator[tuple[str, Alter, str]]:
    yield from OPERATORS
    if any(isinstance(rule.body, EachVal) and rule.body.list_type.kind != "map" for rule in site.around):
        yield "first item only", first_item_only, "a list whose first item is fine and another is not"
    if isinstance(site.rule.body, Check) and site.rule.body.function is lists.unique:
        yield "first duplicate only", lambda errors, operation: errors[:1], "a list with an item three times"


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


def _of_check(check: Check) -> Changes:
    function, args = check.function, check.args
    if function in _LIMITS:
        yield "limit + 1", _with_args(check, args[0] + 1), f"a value of exactly {args[0]} or {args[0] + 1}"
        yield "limit - 1", _with_args(check, args[0] - 1), f"a value of exactly {args[0]} or {args[0] - 1}"
    if function in _CHARACTERS:
        yield "bytes for characters", _calling(_of_bytes(function), check), "a text at the limit with a letter like é"
    elif function is limits.max_bytes:
        yield "characters for bytes", _calling(_of_letters(function), check), "a text at the limit with a letter like é"
    elif function in _ENUMS:
        yield from _of_enum(check)
    elif function in _UNIONS:
        yield from _of_union(check)
    elif function is lists.unique:
        yield from _of_keys(check)
    elif function.__module__ == formats.__name__:
        yield from _of_format(check)
    elif function.__module__ == update.__name__ and args and isinstance(args[0], tuple) and len(args[0]) > 1:
        for one in args[0]:
            kept = tuple(other for other in args[0] if other != one)
            yield f"drop {one}", _with_args(check, kept, *args[1:]), f"an update that {one} alone forbids"


def _of_bytes(function: CheckFunction) -> CheckFunction:
    def mutated(op: Operation, path: Path, new: Any, old: Any, limit: int) -> Any:
        text = new.encode("utf-8", "surrogatepass").decode("latin-1") if isinstance(new, str) else new
        return function(op, path, text, old, limit)

    return mutated


def _of_letters(function: CheckFunction) -> CheckFunction:
    def mutated(op: Operation, path: Path, new: Any, old: Any, limit: int) -> Any:
        return function(op, path, "x" * len(new) if isinstance(new, str) else new, old, limit)

    return mutated


def _of_enum(check: Check) -> Changes:
    show, values, *more = check.args
    for value in values:
        kept = tuple(other for other in values if other != value)
        yield f"drop {value!r}", _with_args(check, show, kept, *more), f"the value {value!r}"
    added = values[0].lower() if values and values[0].lower() != values[0] else f"{(values or ('',))[0]}s"
    yield f"add {added!r}", _with_args(check, show, tuple(sorted((*values, added))), *more), f"the value {added!r}"


def _of_union(check: Check) -> Changes:
    names, is_set, *more = check.args
    for index, name in enumerate(names):
        members = MembersSet(is_set.members[:index] + is_set.members[index + 1 :])
        rest = [one[:index] + one[index + 1 :] if isinstance(one, tuple) else one for one in more]
        if members.members:
            args = (names[:index] + names[index + 1 :], members, *rest)
            yield f"forget {name!r}", _with_args(check, *args), f"an object with {name!r} alone, or beside another"


def _of_keys(check: Check) -> Changes:
    key, *more = check.args
    if isinstance(key, KeyOf) and key.identity.semantic == "map" and len(key.identity.keys) > 1:
        for name in key.identity.keys:
            kept = tuple(other for other in key.identity.keys if other != name)
            wrong = KeyOf(replace(key.identity, keys=kept))
            yield f"drop key {name}", _with_args(check, wrong, *more), f"items that differ in {name} only"


def _of_format(check: Check) -> Changes:
    own = check.function
    other = formats.format_short_name if own is not formats.format_short_name else formats.format_label_value

    def mutated(op: Operation, path: Path, new: Any, old: Any, *args: Any) -> Any:
        original = own(op, path, new, old, *args)
        found = other(op, path, new, old)
        if bool(original) == bool(found):
            return original
        origin = next((error.origin for error in own(op, path, "\0", None, *args)), "")
        return [msgspec.structs.replace(error, origin=origin) for error in found]

    name = "a short name" if other is formats.format_short_name else "a label value"
    yield f"take {name} for it", _calling(mutated, check), "a value that one format allows and the other does not"


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
    if site.around or rule.ne or not _reports(site):
        return
    other = _OTHER_LEVEL[rule.level]
    yield f"level {other or 'standard'}", lambda one: replace(one, level=other), "any object that breaks the rule"
    if rule.sc:
        yield "no short-circuit", lambda one: replace(one, sc=False), "an object that breaks this rule and a later one"


def _reports(site: RuleSite) -> bool:
    """Whether a rule makes errors, or holds others that do."""
    return not isinstance(site.rule.body, Check) or site.check is not None


# Ratcheting


def _unratcheting(compiled: Compiled) -> Iterator[Mutant]:
    """A field that judges what did not change. What only holds others leaves ratcheting to them."""
    for plan in compiled.plan.types.values():
        for member in plan.fields:
            direct = [rule for rule in rules_in(member.cohorts) if _judges(rule)]
            if direct:
                place = f"{plan.name.rpartition('/')[2]}.{member.field.json_name}"
                rework = _unratcheted(compiled.package, plan.name, member)
                shown_by = "an update that leaves an invalid value as it is"
                yield Mutant("declarative", "no ratcheting", place, "unchanged values", shown_by, rework)


def _judges(rule: Rule) -> bool:
    site = RuleSite(0, "", "", "", rule)
    return site.check is not None and site.check.function.__module__ != update.__name__


def _unratcheted(package: str, type_name: str, member: FieldPlan) -> Rework:
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


def _correlating(compiled: Compiled) -> Iterator[Mutant]:
    """Items that are not told apart: none is ratcheted."""
    for plan in compiled.plan.types.values():
        for member in plan.fields:
            identity = member.inner.identity
            if member.inner.elem and identity is not None and identity.semantic != "atomic":
                place = f"{plan.name.rpartition('/')[2]}.{member.field.json_name}"
                rework = _reworked(compiled.package, _uncorrelated(plan.name, member.field.name))
                shown_by = "an update that leaves an invalid item as it is and changes another"
                yield Mutant("declarative", "no correlation", place, "items", shown_by, rework)


def _uncorrelated(type_name: str, member: str) -> Callable[[Plan], Plan]:
    def bare(inner: Inner) -> Inner:
        return replace(inner, identity=None)

    def change(plan: Plan) -> Plan:
        own = plan.types[type_name]
        fields = tuple(replace(one, inner=bare(one.inner)) if one.field.name == member else one for one in own.fields)
        return replace(plan, types={**plan.types, type_name: replace(own, fields=fields)})

    return change
