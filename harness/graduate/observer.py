"""The observer of graduation: what a run asks of each chosen rule, and what would change if it became standard.

It looks at every answer that the run compares, on objects as a server validates them. A rule is known by the keys of
its errors; its tag is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.comparator import is_unchanged
from harness.compare.mismatch import is_panic
from harness.engine.plan import key_of
from harness.engine.units import Unit
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import Wordings, all_wordings
from harness.field import FieldError
from harness.fuzzers.shapepaths import resolve_path
from harness.graduate.after import EFFECTS, Effects, RuleErrors, compare_after
from harness.graduate.values import ValueTree
from harness.jsonpath import ABSENT, look
from harness.memory import Memory, Room
from harness.objectmodel import STATUS, without_status
from harness.rulecov.accepting import CREATED, UncoveredRules, is_at
from harness.rulecov.inventory import KnownRule
from harness.subject import Subject

NAME = "graduate"
"""The name of the observer in a run."""

_REMEMBERED = Room(12_000)
"""The memory for known errors; their paths contain map keys, so their number is not bounded otherwise."""
_EMPTY: tuple[Any, ...] = (ABSENT, None, "", [], {})
_MAX_REJECTED = 12
"""At most so many rejected values of one rule are remembered, to be met again in old objects."""
_MAX_COMPARED = 6
"""At most so many objects of one rule are kept for updates that differ by an empty value."""


class Asked(msgspec.Struct):
    """What one request (version, resource or subresource, and operation) was asked about one rule.

    `cases` have the value that the rule checks, or what holds it, and `accepted` of them neither side rejects for any
    reason. `both`, `rule` and `check` count the answers in which both sides report the error, the rule alone, and the
    handwritten check alone. `at_limit`: an accepted object shows the rule accepting, at its limit if it has one;
    `beyond`: the rule rejected, just beyond its limit if it has one. `kept` counts updates that leave alone a value
    that the rule was seen to reject, with no error of either side about it, and `held` those that both sides reject.
    """

    request: str
    version: str
    subresource: str
    operation: str
    cases: int = 0
    accepted: int = 0
    both: int = 0
    rule: int = 0
    check: int = 0
    at_limit: bool = False
    beyond: bool = False
    kept: int = 0
    held: int = 0

    def add(self, other: Asked) -> None:
        """Add what the same request was asked in another part of the run."""
        for name in ("cases", "accepted", "both", "rule", "check", "kept", "held"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.at_limit |= other.at_limit
        self.beyond |= other.beyond


class ShownEffect(msgspec.Struct, frozen=True):
    """The smallest object that shows an effect of graduation, of those that the run asked. `times` counts them all.

    `ratcheting`: the update leaves alone what the errors are about, so that rules let it through by design.
    """

    effects: Effects
    case: Case
    ratcheting: bool = False
    times: int = 1

    @property
    def name(self) -> str:
        """The effect, and whether it is of ratcheting: what is counted apart."""
        return name_of_effect(self.effects.effect, self.ratcheting)

    def joined(self, other: ShownEffect) -> ShownEffect:
        """Return the one with the smaller case, with the times of both."""
        smaller = self if _size(self.case) <= _size(other.case) else other
        return msgspec.structs.replace(smaller, times=self.times + other.times)


def name_of_effect(effect: str, ratcheting: bool) -> str:
    """Return the name of an effect, which is counted apart where it is of ratcheting."""
    return f"{effect} (ratcheting)" if ratcheting else effect


class Watched(msgspec.Struct):
    """What one unit shows of one rule: its requests, the effects of its graduation, and a case of its check.

    `enforced`: the strategies asked serve rules at all. `crashes` counts answers in which the declarative validators
    crashed, which say nothing about the rule. `compared` are cases with a value that a rule about changes accepts, or
    that another rejects and an update left alone.
    """

    asked: dict[str, Asked]
    shown: dict[str, ShownEffect]
    example: Case | None = None
    enforced: bool = True
    crashes: int = 0
    compared: list[Case] = []

    def keep(self, case: Case) -> None:
        """Keep a case for updates that differ by an empty value, if there is room."""
        if len(self.compared) < _MAX_COMPARED:
            self.compared.append(case)


class WatchedUnit(msgspec.Struct, frozen=True):
    """The outcome of one unit, by the number of each chosen rule of its type."""

    type: str
    rules: dict[int, Watched]


@dataclass(frozen=True)
class GraduationFactory:
    """Creates the observers of a run. `rules` are the chosen rules of each Go type, `trusted` is a file of wordings."""

    rules: Mapping[str, tuple[KnownRule, ...]]
    trusted: Path | None = None

    def observer(self, subject: Subject, unit: Unit) -> GraduationObserver:
        """Return the observer of one unit."""
        info = unit.requests[0].info
        siblings = {
            one.subresource
            for one in subject.target.info.kinds
            if (one.group, one.version, one.resource, one.type) == (info.group, info.version, info.resource, info.type)
        }
        return GraduationObserver(
            unit, self.rules.get(info.type, ()), all_wordings(self.trusted), subject.spec.mode,
            has_status=STATUS in siblings and len(siblings) > 1,
        )  # fmt: skip


@dataclass(slots=True)
class _Watch:
    """A chosen rule and what was seen of it. `rejected` are values that it rejected."""

    known: KnownRule
    errors: RuleErrors
    seen: Watched
    rejected: list[Any] = field(default_factory=list)

    def offer(self, shown: ShownEffect) -> None:
        """Record an effect with its case, if there is no smaller one."""
        known = self.seen.shown.get(shown.name)
        self.seen.shown[shown.name] = shown if known is None else known.joined(shown)


class GraduationObserver:
    """The observer of one unit."""

    def __init__(
        self, unit: Unit, rules: Sequence[KnownRule], trusted: Wordings, mode: str, *, has_status: bool = False
    ) -> None:
        self._trusted, self._mode, self._has_status = trusted, mode, has_status
        self._type = unit.requests[0].info.type
        self._infos: dict[tuple[str, str, str, str], KindInfo] = {one.info.key: one.info for one in unit.requests}
        matcher = matcher_for(unit.requests[0].info.normalization)
        self._watches = [
            _Watch(
                known,
                RuleErrors.of(known.places, known.rule.type, known.rule.origin, known.rule.level, matcher),
                Watched({}, {}, enforced=unit.requests[0].info.composition != "shadow"),
            )
            for known in rules
        ]
        self._matcher = matcher
        self._tree = ValueTree()
        for number, known in enumerate(rules):
            self._tree.add(number, known.steps)
        self._accepting: dict[str, UncoveredRules] = {}
        for request in unit.requests:
            name = _name_of(request.info, request.operation)
            tree = self._accepting[name] = UncoveredRules()
            for number, known in enumerate(rules):
                tree.add(number, known)
                if self._takes(known, request.info.subresource):
                    info = request.info
                    self._watches[number].seen.asked[name] = Asked(
                        name, info.version, info.subresource, str(request.operation)
                    )
        self._known: Memory[tuple[str, str, str, str], tuple[int, ...]] = Memory(_REMEMBERED)

    def _takes(self, known: KnownRule, subresource: str) -> bool:
        """Whether a request can write the value that a rule checks: the status, or everything else."""
        if not self._splits(subresource) or not known.steps:
            return True
        return (known.steps[0] == STATUS) == (subresource == STATUS)

    def _splits(self, subresource: str) -> bool:
        """Whether a request writes the status alone, or everything else: others, such as `approval`, vary."""
        return self._mode == "served" and self._has_status and subresource in ("", STATUS)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record what a batch shows of the rules."""
        if not self._watches:
            return
        for case, answer in zip(cases, answers, strict=True):
            info = self._infos.get(key_of(case))
            if info is None or answer.failure is not None or case.mode != self._mode or case.options:
                continue
            if info.served and not answer.unreachable:
                self._look(case, answer, info)

    def aims(self) -> tuple[()]:
        """Return no aims: a run asks what it asks without this observer."""
        return ()

    def outcome(self) -> WatchedUnit:
        """Return what was seen so far."""
        return WatchedUnit(self._type, {number: watch.seen for number, watch in enumerate(self._watches)})

    def _look(self, case: Case, answer: Answer, info: KindInfo) -> None:
        name = _name_of(info, case.operation)
        reported = self._reported(answer)
        accepted = not answer.handwritten and not answer.declarative
        unchanged = self._count(case, name, accepted, reported)
        if accepted:
            self._accept(case, name)
            return
        crashed = any(map(is_panic, answer.declarative))
        for number, (check, rule) in reported.items():
            watch = self._watches[number]
            asked = watch.seen.asked.get(name)
            if crashed:
                watch.seen.crashes += 1
                continue
            if asked is not None:
                asked.both += bool(check and rule)
                asked.rule += bool(rule and not check)
                asked.check += bool(check and not rule)
                self._note_rejected(watch, asked, case, rule)
            if check and watch.seen.example is None:
                watch.seen.example = case
            if not _are_equal(check, rule) or info.composition != "levels":
                effects = compare_after(answer.handwritten, answer.declarative, watch.errors, info, self._trusted)
                if effects is not None:
                    kept = number in unchanged or all(is_unchanged(case, error.field) for error in (*check, *rule))
                    watch.offer(ShownEffect(effects, case, kept))

    def _reported(self, answer: Answer) -> dict[int, tuple[list[FieldError], list[FieldError]]]:
        """Return the errors of an answer by rule: those of its handwritten check, and its own."""
        found: dict[int, tuple[list[FieldError], list[FieldError]]] = {}
        for side, errors in enumerate((answer.handwritten, answer.declarative)):
            for error in errors:
                for number in self._rules_of(error, side):
                    found.setdefault(number, ([], []))[side].append(error)
        return found

    def _rules_of(self, error: FieldError, side: int) -> Iterable[int]:
        key = error.field, error.type, error.origin, f"{side}{error.level}"
        known = self._known.get(key)
        if known is None:
            known = tuple(
                number
                for number, watch in enumerate(self._watches)
                if (watch.errors.reports(error) if side else watch.errors.counts(error, self._matcher))
            )
            self._known.put(key, known)
        return known

    def _count(
        self, case: Case, name: str, accepted: bool, reported: Mapping[int, tuple[list[FieldError], list[FieldError]]]
    ) -> set[int]:
        """Count a case, and return the rules all of whose values it leaves alone, absent and empty ones being one."""
        old = CREATED if case.operation is Operation.CREATE else case.old
        counted: set[int] = set()
        changed: set[int] = set()
        for number, value, was in self._tree.values(case.object, old):
            watch = self._watches[number]
            asked = watch.seen.asked.get(name)
            if asked is None:
                continue  # the request cannot write the value
            same = value == was or (value in _EMPTY and was in _EMPTY)
            if not same and (number not in reported or without_empty(value) != without_empty(was)):
                changed.add(number)
            if number not in counted:
                counted.add(number)
                asked.cases += 1
                asked.accepted += accepted
            if same and old is not CREATED and accepted and watch.known.update and value not in _EMPTY:
                asked.at_limit = True  # what a rule about changes accepts is a value that stays
            if accepted and watch.known.update and value not in _EMPTY:
                watch.seen.keep(case)
            if watch.rejected and old is not CREATED and value == was and value in watch.rejected:
                check, rule = reported.get(number, ((), ()))
                asked.kept += not check and not rule
                asked.held += bool(check and rule)
                watch.seen.keep(case)
        for number in reported.keys() - counted:
            if (asked := self._watches[number].seen.asked.get(name)) is not None:
                asked.cases += 1
        return set() if old is CREATED else reported.keys() - changed

    def _note_rejected(self, watch: _Watch, asked: Asked, case: Case, errors: Sequence[FieldError]) -> None:
        known = watch.known
        for error in errors:
            place, _ = resolve_path(error.field)
            if known.limit is None or is_at(known, look(case.object, place), 1):
                asked.beyond = True
            value = look(case.object, place[: len(known.steps)])
            if len(watch.rejected) < _MAX_REJECTED and value not in watch.rejected:
                watch.rejected.append(value)

    def _accept(self, case: Case, name: str) -> None:
        tree = self._accepting[name]
        if not tree:
            return
        created = case.operation is Operation.CREATE
        new, old = self._validated(case, case.object), self._validated(case, case.old)
        seen: list[int] = []
        tree.look(new, CREATED if created else old, seen)
        for number in seen:
            if (asked := self._watches[number].seen.asked.get(name)) is not None:
                asked.at_limit = True

    def _validated(self, case: Case, obj: Any) -> Any:
        """Return the part of an object that the request can write: the status, or everything else."""
        if not self._splits(case.subresource) or not isinstance(obj, dict):
            return obj
        return {STATUS: obj.get(STATUS)} if case.subresource == STATUS else without_status(obj)


