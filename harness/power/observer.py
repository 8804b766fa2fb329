"""The observer of mutation testing for targets: applies filters to the answers of a run, as mutants of its rules.

One run judges all mutants of all rules. A filter changes an answer as a broken validator would, and the comparator
compares the changed answer. A difference kills the mutant if no original answer of the run shows it. To bound the cost,
each filter is tried once for each answer class (the operation and the errors of both lists without values), and for at
most `MAX_ANSWER_CLASSES` of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from harness.case import Answer, Case, Json, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.engine.plan import key_of
from harness.engine.units import RequestKey, Unit
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

MAX_ANSWER_CLASSES = 200
"""At most so many classes of answers are tried with one filter."""
SERVED = Compared()
MAX_KEPT = 3
"""At most so many cases at a limit are kept, and so many differences of one filter."""
MAX_REJECTED_VALUES = 40
"""At most so many rejected values of one rule are remembered."""


@dataclass(frozen=True, slots=True)
class Power:
    """Creates the observers of a run. `trusted` is the file of trusted wordings."""

    trusted: Path | None = None

    def observer(self, subject: Subject, unit: Unit) -> MutantObserver:
        """Return the observer of one unit."""
        return MutantObserver(unit, comparators_of(subject, unit, self.trusted), Compared.of(subject))


@dataclass(slots=True)
class MutantTrial:
    """The trials of one filter of one rule: the answer classes, and the differences seen, each with its description.

    `hidden`: a difference was seen that an original answer shows too.
    """

    tried: set[Hashable] = field(default_factory=set)
    shown: dict[Signature, str] = field(default_factory=dict)
    hidden: bool = False


@dataclass(slots=True)
class BoundaryCases:
    """The cases closest to a limit on one side of it: the least excess rejected, or the last size accepted."""

    size: int | None = None
    cases: list[tuple[Case, Answer, str]] = field(default_factory=list)

    def offer(self, size: int, is_better: bool, case: Case, answer: Answer, path: str) -> None:
        """Keep a case that is closer to the limit, or one of the first that are equally close."""
        if self.size is None or is_better:
            self.size, self.cases = size, []
        if size == self.size and len(self.cases) < MAX_KEPT:
            self.cases.append((case, answer, path))


@dataclass(slots=True)
class ObservedRule:
    """The observations of one rule. `limit` is None for a rule without one.

    `rejected_values` are values that the rule rejected on create; `depends`: it accepted such a value too, so that it
    depends on more than the value.
    """

    key: RuleKey
    example: FieldError
    parts: tuple[str, ...]
    limit: RuleLimit | None
    attempts: dict[str, MutantTrial] = field(default_factory=dict)
    requests: set[RequestKey] = field(default_factory=set)
    has_counterpart: bool = False
    rejected: BoundaryCases = field(default_factory=BoundaryCases)
    accepted: BoundaryCases = field(default_factory=BoundaryCases)
    rejected_values: set[str] = field(default_factory=set)
    depends: bool = False
    without_ratcheting: MutantTrial = field(default_factory=MutantTrial)

    @property
    def direction(self) -> int:
        """1 if the rule rejects values above its limit, -1 if it rejects those below, 0 without a limit."""
        return 0 if self.limit is None else self.limit.beyond

    def size_of(self, value: Json) -> int | None:
        """Return the size of a value as the rule's limit measures it; None without a limit or size."""
        return None if self.limit is None else measured(self.limit.measure, value)

    @property
    def looks_at_values(self) -> bool:
        """Whether accepted answers are evidence about this rule."""
        return self.limit is not None or (bool(self.rejected_values) and not self.depends)


