"""The observer of rule coverage: records which declared rules fired, on which side, and which accepted a value.

It examines every answer of a run, so the usual case, an error with nothing more to record, costs only one look-up. The
result depends on cases and answers alone, except for the time at which a rule first fired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.engine.units import Unit
from harness.errormatch.matcher import matcher_for
from harness.field import FieldError
from harness.field.facts import RuleLimit
from harness.field.unaccepted import Unaccepted
from harness.fuzzers.aims import Aim
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import ITEMS, canonical_path, first_items, look
from harness.memory import Memory, Room
from harness.objectmodel import SCALE, STATUS, without_status
from harness.rulecov.accepting import CREATED, UncoveredRules, is_at
from harness.rulecov.inventory import Inventory, KnownRule
from harness.rulecov.nearlimit import NearestToLimits
from harness.subject import Subject

NAME = "rules"
"""The name of the observer in a run."""

DECLARATIVE_CREATE, DECLARATIVE_UPDATE, HANDWRITTEN_CREATE, HANDWRITTEN_UPDATE, REJECTED, ACCEPTED, SERVED = (
    1 << number for number in range(7)
)
"""The observations of a rule, as bits. `REJECTED` and `ACCEPTED` are at its limit; a rule without a limit has
`REJECTED` once it fires.

`SERVED`: it fired on an object as a server validates it, with defaults, preparation and the server's own options.
"""

FIRED = DECLARATIVE_CREATE | DECLARATIVE_UPDATE
_ALL_OF_FIRING = REJECTED | SERVED

_REMEMBERED = Room(12_000)
"""The memory for known errors; their paths contain map keys, so their number is not bounded otherwise."""

Key: TypeAlias = tuple[str, str, str]
"""Path, type, origin of an error."""


class Sight(msgspec.Struct, frozen=True):
    """The observations of one rule; `first` is the age of the run at its first declarative error, in seconds.

    `unaccepted` is set if an object at its limit was asked about, and none was accepted.
    """

    seen: int
    first: float | None = None
    unaccepted: Unaccepted | None = None


class Uncovered(msgspec.Struct, frozen=True):
    """A handwritten error without a declared rule, which is left to migrate.

    `near` is the origin of a rule with the same path and type, if there is one: then only the origin differs.
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
    """The outcome of one unit's observer. `type` is the Go type of its objects; `rules` go by their number in it."""

    type: str
    rules: dict[int, Sight]
    uncovered: tuple[Uncovered, ...] = ()


@dataclass(frozen=True)
class RuleObserverFactory:
    """Creates the observers of rule coverage."""

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
        info = unit.requests[0].info
        siblings = {one.subresource for one in subject.target.info.kinds if _is_same_resource(one, info)}
        rules, others = self.by_type.get(info.type, ()), self.inventory.others.get(info.type, ())
        return RuleObserver(unit, rules, others, frozenset(siblings), servers=bool(subject.comparison.names))


def _is_same_resource(one: KindInfo, info: KindInfo) -> bool:
    return (one.group, one.version, one.resource, one.type) == (info.group, info.version, info.resource, info.type)


def _counted(known: KnownRule) -> RuleLimit | None:
    return RuleLimit(known.measure, known.beyond) if known.measure and known.limit is not None else None


def _forget(case: Case, name: str) -> None:
    """Do nothing with a case that was the first to show something: nobody keeps it."""


@cache
def _with_keys(path: str) -> re.Pattern[str]:
    """Return what paths look like in which keys of maps stand as names."""
    return re.compile("(?:\\[\\*\\]|\\..+)".join(map(re.escape, path.split(ITEMS))))


@dataclass(slots=True)
class _Rule:
    """A rule and its observations. `aims` are created on first use and kept, because a search reads them repeatedly."""

    number: int
    known: KnownRule
    seen: int = 0
    first: float | None = None
    aims: dict[str, Aim] = field(default_factory=dict)

    def aim(self, wants: str) -> Aim:
        """Return the aim to make the rule fire, or accept a value."""
        known = self.aims.get(wants)
        if known is None:
            rule = self.known.rule
            known = self.aims[wants] = Aim(
                path=rule.path, type=rule.type, origin=rule.origin, tag=rule.tag, limit=self.known.limit,
                wants=wants, update=self.known.update, argument=self.known.argument, counts=_counted(self.known),
            )  # fmt: skip
        return known


@dataclass(slots=True)
class _UnknownError:
    """A handwritten error without a rule."""

    path: str
    error: FieldError
    near: str
    count: int = 0


@dataclass(slots=True)
class _Side:
    """One side and operation: its bit, and the rules that still have something to record, by error."""

    mark: int
    is_handwritten: bool
    left: Memory[Key, tuple[_Rule, ...] | _UnknownError] = field(default_factory=lambda: Memory(_REMEMBERED))


