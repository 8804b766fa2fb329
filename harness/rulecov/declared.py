"""Lists the rules that an API declares, like upstream's generated coverage tests, including their artefacts.

Source: semantics.md#9.1.

A rule here is an error that a validator can cause, with its path, type and origin. Several tags of one element may
declare the same error; upstream lists each of them, and so does this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import msgspec

from harness.compiler import Compiled
from harness.compiler.emissions import DeclaredError, ErrorPlace, errors_of_rule
from harness.compiler.plan import Cohort, Inner, Plan, rules_in
from harness.diagnostics import Diagnostic, InputError
from harness.field import Level
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions


class DeclaredRule(msgspec.Struct, frozen=True, order=True):
    """One declared error of a kind.

    `path` is in canonical form: JSON names, `[*]` for items and values, keys at their map; empty at the root. `level`
    is empty for standard. `tag` is the name of the tag that declares it, or the keyword or the CEL rule of a schema.
    """

    group: str
    version: str
    kind: str
    path: str
    type: str
    origin: str = ""
    level: Level = ""
    tag: str = ""


def declared_rules(api: Api) -> tuple[DeclaredRule, ...]:
    """Return every declared rule of the packages that generate, sorted. Raises: InputError with all problems."""
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
    """Yield the declared rules of the root types of one package."""
    for name, found in errors_of(compiled):
        if found.declared:
            yield rule_of(package, name, found)


def errors_of(compiled: Compiled) -> Iterator[tuple[str, DeclaredError]]:
    """Yield every error that rules of the root types can cause, each with the name of the root type."""
    walk = _PlanWalk(compiled.plan)
    for root in compiled.plan.roots.values():
        for found in walk.of(root.type, ErrorPlace()):
            yield root.name, found


def rule_of(package: ApiPackage, kind: str, found: DeclaredError) -> DeclaredRule:
    """Return an error as the rule of a kind."""
    return DeclaredRule(
        package.group, package.version, kind, found.path, found.type, found.origin, found.level, found.tag
    )


class _PlanWalk:
    """Walks the types of a plan from a root; a type inside itself is not entered again."""

    def __init__(self, plan: Plan) -> None:
        self._types = plan.types
        self._inside: list[str] = []

    def of(self, type_name: str, at: ErrorPlace) -> Iterator[DeclaredError]:
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

    def _inner(self, inner: Inner, at: ErrorPlace) -> Iterator[DeclaredError]:
        for name, below in ((inner.callee, at), (inner.elem, at.items()), (inner.key, replace(at, on_keys=True))):
            if name:
                yield from self.of(name, below)


def _group(cohorts: Iterable[Cohort], at: ErrorPlace) -> Iterator[DeclaredError]:
    for rule in rules_in(cohorts):
        yield from errors_of_rule(rule, at)
