"""The rules that an API declares: what upstream's generated coverage tests list, artefacts included.

Source: semantics.md#9.1.

A rule here is an error that a validator can cause: where, of which type and origin. Several rules of one element may
declare the same error; upstream keeps each, so do we.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import msgspec

from harness.compiler import Compiled
from harness.compiler.plan import Cohort, Inner, Plan, rules_in
from harness.diagnostics import Diagnostic, InputError
from harness.field import ErrorType, Level
from harness.jsonpath import ITEMS, join
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Selector, Subfield
from harness.tags.spec import Emission


class DeclaredRule(msgspec.Struct, frozen=True, order=True):
    """One declared error of a kind.

    `path` is in canonical form: JSON names, `[*]` for items and values, keys at their map; empty at the root. `level`
    is empty for standard. `tag` is the name of the tag that declares it.
    """

    group: str
    version: str
    kind: str
    path: str
    type: str
    origin: str = ""
    level: Level = ""
    tag: str = ""


Part: TypeAlias = str | dict[str, str | int | bool]
"""A step to a value: a JSON name, `[*]`, or the keys of the one item that is meant."""


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """An error that a call may cause, with the call and what stands around it.

    `path` is where upstream declares it, `places` where it is reported, `steps` leads to the value that is looked at.
    `body` is what causes it. `on_keys` says that the keys of the map at the place are looked at. `option` is the option
    it depends on with the wanted state. Not `declared` are errors that upstream's coverage tests leave out.
    """

    path: str
    type: str
    origin: str
    level: Level
    tag: str
    body: Check | Mode
    places: tuple[str, ...]
    steps: tuple[Part, ...]
    on_keys: bool = False
    option: tuple[str, bool] | None = None
    declared: bool = True


def declared_rules(api: Api) -> tuple[DeclaredRule, ...]:
    """Return every declared rule of the packages that generate, sorted. Raises: InputError with all that is wrong."""
    rules: list[DeclaredRule] = []
    wrong: list[Diagnostic] = []
    for package in api.packages:
        if package.generates:
            try:
                rules += rules_of(api.compile(package, CustomFunctions()), package)
            except InputError as error:
                wrong += error.diagnostics
    if wrong:
        raise InputError(dict.fromkeys(wrong))
    return tuple(sorted(rules))


def rules_of(compiled: Compiled, package: ApiPackage) -> Iterator[DeclaredRule]:
    """Return what the root types of one package declare."""
    for name, found in errors_of(compiled):
        if found.declared:
            yield rule_of(package, name, found)


def errors_of(compiled: Compiled) -> Iterator[tuple[str, DeclaredError]]:
    """Return every error that rules of the root types can cause, each with the root's name."""
    walk = _PlanWalk(compiled.plan)
    for root in compiled.plan.roots.values():
        for found in walk.of(root.type, _At()):
            yield root.name, found


def rule_of(package: ApiPackage, kind: str, found: DeclaredError) -> DeclaredRule:
    """Return an error as the rule of a kind."""
    return DeclaredRule(
        package.group, package.version, kind, found.path, found.type, found.origin, found.level, found.tag
    )


@dataclass(frozen=True, slots=True)
class _At:
    """Where a rule stands: the path as declared, the path as reported, the steps to the value, and the wrappers."""

    path: str = ""
    place: str = ""
    steps: tuple[Part, ...] = ()
    on_keys: bool = False
    option: tuple[str, bool] | None = None

    def member(self, name: str) -> _At:
        """Go to a member of a struct; inlined ones have no name of their own."""
        if not name:
            return self
        return replace(self, path=join(self.path, name), place=join(self.place, name), steps=(*self.steps, name))

    def items(self) -> _At:
        """Go to every item of a list or value of a map."""
        return replace(self, path=join(self.path, ITEMS), place=join(self.place, ITEMS), steps=(*self.steps, ITEMS))

    def item(self, selector: Selector) -> _At:
        """Go to one item of a list. The declared path stays (semantics.md#9.1)."""
        return replace(self, place=join(self.place, ITEMS), steps=(*self.steps, dict(selector.keys)))


class _PlanWalk:
    """Goes through the types of a plan from a root; a type that is being walked is not entered again."""

    def __init__(self, plan: Plan) -> None:
        self._types = plan.types
        self._inside: list[str] = []

    def of(self, type_name: str, at: _At) -> Iterator[DeclaredError]:
        plan = self._types.get(type_name)
        if plan is None or type_name in self._inside:
            return
        self._inside.append(type_name)
        yield from _group(plan.cohorts, at)
        yield from self._inner(plan.inner, at)
        for member in plan.fields:
            field = member.field
            below = at if (field.inline and field.embedded) or field.json_ignored else at.member(field.json_name)
            yield from _group(member.cohorts, below)
            yield from self._inner(member.inner, below)
        self._inside.pop()

    def _inner(self, inner: Inner, at: _At) -> Iterator[DeclaredError]:
        for name, below in ((inner.callee, at), (inner.elem, at.items()), (inner.key, replace(at, on_keys=True))):
            if name:
                yield from self.of(name, below)


def _group(cohorts: Iterable[Cohort], at: _At) -> Iterator[DeclaredError]:
    for rule in rules_in(cohorts):
        yield from _errors(rule, at, rule.level)


def _errors(rule: Rule, at: _At, level: Level) -> Iterator[DeclaredError]:
    """Descend through wrappers. Keys and single items add nothing to the declared path (semantics.md#9.1)."""
    match rule.body:
        case Check() as check:
            yield from _of_check(rule, check, at, level)
        case EachVal(inner):
            yield from _errors(inner, at.items(), level or inner.level)
        case Subfield(inner, member):
            yield from _errors(inner, at.member(member.json_name), level or inner.level)
        case EachKey(inner):
            yield from _errors(inner, replace(at, on_keys=True), level or inner.level)
        case Item(inner, selector):
            yield from _errors(inner, at.item(selector), level or inner.level)
        case Option(inner, name, wanted):
            yield from _errors(inner, replace(at, option=(name, wanted)), level or inner.level)
        case Mode(member, _, modes, otherwise) as mode:
            # Only what is forbidden in other modes is declared, not what a mode demands.
            below = at.member(member.json_name)
            forbidden = DeclaredError(
                below.path, ErrorType.FORBIDDEN.value, "", level or otherwise.level, rule.tag, mode, (below.place,),
                below.steps, option=below.option,
            )  # fmt: skip
            yield forbidden
            for _, rules in modes:
                for inner in rules:
                    yield from (replace(one, declared=False) for one in _errors(inner, below, level or inner.level))


def _of_check(rule: Rule, check: Check, at: _At, level: Level) -> Iterator[DeclaredError]:
    spec = ALL_SPECS.get(rule.tag)
    for emission in spec.emits if spec is not None and not check.custom else ():
        if emission.when is None or emission.when(check):
            below = emission.at(check).removeprefix(".") if emission.at else ""
            origin = emission.origin + (emission.name(check) if emission.name else "")
            yield DeclaredError(
                join(at.path, below), emission.type.value, origin, level, rule.tag, check,
                _places(emission, check, join(at.place, below)), at.steps, at.on_keys, at.option, emission.declared,
            )  # fmt: skip


def _places(emission: Emission, check: Check, place: str) -> tuple[str, ...]:
    """Return where the errors are reported: unions with a discriminator report at their members."""
    names = emission.reported(check) if emission.reported else ()
    return tuple(join(place, name) for name in names) or (place,)
