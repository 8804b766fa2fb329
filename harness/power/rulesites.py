"""Lists the rules of a compiled plan with their locations, and returns a plan with one of them changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from harness.compiler.naming import summary_of
from harness.compiler.plan import Cohort, FieldPlan, Plan, TypePlan
from harness.tags.families.requiredness import optional_pointer, optional_value
from harness.tags.rules import Check, Mode, Rule


@dataclass(frozen=True, slots=True)
class RuleSite:
    """A rule and its location. `outer` are the rules that wrap it, the outermost first; `number` identifies it.

    `member` is the JSON name of the field, empty for rules of a type.
    """

    number: int
    type: str
    member: str
    words: str
    rule: Rule
    outer: tuple[Rule, ...] = ()

    @property
    def location(self) -> str:
        """The displayed location: `v1.ClaimSpec.class`."""
        short = self.type.rpartition("/")[2]
        return f"{short}.{self.member}" if self.member else short

    @property
    def check(self) -> Check | None:
        """The call that creates errors; None for rules that only wrap others, and for those that create no errors."""
        body = self.rule.body
        silent = any(rule.hidden for rule in (self.rule, *self.outer))
        if not isinstance(body, Check) or silent or body.function in (optional_value, optional_pointer):
            return None
        return body


Change: TypeAlias = Callable[[RuleSite], Rule]


def rule_sites_of(plan: Plan) -> list[RuleSite]:
    """Return every rule of a plan, wrappers before the rules that they wrap."""
    found: list[RuleSite] = []

    def see(site: RuleSite) -> Rule:
        found.append(site)
        return site.rule

    _Changer(see).plan(plan)
    return found


def change_rule(plan: Plan, number: int, change: Callable[[Rule], Rule]) -> Plan:
    """Return a plan with one rule changed. A rule that no longer short-circuits joins those that run afterwards."""
    return _Changer(lambda site: change(site.rule) if site.number == number else site.rule).plan(plan)


class _Changer:
    """Copies a plan and changes its rules."""

    def __init__(self, change: Change) -> None:
        self._change = change
        self._number = 0

    def plan(self, plan: Plan) -> Plan:
        return replace(plan, types={name: self._type(one) for name, one in plan.types.items()})

    def _type(self, plan: TypePlan) -> TypePlan:
        own = self._cohorts(plan.cohorts, plan.name, "")
        return replace(plan, cohorts=own, fields=tuple(self._field(plan.name, one) for one in plan.fields))

    def _field(self, type_name: str, plan: FieldPlan) -> FieldPlan:
        return replace(plan, cohorts=self._cohorts(plan.cohorts, type_name, plan.field.json_name or plan.field.name))

    def _cohorts(self, cohorts: Sequence[Cohort], type_name: str, member: str) -> tuple[Cohort, ...]:
        return tuple(self._cohort(one, type_name, member) for one in cohorts)

    def _cohort(self, cohort: Cohort, type_name: str, member: str) -> Cohort:
        def made(rule: Rule) -> Rule:
            return self._rule(RuleSite(0, type_name, member, summary_of([rule]), rule))

        stopping, rest = [made(rule) for rule in cohort.stopping], [made(rule) for rule in cohort.rest]
        freed = [rule for rule in stopping if not rule.short_circuits]
        return Cohort(cohort.name, tuple(rule for rule in stopping if rule.short_circuits), (*freed, *rest))

    def _rule(self, site: RuleSite) -> Rule:
        self._number += 1
        rule = self._change(replace(site, number=self._number))
        inner = (*site.outer, site.rule)

        def held(one: Rule) -> Rule:
            return self._rule(replace(site, rule=one, outer=inner))

        body = rule.body
        if isinstance(body, Check):
            return rule
        if isinstance(body, Mode):
            modes = tuple((value, tuple(held(one) for one in rules)) for value, rules in body.rules)
            return replace(rule, body=replace(body, rules=modes, otherwise=held(body.otherwise)))
        return replace(rule, body=replace(body, rule=held(body.rule)))


def checks_of(plan: Plan) -> Iterator[tuple[RuleSite, Check]]:
    """Yield every rule that creates errors, with its call."""
    for site in rule_sites_of(plan):
        check = site.check
        if check is not None:
            yield site, check
