"""Looks on at a run and applies every filter whose mutant was not killed yet to the answers that it changes.

One run judges all mutants of all rules at once. What a filter makes of an answer goes to the same comparator; a
difference counts when no original answer of the run shows it. For each filter an answer of one sort (operation, and the
errors of both sides without values) is judged once, and at most `MOST` sorts are, so that the cost is bounded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.engine.plan import key_of
from harness.engine.units import LaneKey, Unit
from harness.field import FieldError
from harness.field.facts import RuleLimit, measured
from harness.fuzzers.aims import Aim
from harness.jsonpath import ABSENT, canonical_path, find, look, path_of, pattern_of
from harness.power.filters import (
    LIMIT_DOWN,
    LIMIT_UP,
    NO_RATCHETING,
    ON_COUNTERPARTS,
    ON_ERRORS,
    UPDATES,
    RuleKey,
    limit_of,
)  # fmt: skip
from harness.power.judge import Comparators, Compared, Signature, comparators_of
from harness.power.mutant import Record
from harness.subject import Subject

MOST = 200
"""How many sorts of answers one filter is tried on."""
SERVED = Compared()
KEPT = 3
"""How many cases at a limit are kept, and how many differences of one filter."""
VALUES = 40
"""How many bad values of one rule are remembered."""


@dataclass(frozen=True, slots=True)
class Power:
    """Makes the observers of a run. `trusted` is the file of trusted wordings."""

    trusted: Path | None = None

    def observer(self, subject: Subject, unit: Unit) -> MutantObserver:
        """Return the observer of one unit."""
        return MutantObserver(unit, comparators_of(subject, unit, self.trusted), Compared.of(subject))


@dataclass(slots=True)
class MutantTrial:
    """One filter of one rule: what it was tried on, and the differences that showed, with words for each.

    `hidden` says that a difference showed which the original answers show too.
    """

    tried: set[Hashable] = field(default_factory=set)
    shown: dict[Signature, str] = field(default_factory=dict)
    hidden: bool = False


@dataclass(slots=True)
class BoundaryCases:
    """The values next to a limit that were seen: the least one rejected, the last one accepted below it."""

    size: int | None = None
    cases: list[tuple[Case, Answer, str]] = field(default_factory=list)

    def offer(self, size: int, is_better: bool, case: Case, answer: Answer, place: str) -> None:
        """Keep a case that is nearer to the limit, or one of the first that are as near."""
        if self.size is None or is_better:
            self.size, self.cases = size, []
        if size == self.size and len(self.cases) < KEPT:
            self.cases.append((case, answer, place))


@dataclass(slots=True)
class ObservedRule:
    """What is known of one rule; `limit` is None when it has none."""

    key: RuleKey
    example: FieldError
    parts: tuple[str, ...]
    limit: RuleLimit | None
    attempts: dict[str, MutantTrial] = field(default_factory=dict)
    lanes: set[LaneKey] = field(default_factory=set)
    has_counterpart: bool = False
    rejected: BoundaryCases = field(default_factory=BoundaryCases)
    accepted: BoundaryCases = field(default_factory=BoundaryCases)
    bad: set[str] = field(default_factory=set)
    depends: bool = False
    without_ratcheting: MutantTrial = field(default_factory=MutantTrial)

    @property
    def way(self) -> int:
        """1 for a rule that rejects what is too large, -1 for one that rejects what is too small, 0 for others."""
        return 0 if self.limit is None else self.limit.beyond

    def size_of(self, value: Json) -> int | None:
        """Return what the rule's limit counts of a value, None for nothing."""
        return None if self.limit is None else measured(self.limit.measure, value)

    @property
    def looks_at_values(self) -> bool:
        """Whether accepted answers can say something of this rule."""
        return self.limit is not None or (bool(self.bad) and not self.depends)