def _name_of(info: KindInfo, operation: Operation) -> str:
    return f"{info.name} {operation}"


def _are_equal(check: Sequence[FieldError], rule: Sequence[FieldError]) -> bool:
    """Whether the marked check and the rule report the same texts, so that one takes the other's place unnoticed."""
    if len(check) != len(rule) or not all(error.covered for error in check):
        return False
    texts = [error.text for error in check]
    return texts == [error.text for error in rule] and len(set(texts)) == len(texts)


def _size(case: Case) -> int:
    """Return the size of a case: the number of its values, and of the characters of its texts."""
    return _weight(case.object) + _weight(case.old)


def _weight(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(len(key) + _weight(one) for key, one in value.items())
    if isinstance(value, list):
        return 1 + sum(map(_weight, value))
    return 1 + (len(value) if isinstance(value, str) else 0)


def without_empty(value: Any) -> Any:
    """Return a value without empty members, as semantic equality sees it; absent where nothing is left."""
    if isinstance(value, dict):
        value = {name: left for name, one in value.items() if (left := without_empty(one)) is not ABSENT}
    elif isinstance(value, list):
        value = [without_empty(one) for one in value]
    return ABSENT if value in _EMPTY else value


def worst(shown: Mapping[str, ShownEffect]) -> ShownEffect | None:
    """Return the worst effect that was shown; of one effect, that which is not of ratcheting."""
    return min(shown.values(), key=lambda one: (EFFECTS.index(one.effects.effect), one.ratcheting), default=None)
