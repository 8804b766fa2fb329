"""What a validator will do, in order: types, fields, rules in cohorts. No text of any language yet.

Source: semantics.md#3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.gotypes.model import Field, Struct, TypeRef
from harness.tags.rules import EachKey, EachVal, Identity, Item, Mode, Option, Rule, Subfield


@dataclass(frozen=True, slots=True)
class Cohort:
    """Rules that stop each other. The default cohort, named "", stops the whole element."""

    name: str
    stopping: tuple[Rule, ...]
    rest: tuple[Rule, ...]


def rules_in(cohorts: Iterable[Cohort]) -> Iterator[Rule]:
    """Yield every rule of an element, in the order in which they run."""
    return (rule for cohort in cohorts for rule in (*cohort.stopping, *cohort.rest))


def cohorts(rules: Iterable[Rule], named: bool = True) -> tuple[Cohort, ...]:
    """Split rules into cohorts: the default one first, then by first appearance; short-circuits first.

    Source: semantics.md#3.3.

    Not `named`, all rules are of the default one.
    """
    by_name: dict[str, list[Rule]] = {}
    for rule in rules:
        by_name.setdefault(rule.cohort if named else "", []).append(rule)
    names = sorted(by_name, key=lambda name: name != "")
    return tuple(
        Cohort(name, tuple(r for r in by_name[name] if r.sc), tuple(r for r in by_name[name] if not r.sc))
        for name in names
    )


@dataclass(frozen=True, slots=True)
class Inner:
    """Types whose own rules run within a value: the type itself, its items or values, its keys."""

    callee: str = ""
    elem: str = ""
    key: str = ""
    identity: Identity | None = None

    def __bool__(self) -> bool:
        return bool(self.callee or self.elem or self.key)


@dataclass(frozen=True, slots=True)
class FieldPlan:
    """One field: its rules, and what runs within it."""

    field: Field
    cohorts: tuple[Cohort, ...]
    inner: Inner


@dataclass(frozen=True, slots=True)
class TypePlan:
    """One named type: its own rules, what runs within it, its fields. `struct` is None for everything else."""

    name: str
    type: TypeRef
    cohorts: tuple[Cohort, ...]
    inner: Inner
    fields: tuple[FieldPlan, ...] = ()
    struct: Struct | None = None


@dataclass(frozen=True, slots=True)
class Root:
    """A type that requests may be about, and the subresource paths its dispatcher accepts (semantics.md#1.6).

    `go_type` is the Go type of the objects as messages name it: `*v1.Widget`.
    """

    name: str
    type: str
    go_type: str
    paths: frozenset[str] = frozenset({"/"})


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is emitted."""

    package: str
    types: Mapping[str, TypePlan] = field(default_factory=dict)
    roots: Mapping[str, Root] = field(default_factory=dict)


def options_of(plan: Plan, qualified: str) -> frozenset[str]:
    """Return the validation options that rules below a type look up."""
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