class RuleObserver:
    """Observes the search of one unit.

    With `servers`, the answers are those of two servers: the rules are those of the one after, and the handwritten side
    is the one before, whose errors need not have the origin of a rule with their type and path. What that one rejects
    and the one after accepts counts as accepted.
    """

    def __init__(
        self,
        unit: Unit,
        rules: Sequence[KnownRule],
        others: Sequence[Key],
        subresources: frozenset[str],
        *,
        servers: bool = False,
    ) -> None:
        self._servers = servers
        self._loose: dict[tuple[str, str], list[_Rule]] = {}
        self._info = unit.requests[0].info
        self._type = self._info.type
        self._rules = [_Rule(number, known) for number, known in enumerate(rules)]
        self._others = others
        self._has_status = STATUS in subresources and len(subresources) > 1
        self._normalize = matcher_for(self._info.normalization).normalize
        self._declared: dict[Key, list[_Rule]] = {}
        self._handwritten: dict[Key, list[_Rule]] = {}
        self._near: dict[tuple[str, str], str] = {}
        self._unknown_errors: dict[Key, _UnknownError] = {}
        self._uncovered = UncoveredRules()
        self._limits = NearestToLimits(rules, self._normalize)
        self._sides = {
            Operation.CREATE: (_Side(DECLARATIVE_CREATE, False), _Side(HANDWRITTEN_CREATE, True)),
            Operation.UPDATE: (_Side(DECLARATIVE_UPDATE, False), _Side(HANDWRITTEN_UPDATE, True)),
        }
        for rule in self._rules:
            self._learn(rule)
        self._covered = {(self._internal(place), error, origin) for place, error, origin in others}
        self.on_first: Callable[[Case, str], None] = _forget

    def _learn(self, rule: _Rule) -> None:
        known = rule.known
        for place in known.places:
            error = known.rule.type, known.rule.origin
            self._declared.setdefault((place, *error), []).append(rule)
            self._handwritten.setdefault((self._internal(place), *error), []).append(rule)
            self._near.setdefault((self._internal(place), error[0]), error[1])
            self._loose.setdefault((place, error[0]), []).append(rule)
        self._uncovered.add(rule.number, known)

    def _internal(self, place: str) -> str:
        """Return a canonical path after the normalization rules of the target."""
        return canonical_path(self._normalize(first_items(place)))

    # Recording

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record the rules that a batch shows firing or accepting."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is not None:
                if self._limits:
                    self._limits.record_failed(*self._validated_pair(case), answer.failure)
                continue
            declarative, handwritten = answer.declarative, answer.handwritten
            if self._servers:
                self._record_common(case, answer)
                declarative, handwritten = handwritten, declarative  # both serve what is in the first list, uncovered
            if not declarative and (self._servers or not handwritten):
                if self._uncovered:
                    self._record_accepted(case)
                if not handwritten:
                    continue
            elif self._limits:
                self._record_rejected(case, declarative, handwritten)
            declarative_side, handwritten_side = self._sides[case.operation]
            known = declarative_side.left.get
            for error in declarative:
                rules = known((error.field, error.type, error.origin))
                if rules or rules is None:
                    self._record_error(declarative_side, rules, case, error, seconds)
            known = handwritten_side.left.get
            for error in handwritten:
                rules = known((error.field, error.type, error.origin))
                if rules.__class__ is _UnknownError:
                    rules.count += 1
                elif rules or rules is None:
                    self._record_error(handwritten_side, rules, case, error, seconds)

    def _record_common(self, case: Case, answer: Answer) -> None:
        """Record the errors that both servers report: those of the one before that are no rule's are no loss."""
        side = self._sides[case.operation][1]
        for error in answer.handwritten:
            if not error.covered:
                for rule in self._loose.get((canonical_path(error.field), error.type), ()):
                    self._see(rule, side.mark, case)

    def _record_error(
        self,
        side: _Side,
        rules: tuple[_Rule, ...] | _UnknownError | None,
        case: Case,
        error: FieldError,
        seconds: float,
    ) -> None:
        """Record an error that is new, or whose rules still have something to record."""
        key = error.field, error.type, error.origin
        if rules is None:
            rules = self._rules_for(side, error)
            if isinstance(rules, _UnknownError):
                rules.count += 1
                side.left.put(key, rules)
                return
        assert not isinstance(rules, _UnknownError)
        for rule in rules:
            self._see(rule, side.mark, case)
            if not side.is_handwritten:
                self._record_declarative(rule, case, error, seconds)
        # One handwritten error is all there is to record of a rule.
        left = () if side.is_handwritten else tuple(rule for rule in rules if ~rule.seen & _ALL_OF_FIRING)
        side.left.put(key, left)

    def _record_declarative(self, rule: _Rule, case: Case, error: FieldError, seconds: float) -> None:
        """Record that a declarative error shows its rule firing, and whether at the limit."""
        if rule.first is None:
            rule.first = seconds
        if case.mode == "served" and not case.options:
            self._see(rule, SERVED, case)
        if not rule.seen & REJECTED and (rule.known.limit is None or self._is_beyond(rule.known, case, error)):
            self._see(rule, REJECTED, case)

    def _see(self, rule: _Rule, mark: int, case: Case) -> None:
        """Record an observation of a rule."""
        if not rule.seen & mark:
            rule.seen |= mark
            known = rule.known.rule
            self.on_first(case, f"rule {known.path} {known.type} {known.origin} {known.tag} {mark}")

    def _rules_for(self, side: _Side, error: FieldError) -> tuple[_Rule, ...] | _UnknownError:
        if not side.is_handwritten:
            path = canonical_path(error.field)
            found = self._declared.get((path, error.type, error.origin))
            return tuple(found or self._below_keys(path, error) if self._servers else found or ())
        path = canonical_path(self._normalize(error.field))
        key = path, error.type, error.origin
        rules = self._handwritten.get(key) or (self._loose.get(key[:2]) if self._servers else None)
        if rules:
            return tuple(rules)
        if key in self._covered:
            return ()
        if key not in self._unknown_errors:
            self._unknown_errors[key] = _UnknownError(path, error, self._near.get(key[:2], ""))
        return self._unknown_errors[key]

    def _below_keys(self, path: str, error: FieldError) -> list[_Rule]:
        """Return the rules of an error whose path has the keys of maps as names, as schemas of OpenAPI report them."""
        declared = ((rule, rule.known.rule) for rule in self._rules if ITEMS in rule.known.rule.path)
        return [
            rule for rule, one in declared
            if (one.type, one.origin) == (error.type, error.origin) and _with_keys(one.path).fullmatch(path)
        ]  # fmt: skip

    def _is_beyond(self, known: KnownRule, case: Case, error: FieldError) -> bool:
        place, _ = resolve_path(error.field)
        return is_at(known, look(case.object, place), 1)

    def _record_accepted(self, case: Case) -> None:
        if self._servers and case.subresource == SCALE:
            return  # it takes one number of the new object: what else is new there was not validated
        seen: list[int] = []
        self._uncovered.look(*self._validated_pair(case), seen)
        for number in seen:
            self._see(self._rules[number], ACCEPTED, case)
        if seen:
            self._limits.record_accepted(seen)

    def _record_rejected(
        self, case: Case, declarative: Sequence[FieldError], handwritten: Sequence[FieldError]
    ) -> None:
        """Record for the rules at whose limit a rejected object is with which errors it was rejected."""
        if self._servers and case.subresource == SCALE:
            return
        side = self._sides[case.operation][0]

        def firing() -> set[int]:
            fired = (self._rules_for(side, error) for error in declarative)
            return {rule.number for rules in fired if isinstance(rules, tuple) for rule in rules}

        errors = declarative if self._servers else (*declarative, *handwritten)
        self._limits.record_rejected(*self._validated_pair(case), errors, firing)

    def _validated_pair(self, case: Case) -> tuple[object, object]:
        """Return the parts of the new and the old object that a request can write; `CREATED` if there is no old one."""
        new = self._validated(case, case.object)
        return new, CREATED if case.operation is Operation.CREATE else self._validated(case, case.old)

    def _validated(self, case: Case, obj: object) -> object:
        """Return the part of an object that the request can write: the status, or everything else."""
        if case.mode != "served" or not self._has_status or not isinstance(obj, dict):
            return obj
        return {STATUS: obj.get(STATUS)} if case.subresource == STATUS else without_status(obj)

    # Results

    def aims(self) -> list[Aim]:
        """Return the rules that have not fired, then those not seen at their limit, then those not seen to accept."""
        rules = self._rules
        silent = [rule.aim("reject") for rule in rules if not rule.seen & FIRED]
        beyond = [rule.aim("reject") for rule in rules if rule.seen & FIRED and not rule.seen & REJECTED]
        limits = [rule.aim("accept") for rule in rules if rule.known.limit is not None and not rule.seen & ACCEPTED]
        others = [rule.aim("accept") for rule in rules if rule.known.limit is None and not rule.seen & ACCEPTED]
        return [*silent, *beyond, *limits, *others]

    def outcome(self) -> Observed:
        """Return the outcome so far."""
        info = self._info
        return Observed(
            self._type,
            dict(self._sights()),
            tuple(
                Uncovered(
                    info.group, info.version, info.kind, one.path, str(one.error.type), one.error.origin, one.count,
                    one.error.text, one.error.covered, one.near,
                )
                for one in self._unknown_errors.values()
            ),
        )  # fmt: skip

    def _sights(self) -> Iterator[tuple[int, Sight]]:
        for rule in self._rules:
            why = self._limits.why(rule.number)
            if rule.seen or why is not None:
                yield rule.number, Sight(rule.seen, rule.first, why)