class MutantObserver:
    """The observer of one unit."""

    def __init__(self, unit: Unit, comparators: Comparators, compared: Compared = SERVED) -> None:
        self._unit, self._comparators, self._compared = unit, comparators, compared
        self._rules: dict[RuleKey, ObservedRule] = {}
        self._original: set[Signature] = set()

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Apply the filters to a batch."""
        for case, answer in zip(cases, answers, strict=True):
            comparator = self._comparators.get(key_of(case))
            if comparator is not None and answer.failure is None and self._compared.has(case):
                # Filters apply to the two lists only, not to other versions or composed lists.
                plain = Answer(answer.id, answer.handwritten, answer.declarative)
                self._look(case, plain, comparator)

    def aims(self) -> Sequence[Aim]:
        """Return no aims: the search must not change."""
        return ()

    def outcome(self) -> tuple[Record, ...]:
        """Return the record of every mutant of every rule that fired."""
        return tuple(record for rule in self._rules.values() for record in self._records(rule))

    # Errors

    def _look(self, case: Case, answer: Answer, comparator: Comparator) -> None:
        request = key_of(case), case.operation
        for mismatch in comparator.compare(case, answer):
            self._original.add((*request, mismatch.signature))
        if answer.declarative:
            answer_class = _class_of(case, answer)
            for key, error in {RuleKey.of(error): error for error in answer.declarative}.items():
                rule = self._rules.get(key)
                if rule is None:
                    rule = self._rules[key] = ObservedRule(key, error, pattern_of(key.path), limit_of(key))
                rule.requests.add(request)
                self._try_filters(rule, case, answer, comparator, answer_class)
                self._record_rejected(rule, case, answer)
        else:
            for rule in self._rules.values():
                if request in rule.requests and rule.looks_at_values:
                    self._record_accepted(rule, case, answer)

    def _try_filters(
        self, rule: ObservedRule, case: Case, answer: Answer, comparator: Comparator, answer_class: Hashable
    ) -> None:
        own = [error for error in answer.declarative if RuleKey.of(error) == rule.key]

        def is_counterpart(error: FieldError) -> bool:
            return any(comparator.matcher.matches(error, other) for other in own)

        rule.has_counterpart = rule.has_counterpart or any(map(is_counterpart, answer.handwritten))
        for name, apply, _ in ON_ERRORS:
            attempt = rule.attempts.setdefault(name, MutantTrial())
            if answer_class in attempt.tried or len(attempt.tried) >= MAX_ANSWER_CLASSES or self._is_killed(attempt):
                continue
            attempt.tried.add(answer_class)
            self._judge(attempt, case, answer, apply(rule.key, answer, case.operation, is_counterpart))

    def _judge(self, attempt: MutantTrial, case: Case, answer: Answer, mutated: Answer) -> None:
        """Compare a mutated answer, and record differences that no original answer shows."""
        comparator = self._comparators[key_of(case)]
        original = {mismatch.signature for mismatch in comparator.compare(case, answer)}
        for mismatch in comparator.compare(case, mutated):
            signature = (key_of(case), case.operation, mismatch.signature)
            if signature not in self._original and len(attempt.shown) < MAX_KEPT:
                attempt.shown[signature] = f"{mismatch.kind}: {mismatch.detail}"
            elif mismatch.signature not in original:
                attempt.hidden = True

    def _is_killed(self, attempt: MutantTrial) -> bool:
        """Whether one of its differences is still not shown by any original answer."""
        return any(signature not in self._original for signature in attempt.shown)

    # Values

    def _record_rejected(self, rule: ObservedRule, case: Case, answer: Answer) -> None:
        for error in answer.declarative:
            if RuleKey.of(error) != rule.key:
                continue
            value = look(case.object, path_of(error.field))
            if case.operation is Operation.CREATE and len(rule.rejected_values) < MAX_REJECTED_VALUES:
                rule.rejected_values.add(_text_of(value))
            size, direction = rule.size_of(value), rule.direction
            if direction == 0 or size is None:
                continue
            known = rule.rejected.size
            rule.rejected.offer(
                size, known is not None and size * direction < known * direction, case, answer, error.field
            )
            if rule.accepted.size is not None and rule.accepted.size * direction >= size * direction:
                rule.accepted = BoundaryCases()

    def _record_accepted(self, rule: ObservedRule, case: Case, answer: Answer) -> None:
        """Update the limit from accepted values, and apply the filter for missing ratcheting to unchanged ones."""
        direction, limit = rule.direction, rule.rejected.size
        for path, value in find(case.object, rule.parts):
            same = _is_unchanged(case, path, value)
            if rule.rejected_values and not rule.depends and _text_of(value) in rule.rejected_values:
                if case.operation is Operation.CREATE:
                    rule.depends = True
                elif same:
                    self._skip_ratcheting(rule, case, answer, path)
            size = None if same or limit is None else rule.size_of(value)
            if size is not None and limit is not None and size * direction < limit * direction:
                known = rule.accepted.size
                rule.accepted.offer(
                    size, known is not None and size * direction > known * direction, case, answer, path
                )

    def _skip_ratcheting(self, rule: ObservedRule, case: Case, answer: Answer, path: str) -> None:
        attempt, answer_class = rule.without_ratcheting, (_class_of(case, answer), path)
        if (
            answer_class not in attempt.tried
            and len(attempt.tried) < MAX_ANSWER_CLASSES
            and not self._is_killed(attempt)
        ):
            attempt.tried.add(answer_class)
            self._judge(attempt, case, answer, _with_error(rule, answer, path))

    # Results

    def _records(self, rule: ObservedRule) -> Iterator[Record]:
        for name, _, shown_by in ON_ERRORS:
            if name not in ON_COUNTERPARTS or rule.has_counterpart:
                reason = NO_UPDATE if name == UPDATES and not _fires_on_update(rule) else ""
                yield self._record(rule, name, rule.attempts[name], shown_by, reason)
        if rule.limit is not None:
            yield from self._limit_records(rule)
        if rule.rejected_values and not rule.depends and _fires_on_update(rule):
            shown_by = "an update that leaves an invalid value as it is, on which both sides agree"
            reason = "" if rule.without_ratcheting.tried else "no such update was answered without declarative errors"
            yield self._record(rule, NO_RATCHETING, rule.without_ratcheting, shown_by, reason)

    def _limit_records(self, rule: ObservedRule) -> Iterator[Record]:
        direction, rejected, accepted = rule.direction, rule.rejected, rule.accepted
        wider, narrower = MutantTrial(), MutantTrial()
        known = None not in (rejected.size, accepted.size) and rejected.size == (accepted.size or 0) + direction
        for case, answer, path in rejected.cases if known else ():
            left = tuple(e for e in answer.declarative if RuleKey.of(e) != rule.key or e.field != path)
            self._judge(wider, case, answer, msgspec.structs.replace(answer, declarative=left))
        for case, answer, path in accepted.cases if known else ():
            self._judge(narrower, case, answer, _with_error(rule, answer, path))
        reason = "" if known else f"the limit is not known: rejected at {rejected.size}, accepted at {accepted.size}"
        names = (LIMIT_UP, LIMIT_DOWN) if direction > 0 else (LIMIT_DOWN, LIMIT_UP)
        shown_by = "a value at the limit and the next one, on which both sides agree"
        yield self._record(rule, names[0], wider, shown_by, reason)
        yield self._record(rule, names[1], narrower, shown_by, reason)

    def _record(
        self, rule: ObservedRule, operator: str, attempt: MutantTrial, shown_by: str, reason: str = ""
    ) -> Record:
        info = self._unit.requests[0].info
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
    """Return the displayed location of a rule: apiVersion, kind and path."""
    return f"{info.api_version} {info.kind} {path}".rstrip()


def records_of_silent_rule(location: str, words: str) -> list[Record]:
    """Return the records of a declared rule that never fired: all its mutants survive."""
    return [
        Record(
            f"declarative {location}: {words}: {name}", "declarative", name, location, words, "survived", "",
            NEVER_FIRED, shown_by,
        )
        for name, _, shown_by in ON_ERRORS
        if name not in ON_COUNTERPARTS
    ]  # fmt: skip


def _fires_on_update(rule: ObservedRule) -> bool:
    return any(operation is Operation.UPDATE for _, operation in rule.requests)


def _class_of(case: Case, answer: Answer) -> Hashable:
    """Return the class of an answer for filters: the operation, and the errors of both lists without their values."""
    sides = tuple(
        frozenset((e.type, canonical_path(e.field), e.origin, e.level, e.covered) for e in errors)
        for errors in (answer.handwritten, answer.declarative)
    )
    return key_of(case), case.operation, sides


def _with_error(rule: ObservedRule, answer: Answer, path: str) -> Answer:
    """Return an answer with one more error of the rule at a path, with the detail of another of its errors."""
    error = msgspec.structs.replace(rule.example, field=path)
    return msgspec.structs.replace(answer, declarative=(*answer.declarative, error))


def _is_unchanged(case: Case, path: str, value: Json) -> bool:
    return case.operation is Operation.UPDATE and _text_of(look(case.old, path_of(path))) == _text_of(value)


def _text_of(value: Json) -> str:
    return "missing" if value is ABSENT else repr(value)
