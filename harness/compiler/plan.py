"""The plan of a validator: types, fields and rules in the order of their execution, independent of any language.

Source: semantics.md#3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.gotypes.model import Field, Struct, TypeRef
from harness.tags.rules import EachKey, EachVal, Identity, Item, Mode, Option, Rule, Subfield, is_subresource


@dataclass(frozen=True, slots=True)
class Cohort:
    """Rules that short-circuit each other. The default cohort, named "", short-circuits the whole element."""

    name: str
    stopping: tuple[Rule, ...]
    rest: tuple[Rule, ...]


def rules_in(cohorts: Iterable[Cohort]) -> Iterator[Rule]:
    """Yield every rule of an element, in the order in which they run."""
    return (rule for cohort in cohorts for rule in (*cohort.stopping, *cohort.rest))


def cohorts(rules: Iterable[Rule], named: bool = True) -> tuple[Cohort, ...]:
    """Split rules into cohorts: the default one first, then by first appearance; short-circuits first.

    Source: semantics.md#3.3.

    Without `named`, all rules belong to the default one.
    """
    by_name: dict[str, list[Rule]] = {}
    for rule in rules:
        by_name.setdefault(rule.cohort if named else "", []).append(rule)
    names = sorted(by_name, key=lambda name: name != "")
    return tuple(
        Cohort(
            name,
            tuple(r for r in by_name[name] if r.short_circuits),
            tuple(r for r in by_name[name] if not r.short_circuits),
        )
        for name in names
    )


@dataclass(frozen=True, slots=True)
class Inner:
    """The types of a value that have rules: its own type, that of its items or values, and that of its keys."""

    callee: str = ""
    elem: str = ""
    key: str = ""
    identity: Identity | None = None

    def __bool__(self) -> bool:
        return bool(self.callee or self.elem or self.key)


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """One field: its rules, and the types inside it."""

    field: Field
    cohorts: tuple[Cohort, ...]
    inner: Inner


@dataclass(frozen=True, slots=True)
class TypePlan:
    """One named type: its own rules, the types inside it, and its fields. `struct` is None for other types."""

    name: str
    type: TypeRef
    cohorts: tuple[Cohort, ...]
    inner: Inner
    fields: tuple[FieldPlan, ...] = ()
    struct: Struct | None = None


@dataclass(frozen=True, slots=True)
class Root:
    """A type that has requests, and the subresource paths that its dispatcher accepts (semantics.md#1.6).

    `go_type` is the Go type of the objects as messages name it: `*v1.Widget`.
    """

    name: str
    type: str
    go_type: str
    paths: frozenset[str] = frozenset({"/"})


@dataclass(frozen=True, slots=True)
class Plan:
    """All types and roots of a package."""

    package: str
    types: Mapping[str, TypePlan] = field(default_factory=dict)
    roots: Mapping[str, Root] = field(default_factory=dict)


def options_of(plan: Plan, qualified: str) -> frozenset[str]:
    """Return the validation options that the rules of a type and below it read."""
    return frozenset(name for name in _conditions(plan, qualified) if not is_subresource(name))


def reads_subresource(plan: Plan, qualified: str) -> bool:
    """Whether a rule of a type, or below it, depends on the subresource that a request comes through."""
    return any(is_subresource(name) for name in _conditions(plan, qualified))


def _conditions(plan: Plan, qualified: str) -> frozenset[str]:
    """Return the names of the options, and the paths of the subresources, that rules depend on."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [qualified]
    while waiting:
        name = waiting.pop()
        type_plan = plan.types.get(name)
        if name in seen or type_plan is None:
            continue
        seen.add(name)
        for group, inner in [(type_plan.cohorts, type_plan.inner), *((f.cohorts, f.inner) for f in type_plan.fields)]:
            waiting += [inner.callee, inner.elem, inner.key]
            for rule in rules_in(group):
                found.update(_options(rule))
    return frozenset(found)


def _options(rule: Rule) -> Iterator[str]:
    body = rule.body
    if isinstance(body, Option):
        yield body.name
    if isinstance(body, EachVal | EachKey | Item | Subfield | Option):
        yield from _options(body.rule)
    elif isinstance(body, Mode):
        for _, rules in body.rules:
            for one in rules:
                yield from _options(one)
    elif len(body.args) == 4 and isinstance(body.args[2], tuple):  # an enum's exclusions
        for _, conditions in body.args[2]:
            yield from (name for name, _ in conditions)