class MutantObserver:
    """The observer of one unit."""

    def __init__(self, unit: Unit, comparators: Comparators, compared: Compared = SERVED) -> None:
        self._unit, self._comparators, self._compared = unit, comparators, compared
        self._rules: dict[RuleKey, ObservedRule] = {}
        self._original: set[Signature] = set()

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Try the filters on a batch."""
        for case, answer in zip(cases, answers, strict=True):
            comparator = self._comparators.get(key_of(case))
            if comparator is not None and answer.failure is None and self._compared.has(case):
                # Only the two lists: filters say nothing of other versions, nor of what the target composes.
                plain = Answer(answer.id, answer.handwritten, answer.declarative)
                self._look(case, plain, comparator)

    def aims(self) -> Sequence[Aim]:
        """Ask for nothing: what is judged is the search as it is."""
        return ()

    def outcome(self) -> tuple[Record, ...]:
        """Return what became of every mutant of every rule that was seen."""
        return tuple(record for rule in self._rules.values() for record in self._records(rule))

    # Errors

    def _look(self, case: Case, answer: Answer, comparator: Comparator) -> None:
        lane = key_of(case), case.operation
        for mismatch in comparator.compare(case, answer):
            self._original.add((*lane, mismatch.signature))
        if answer.declarative:
            sort = _sort_of(case, answer)
            for key, error in {RuleKey.of(error): error for error in answer.declarative}.items():
                rule = self._rules.get(key)
                if rule is None:
                    rule = self._rules[key] = ObservedRule(key, error, pattern_of(key.path), limit_of(key))
                rule.lanes.add(lane)
                self._try_filters(rule, case, answer, comparator, sort)
                self._note_rejected(rule, case, answer)
        else:
            for rule in self._rules.values():
                if lane in rule.lanes and rule.looks_at_values:
                    self._note_accepted(rule, case, answer)

    def _try_filters(
        self, rule: ObservedRule, case: Case, answer: Answer, comparator: Comparator, sort: Hashable
    ) -> None:
        own = [error for error in answer.declarative if RuleKey.of(error) == rule.key]

        def is_counterpart(error: FieldError) -> bool:
            return any(comparator.matcher.matches(error, other) for other in own)

        rule.has_counterpart = rule.has_counterpart or any(map(is_counterpart, answer.handwritten))
        for name, apply, _ in ON_ERRORS:
            attempt = rule.attempts.setdefault(name, MutantTrial())
            if sort in attempt.tried or len(attempt.tried) >= MOST or self._is_killed(attempt):
                continue
            attempt.tried.add(sort)
            self._judge(attempt, case, answer, apply(rule.key, answer, case.operation, is_counterpart))

    def _judge(self, attempt: MutantTrial, case: Case, answer: Answer, mutated: Answer) -> None:
        """Note what a mutated answer shows that no original one did."""
        comparator = self._comparators[key_of(case)]
        anyway = {mismatch.signature for mismatch in comparator.compare(case, answer)}
        for mismatch in comparator.compare(case, mutated):
            signature = (key_of(case), case.operation, mismatch.signature)
            if signature not in self._original and len(attempt.shown) < KEPT:
                attempt.shown[signature] = f"{mismatch.kind}: {mismatch.detail}"
            elif mismatch.signature not in anyway:
                attempt.hidden = True

    def _is_killed(self, attempt: MutantTrial) -> bool:
        """Whether a difference is left that no original answer has shown since."""
        return any(signature not in self._original for signature in attempt.shown)

    # Values

    def _note_rejected(self, rule: ObservedRule, case: Case, answer: Answer) -> None:
        for error in answer.declarative:
            if RuleKey.of(error) != rule.key:
                continue
            value = look(case.object, path_of(error.field))
            if case.operation is Operation.CREATE and len(rule.bad) < VALUES:
                rule.bad.add(_text_of(value))
            size, way = rule.size_of(value), rule.way
            if way == 0 or size is None:
                continue
            known = rule.rejected.size
            rule.rejected.offer(size, known is not None and size * way < known * way, case, answer, error.field)
            if rule.accepted.size is not None and rule.accepted.size * way >= size * way:
                rule.accepted = BoundaryCases()

    def _note_accepted(self, rule: ObservedRule, case: Case, answer: Answer) -> None:
        """Learn of a limit, and see what a rule without ratcheting would have said."""
        way, limit = rule.way, rule.rejected.size
        for place, value in find(case.object, rule.parts):
            same = _is_unchanged(case, place, value)
            if rule.bad and not rule.depends and _text_of(value) in rule.bad:
                if case.operation is Operation.CREATE:
                    rule.depends = True
                elif same:
                    self._skip_ratcheting(rule, case, answer, place)
            size = None if same or limit is None else rule.size_of(value)
            if size is not None and limit is not None and size * way < limit * way:
                known = rule.accepted.size
                rule.accepted.offer(size, known is not None and size * way > known * way, case, answer, place)

    def _skip_ratcheting(self, rule: ObservedRule, case: Case, answer: Answer, place: str) -> None:
        attempt, sort = rule.without_ratcheting, (_sort_of(case, answer), place)
        if sort not in attempt.tried and len(attempt.tried) < MOST and not self._is_killed(attempt):
            attempt.tried.add(sort)
            self._judge(attempt, case, answer, _with_error(rule, answer, place))

    # What came of it

    def _records(self, rule: ObservedRule) -> Iterator[Record]:
        for name, _, shown_by in ON_ERRORS:
            if name not in ON_COUNTERPARTS or rule.has_counterpart:
                reason = NO_UPDATE if name == UPDATES and not _fires_on_update(rule) else ""
                yield self._record(rule, name, rule.attempts[name], shown_by, reason)
        if rule.limit is not None:
            yield from self._of_limit(rule)
        if rule.bad and not rule.depends and _fires_on_update(rule):
            shown_by = "an update that leaves an invalid value as it is, on which both sides agree"
            reason = "" if rule.without_ratcheting.tried else "no such update was answered without declarative errors"
            yield self._record(rule, NO_RATCHETING, rule.without_ratcheting, shown_by, reason)

    def _of_limit(self, rule: ObservedRule) -> Iterator[Record]:
        way, rejected, accepted = rule.way, rule.rejected, rule.accepted
        wider, narrower = MutantTrial(), MutantTrial()
        known = None not in (rejected.size, accepted.size) and rejected.size == (accepted.size or 0) + way
        for case, answer, place in rejected.cases if known else ():
            left = tuple(e for e in answer.declarative if RuleKey.of(e) != rule.key or e.field != place)
            self._judge(wider, case, answer, msgspec.structs.replace(answer, declarative=left))
        for case, answer, place in accepted.cases if known else ():
            self._judge(narrower, case, answer, _with_error(rule, answer, place))
        reason = "" if known else f"the limit is not known: rejected at {rejected.size}, accepted at {accepted.size}"
        names = (LIMIT_UP, LIMIT_DOWN) if way > 0 else (LIMIT_DOWN, LIMIT_UP)
        shown_by = "a value at the limit and the next one, on which both sides agree"
        yield self._record(rule, names[0], wider, shown_by, reason)
        yield self._record(rule, names[1], narrower, shown_by, reason)

    def _record(
        self, rule: ObservedRule, operator: str, attempt: MutantTrial, shown_by: str, reason: str = ""
    ) -> Record:
        info = self._unit.lanes[0].info
        shown = next((text for signature, text in attempt.shown.items() if signature not in self._original), "")
        location = location_of(info, rule.key.path)
        side = "handwritten" if operator in ON_COUNTERPARTS else "declarative"
        if not shown and not reason:
            reason = HIDDEN if attempt.hidden else UNSEEN if rule.has_counterpart else NO_COUNTERPART
        return Record(
            name=f"{side} {location}: {rule.key.words}: {operator}", side=side, operator=operator, location=location,
            rule=rule.key.words, state="killed" if shown else "survived", shown=shown,
            reason="" if shown else reason, shown_by="" if shown else shown_by,
        )  # fmt: skip


HIDDEN = "the run shows the same difference without it"
UNSEEN = "nothing that is compared differs"
NO_UPDATE = "the rule was never seen to fire on an update"
NO_COUNTERPART = "no handwritten counterpart: nothing is compared with the rule"
NEVER_FIRED = "the rule was never seen to fire"


def location_of(info: KindInfo, path: str) -> str:
    """Return where a rule stands, for people."""
    return f"{info.api_version} {info.kind} {path}".rstrip()


def records_of_silent_rule(location: str, words: str) -> list[Record]:
    """Return the records of a declared rule that no answer showed: every mutant of it survives."""
    return [
        Record(
            f"declarative {location}: {words}: {name}", "declarative", name, location, words, "survived", "",
            NEVER_FIRED, shown_by,
        )
        for name, _, shown_by in ON_ERRORS
        if name not in ON_COUNTERPARTS
    ]  # fmt: skip


def _fires_on_update(rule: ObservedRule) -> bool:
    return any(operation is Operation.UPDATE for _, operation in rule.lanes)


def _sort_of(case: Case, answer: Answer) -> Hashable:
    """What makes two answers alike for a filter: the operation, and the errors of both sides without their values."""
    sides = tuple(
        frozenset((e.type, canonical_path(e.field), e.origin, e.level, e.covered) for e in errors)
        for errors in (answer.handwritten, answer.declarative)
    )
    return key_of(case), case.operation, sides


def _with_error(rule: ObservedRule, answer: Answer, place: str) -> Answer:
    """Return an answer in which the rule also speaks at a place, in the words it used elsewhere."""
    error = msgspec.structs.replace(rule.example, field=place)
    return msgspec.structs.replace(answer, declarative=(*answer.declarative, error))


def _is_unchanged(case: Case, place: str, value: Json) -> bool:
    return case.operation is Operation.UPDATE and _text_of(look(case.old, path_of(place))) == _text_of(value)


def _text_of(value: Json) -> str:
    return "missing" if value is ABSENT else repr(value)
