"""Rule coverage: looks on at a search and notes which declared rules spoke, on which side, and kept silent where.

Every answer of a run passes here, so the usual case, an error met before with nothing left to note, costs one look-up.
What is noted depends on cases and answers alone; only when a rule first spoke is read from the run's clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.engine.units import Unit
from harness.errormatch.matcher import matcher_for
from harness.field import FieldError
from harness.fuzzers.aims import Aim
from harness.fuzzers.places import place_of
from harness.jsonpath import canonical_path, first_items, look
from harness.memory import Memory, Room
from harness.objectmodel import STATUS, without_status
from harness.rulecov.accepting import CREATED, Waiting, is_at
from harness.rulecov.inventory import Inventory, KnownRule
from harness.subject import Subject

NAME = "rules"
"""What the observer is called among those of a run."""

DECLARATIVE_CREATE, DECLARATIVE_UPDATE, HANDWRITTEN_CREATE, HANDWRITTEN_UPDATE, REJECTED, ACCEPTED, SERVED = (
    1 << number for number in range(7)
)
"""What can be seen of a rule. `REJECTED` and `ACCEPTED` are at its limit; a rule without one is rejected by firing.

`SERVED`: it fired on something that a server would hand to it, with defaults, preparation and its own options.
"""

FIRED = DECLARATIVE_CREATE | DECLARATIVE_UPDATE
_ALL_OF_FIRING = REJECTED | SERVED

_REMEMBERED = Room(12_000)
"""For errors that were met: paths hold map keys, so their number has no bound of its own."""

Key: TypeAlias = tuple[str, str, str]
"""Path, type, origin of an error."""


class Sight(msgspec.Struct, frozen=True):
    """What was seen of one rule; `first` is when it first fired on the declarative side, in seconds of the run."""

    seen: int
    first: float | None = None


class Uncovered(msgspec.Struct, frozen=True):
    """A handwritten error that no declared rule covers: what is left to migrate.

    `near` is the origin of a rule with the same path and type, when there is one: only the mark is missing.
    """

    group: str
    version: str
    kind: str
    path: str
    type: str
    origin: str
    count: int
    message: str
    covered: bool = False
    near: str = ""


class Observed(msgspec.Struct, frozen=True):
    """What the observer of one unit saw. `type` is the Go type of its objects; rules go by their number within it."""

    type: str
    rules: dict[int, Sight]
    uncovered: tuple[Uncovered, ...] = ()


@dataclass(frozen=True)
class RuleObserverFactory:
    """Makes the observers of rule coverage."""

    inventory: Inventory

    @cached_property
    def by_type(self) -> Mapping[str, tuple[KnownRule, ...]]:
        """The rules of each Go type, in order."""
        found: dict[str, list[KnownRule]] = {}
        for known in self.inventory.rules:
            found.setdefault(known.type, []).append(known)
        return {name: tuple(rules) for name, rules in found.items()}

    def observer(self, subject: Subject, unit: Unit) -> RuleObserver:
        """Return the observer of one unit."""
        info = unit.lanes[0].info
        siblings = {one.subresource for one in subject.target.info.kinds if _is_beside(one, info)}
        rules, others = self.by_type.get(info.type, ()), self.inventory.others.get(info.type, ())
        return RuleObserver(unit, rules, others, frozenset(siblings))


def _is_beside(one: KindInfo, info: KindInfo) -> bool:
    return (one.group, one.version, one.resource, one.type) == (info.group, info.version, info.resource, info.type)


@dataclass(slots=True)
class _Rule:
    """A rule and what was seen of it. `aims` are made when they are asked for first: a search asks again and again."""

    number: int
    known: KnownRule
    seen: int = 0
    first: float | None = None
    aims: dict[str, Aim] = field(default_factory=dict)

    def aim(self, wants: str) -> Aim:
        """Return the aim that has the rule fire, or accept."""
        known = self.aims.get(wants)
        if known is None:
            rule = self.known.rule
            known = self.aims[wants] = Aim(
                path=rule.path, type=rule.type, origin=rule.origin, tag=rule.tag, limit=self.known.limit,
                wants=wants, update=self.known.update, argument=self.known.argument,
            )  # fmt: skip
        return known


@dataclass(slots=True)
class _Stranger:
    """A handwritten error that belongs to no rule."""

    path: str
    error: FieldError
    near: str
    count: int = 0


@dataclass(slots=True)
class _Side:
    """One side and operation: what it shows, the rules by error, and what is left to note for errors met before."""

    mark: int
    is_handwritten: bool
    left: Memory[Key, tuple[_Rule, ...] | _Stranger] = field(default_factory=lambda: Memory(_REMEMBERED))


class RuleObserver:
    """Looks on at the search of one unit."""

    def __init__(
        self, unit: Unit, rules: Sequence[KnownRule], others: Sequence[Key], subresources: frozenset[str]
    ) -> None:
        self._info = unit.lanes[0].info
        self._type = self._info.type
        self._rules = [_Rule(number, known) for number, known in enumerate(rules)]
        self._others = others
        self._has_status = STATUS in subresources and len(subresources) > 1
        self._normalize = matcher_for(self._info.normalization).normalize
        self._declared: dict[Key, list[_Rule]] = {}
        self._handwritten: dict[Key, list[_Rule]] = {}
        self._near: dict[tuple[str, str], str] = {}
        self._strangers: dict[Key, _Stranger] = {}
        self._waiting = Waiting()
        self._sides = {
            Operation.CREATE: (_Side(DECLARATIVE_CREATE, False), _Side(HANDWRITTEN_CREATE, True)),
            Operation.UPDATE: (_Side(DECLARATIVE_UPDATE, False), _Side(HANDWRITTEN_UPDATE, True)),
        }
        for rule in self._rules:
            self._learn(rule)
        self._covered = {(self._internal(place), error, origin) for place, error, origin in others}

    def _learn(self, rule: _Rule) -> None:
        known = rule.known
        for place in known.places:
            error = known.rule.type, known.rule.origin
            self._declared.setdefault((place, *error), []).append(rule)
            self._handwritten.setdefault((self._internal(place), *error), []).append(rule)
            self._near.setdefault((self._internal(place), error[0]), error[1])
        self._waiting.add(rule.number, known)

    def _internal(self, place: str) -> str:
        """Return a canonical path as normalization makes it of real ones."""
        return canonical_path(self._normalize(first_items(place)))

    # Looking on

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Note what a batch shows."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is not None:
                continue
            declarative, handwritten = answer.declarative, answer.handwritten
            if not declarative and not handwritten:
                if self._waiting:
                    self._accepted(case)
                continue
            ours, theirs = self._sides[case.operation]
            known = ours.left.get
            for error in declarative:
                rules = known((error.field, error.type, error.origin))
                if rules or rules is None:
                    self._fired(ours, rules, case, error, seconds)
            known = theirs.left.get
            for error in handwritten:
                rules = known((error.field, error.type, error.origin))
                if rules.__class__ is _Stranger:
                    rules.count += 1
                elif rules or rules is None:
                    self._fired(theirs, rules, case, error, seconds)

    def _fired(
        self, side: _Side, rules: tuple[_Rule, ...] | _Stranger | None, case: Case, error: FieldError, seconds: float
    ) -> None:
        """Note an error of which something is left to note, or that was never met."""
        key = error.field, error.type, error.origin
        if rules is None:
            rules = self._found(side, error)
            if isinstance(rules, _Stranger):
                rules.count += 1
                side.left.put(key, rules)
                return
        assert not isinstance(rules, _Stranger)
        for rule in rules:
            rule.seen |= side.mark
            if not side.is_handwritten:
                self._spoke(rule, case, error, seconds)
        # Nothing else is to be learnt from the handwritten side.
        left = () if side.is_handwritten else tuple(rule for rule in rules if ~rule.seen & _ALL_OF_FIRING)
        side.left.put(key, left)

    def _spoke(self, rule: _Rule, case: Case, error: FieldError, seconds: float) -> None:
        """Note what an error of the declarative side says of its rule."""
        if rule.first is None:
            rule.first = seconds
        if case.mode == "served" and not case.options:
            rule.seen |= SERVED
        if not rule.seen & REJECTED and (rule.known.limit is None or self._is_beyond(rule.known, case, error)):
            rule.seen |= REJECTED

    def _found(self, side: _Side, error: FieldError) -> tuple[_Rule, ...] | _Stranger:
        if not side.is_handwritten:
            return tuple(self._declared.get((canonical_path(error.field), error.type, error.origin), ()))
        path = canonical_path(self._normalize(error.field))
        key = path, error.type, error.origin
        rules = self._handwritten.get(key)
        if rules:
            return tuple(rules)
        if key in self._covered:
            return ()
        if key not in self._strangers:
            self._strangers[key] = _Stranger(path, error, self._near.get(key[:2], ""))
        return self._strangers[key]

    def _is_beyond(self, known: KnownRule, case: Case, error: FieldError) -> bool:
        place, _ = place_of(error.field)
        return is_at(known, look(case.object, place), 1)

    def _accepted(self, case: Case) -> None:
        new, old = self._validated(case, case.object), self._validated(case, case.old)
        seen: list[int] = []
        self._waiting.look(new, CREATED if case.operation is Operation.CREATE else old, seen)
        for number in seen:
            self._rules[number].seen |= ACCEPTED

    def _validated(self, case: Case, obj: object) -> object:
        """Return the part of an object that counts: the server takes status and all else through different doors."""
        if case.mode != "served" or not self._has_status or not isinstance(obj, dict):
            return obj
        return {STATUS: obj.get(STATUS)} if case.subresource == STATUS else without_status(obj)

    # Telling

    def aims(self) -> list[Aim]:
        """Return the rules that have not fired, then those not seen at their limit, then those not seen to accept."""
        rules = self._rules
        silent = [rule.aim("reject") for rule in rules if not rule.seen & FIRED]
        beyond = [rule.aim("reject") for rule in rules if rule.seen & FIRED and not rule.seen & REJECTED]
        limits = [rule.aim("accept") for rule in rules if rule.known.limit is not None and not rule.seen & ACCEPTED]
        others = [rule.aim("accept") for rule in rules if rule.known.limit is None and not rule.seen & ACCEPTED]
        return [*silent, *beyond, *limits, *others]

    def outcome(self) -> Observed:
        """Return what was seen so far."""
        info = self._info
        return Observed(
            self._type,
            {rule.number: Sight(rule.seen, rule.first) for rule in self._rules if rule.seen},
            tuple(
                Uncovered(
                    info.group, info.version, info.kind, one.path, str(one.error.type), one.error.origin, one.count,
                    one.error.text, one.error.covered, one.near,
                )
                for one in self._strangers.values()
            ),
        )  # fmt: skip
