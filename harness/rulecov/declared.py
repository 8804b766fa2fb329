"""The rules that an API declares: what upstream's generated coverage tests list, artefacts included. Source: DV 9.1.

A rule here is an error that a validator can cause: where, of which type and origin. Several rules of one element may
declare the same error; upstream keeps each, so do we.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from harness.compiler import Compiled
from harness.compiler.plan import Cohort, Inner, Plan, rules_in
from harness.diagnostics import Diagnostic, InputError
from harness.field import ErrorType, Level
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Subfield


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


Found = tuple[str, str, str, Level, str]
"""(path, type, origin, level, tag)"""


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
    walk = _Walk(compiled.plan)
    for root in compiled.plan.roots.values():
        for path, error_type, origin, level, tag in walk.of(root.type):
            yield DeclaredRule(package.group, package.version, root.name, path, error_type, origin, level, tag)


class _Walk:
    """Goes through the types of a plan from a root; a type that is being walked is not entered again."""

    def __init__(self, plan: Plan) -> None:
        self._types = plan.types
        self._inside: list[str] = []

    def of(self, type_name: str, path: str = "") -> Iterator[Found]:
        plan = self._types.get(type_name)
        if plan is None or type_name in self._inside:
            return
        self._inside.append(type_name)
        yield from _group(plan.cohorts, path)
        yield from self._inner(plan.inner, path)
        for member in plan.fields:
            field = member.field
            below = path if (field.inline and field.embedded) or field.json_ignored else _join(path, field.json_name)
            yield from _group(member.cohorts, below)
            yield from self._inner(member.inner, below)
        self._inside.pop()

    def _inner(self, inner: Inner, path: str) -> Iterator[Found]:
        for name, below in ((inner.callee, path), (inner.elem, f"{path}[*]"), (inner.key, path)):
            if name:
                yield from self.of(name, below)


def _group(cohorts: Iterable[Cohort], path: str) -> Iterator[Found]:
    for rule in rules_in(cohorts):
        yield from _declared(rule, path, rule.level)


def _declared(rule: Rule, path: str, level: Level) -> Iterator[Found]:
    """Descend through wrappers. Keys and single items add nothing to the path (DV 9.1)."""
    match rule.body:
        case Check() as check:
            yield from _of_check(rule, check, path, level)
        case EachVal(inner):
            yield from _declared(inner, f"{path}[*]", level or inner.level)
        case Subfield(inner, member):
            yield from _declared(inner, f"{path}.{member.json_name}", level or inner.level)
        case EachKey(inner) | Item(inner) | Option(inner):
            yield from _declared(inner, path, level or inner.level)
        case Mode(member, _, _, otherwise):
            # Only what is forbidden in other modes is declared, not what a mode demands.
            below = f"{path}.{member.json_name}"
            yield below, ErrorType.FORBIDDEN.value, "", level or otherwise.level, rule.tag


def _of_check(rule: Rule, check: Check, path: str, level: Level) -> Iterator[Found]:
    spec = ALL_SPECS.get(rule.tag)
    for emission in spec.emits if spec is not None and not check.custom else ():
        if emission.declared and (emission.when is None or emission.when(check)):
            below = path + (emission.at(check) if emission.at else "")
            origin = emission.origin + (emission.name(check) if emission.name else "")
            yield below, emission.type.value, origin, level, rule.tag


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name
