"""Rule coverage of admission policies: each validation of each policy, seen to deny and seen to hold.

A denial names its validation, and so does what the policies say of an object that a validation let pass: one that was
not asked, because of a selector or a match condition, or that raised, is not seen to hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.two_admissions import check_of
from harness.compare.two_validators import NEW_ALONE, OLD_ALONE
from harness.engine.units import Unit
from harness.field import ErrorType, FieldError
from harness.fuzzers.aimedpairs import RULE
from harness.fuzzers.aims import Aim
from harness.fuzzers.celtext import without_texts
from harness.jsonpath import canonical_path
from harness.objectmodel import METADATA
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import Inventory, KnownRule
from harness.rulecov.observed import (
    ACCEPTED,
    DECLARATIVE_CREATE,
    DECLARATIVE_UPDATE,
    FIRED,
    HANDWRITTEN_CREATE,
    HANDWRITTEN_UPDATE,
    REJECTED,
    SERVED,
    Observed,
    Sight,
    Uncovered,
)
from harness.rulecov.schemarules import cut_rule
from harness.subject import Subject

KIND: Final = "ValidatingAdmissionPolicy"
_TYPES: Mapping[str, str] = {
    "Forbidden": ErrorType.FORBIDDEN, "Unauthorized": ErrorType.FORBIDDEN,
    "RequestEntityTooLarge": ErrorType.TOO_LONG,
}  # fmt: skip
_RESOURCES = "resources"
_VARIABLE = re.compile(r"\bvariables\.(\w+)")
_OLD = re.compile(r"\boldObject\b")
_MARKS = {
    Operation.CREATE: (DECLARATIVE_CREATE, HANDWRITTEN_CREATE),
    Operation.UPDATE: (DECLARATIVE_UPDATE, HANDWRITTEN_UPDATE),
}


def policy_inventory(policies: Iterable[Mapping[str, Any]]) -> Inventory:
    """Return a rule for each validation of policies; it stands for the policy, whatever kinds that one is about."""
    return Inventory(tuple(known for policy in policies for known in _validations(policy)))


def _validations(policy: Mapping[str, Any]) -> Iterator[KnownRule]:
    name, spec = str((policy.get(METADATA) or {}).get("name", "")), policy.get("spec")
    spec = spec if isinstance(spec, Mapping) else {}
    variables = {str(one.get("name")): str(one.get("expression", "")) for one in _items(spec, "variables")}
    constraints = spec.get("matchConstraints")
    rules = _items(constraints, "resourceRules") if isinstance(constraints, Mapping) else []
    resources = [str(name) for one in rules for name in one.get("resources") or ()]
    for number, one in enumerate(_items(spec, "validations")):
        expression = " ".join(str(one.get("expression", "")).split())
        whole = " ".join(_with_variables(expression, variables))
        rule = DeclaredRule(
            "", KIND, name, "", str(_TYPES.get(str(one.get("reason", "")), ErrorType.INVALID)),
            f"{name}.validations[{number}]", "", cut_rule(expression),
        )  # fmt: skip
        changes = _OLD.search(without_texts(whole)) is not None
        argument = {RULE: whole, "at": [], "changes": changes, _RESOURCES: resources}
        yield KnownRule(rule, KIND, ("",), (), "there", argument=argument)


def _items(spec: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = spec.get(name)
    return [one if isinstance(one, Mapping) else {} for one in found] if isinstance(found, list) else []


def _with_variables(expression: str, variables: Mapping[str, str]) -> list[str]:
    """Return an expression and those of the variables that it names, and they."""
    found, left = [expression], _VARIABLE.findall(expression)
    seen: set[str] = set()
    while left:
        name = left.pop()
        if name in variables and name not in seen:
            seen.add(name)
            found.append(variables[name])
            left += _VARIABLE.findall(variables[name])
    return found


def _is_of_before(error: FieldError) -> bool:
    """Whether an error of the first list of an answer is one of what decides today."""
    return not error.covered and error.level != NEW_ALONE


@dataclass(frozen=True)
class PolicyObserverFactory:
    """Creates the observers of the rule coverage of policies."""

    inventory: Inventory

    def observer(self, subject: Subject, unit: Unit) -> PolicyObserver:
        """Return the observer of one unit."""
        return PolicyObserver(unit.requests[0].info, self.inventory.rules)


class _Denial(NamedTuple):
    """What identifies a denial of the other side, for which no validation is known."""

    path: str
    type: str
    origin: str


@dataclass(slots=True)
class _State:
    """A validation, and what was seen of it."""

    known: KnownRule
    aim: Aim
    seen: int = 0
    first: float | None = None

    def is_about(self, resource: str) -> bool:
        """Whether the policy may be asked about a resource."""
        return not {"*", "*/*", resource, f"{resource}/*"}.isdisjoint(self.known.argument[_RESOURCES])


def _aim(known: KnownRule) -> Aim:
    rule = known.rule
    return Aim(path=rule.path, type=rule.type, origin=rule.origin, tag=rule.tag, argument=known.argument)


class PolicyObserver:
    """Observes the search of one unit: which validations deny and hold, and what the other side alone denies."""

    def __init__(self, info: KindInfo, rules: Sequence[KnownRule]) -> None:
        self._info = info
        self._states = [_State(known, _aim(known)) for known in rules]
        self._by_origin = {one.known.rule.origin: one for one in self._states}
        self._denials: dict[_Denial, tuple[FieldError, int]] = {}

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record what a batch shows."""
        for case, answer in zip(cases, answers, strict=True):
            for origin in answer.held:
                if (state := self._by_origin.get(origin)) is not None:
                    state.seen |= ACCEPTED
            if answer.failure is None and (answer.handwritten or answer.declarative):
                self._record_denials(case, answer, seconds)

    def _record_denials(self, case: Case, answer: Answer, seconds: float) -> None:
        """Record who denies: the errors of either alone are marked, those of both and of the server are not."""
        after = [error for error in answer.handwritten if error.level != OLD_ALONE]
        before = [*answer.declarative, *(one for one in answer.handwritten if _is_of_before(one))]
        ours, theirs = _MARKS[case.operation]
        for error in after:
            state = self._by_origin.get(check_of(error.origin))
            if state is None:
                continue
            if state.first is None:
                state.first = seconds
            served = SERVED if case.mode == "served" and not case.options else 0
            state.seen |= ours | REJECTED | served | (theirs if before else 0)
        if not after:
            for error in before:
                key = _Denial(canonical_path(error.field), str(error.type), check_of(error.origin))
                first, count = self._denials.get(key, (error, 0))
                self._denials[key] = first, count + 1

    def aims(self) -> list[Aim]:
        """Return the validations about these objects that never denied; where they hold is found anyway."""
        return [one.aim for one in self._states if not one.seen & FIRED and one.is_about(self._info.resource)]

    def outcome(self) -> Observed:
        """Return the outcome so far."""
        info = self._info
        return Observed(
            KIND,
            {number: Sight(one.seen, one.first) for number, one in enumerate(self._states) if one.seen},
            tuple(
                Uncovered(info.group, info.version, info.kind, *key, count, error.text)
                for key, (error, count) in self._denials.items()
            ),
        )
