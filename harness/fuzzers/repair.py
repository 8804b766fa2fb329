"""Find an object that both sides accept by best-first search: ask about candidates, fix the errors of the best ones.

Both sides are the handwritten and the declarative validator. The search knows no kind. Values that no message names
(the content of a certificate, say) come from the pools of `values`. Validators return early, so that a good fix may
show more errors than before: progress is an error that went away, and a set of errors that no candidate had before.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Generator, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeAlias

from harness.case import Answer, Case, Json
from harness.field import ErrorType, FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.fixes import MAX_ERRORS, fix_all, fixes, fixes_for_decode_error
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import SeenValues
from harness.fuzzers.values import full_value, sparse_value
from harness.jsonpath import ABSENT, JsonPath, apply_all, look
from harness.objectmodel import METADATA, STATUS

CaseGenerator: TypeAlias = Generator[list[Case], list[Answer], list[Answer]]
Ask: TypeAlias = Callable[[list[Json]], CaseGenerator]
"""Turns objects into cases, yields the cases as one batch, and returns their answers."""

_MAX_EXPANSIONS = 12
"""A candidate is expanded at most this many times."""
_MAX_VISITS = 5
"""At most this many candidates with the same set of errors are queued."""
_MAX_DECODE_ERRORS = 20
"""At most this many objects that cannot be decoded are repaired."""
_MAX_FIXED_ERRORS = 8
"""Errors of a candidate that are fixed one at a time: at most this many, the first ones."""
_FIXES_PER_TURN = 4
"""Fixes of one error that are yielded before those of the next error."""
_VALUES = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")

ErrorKey: TypeAlias = tuple[str, str, str]
Side: TypeAlias = Literal["handwritten", "declarative", "both"]
"""The validators that report an error."""
MAX_REMAINING = 12
"""At most this many errors are reported of an object that was not accepted."""


@dataclass(frozen=True, slots=True)
class SeedObject:
    """An object that both sides accept. `focus` is the path of the part that only it has; empty for the first."""

    obj: Json
    focus: JsonPath = ()


@dataclass(frozen=True, slots=True)
class RepairResult:
    """An accepted object, or the best candidate and the errors that remained on the nearest one.

    `sides` names the validators that report each error. Errors that no edit ever removed come first, because they are
    the ones that keep the object from being accepted.
    """

    obj: Json
    accepted: bool
    remaining: tuple[str, ...] = ()
    asked: int = 0
    sides: tuple[Side, ...] = ()


@dataclass(slots=True)
class _Candidate:
    obj: Json
    errors: list[FieldError]
    options: Iterator[tuple[ErrorKey | None, Json]]
    answer: Answer | None = None
    keys: frozenset[ErrorKey] = frozenset()
    solved: frozenset[ErrorKey] = frozenset()
    expanded: int = 0

    @property
    def progress(self) -> int:
        """Score the errors that went away in this candidate and its parents, against those that are left."""
        return 2 * len(self.solved) - len(self.keys)

    @property
    def nearness(self) -> tuple[int, int]:
        """Score how near the candidate is to an accepted object, for reports.

        By paths, because another error at the same path is not progress. A wrong value is nearer than an absent one.
        """
        fields = {error.field for error in self.errors}
        solved = {field for _, field, _ in self.solved} - fields
        return 2 * len(solved) - len(fields), -sum(error.type == ErrorType.REQUIRED for error in self.errors)


@dataclass(frozen=True, slots=True)
class _Try:
    """An object to ask about, the error that it should remove, and the candidate from which it was edited."""

    obj: Json
    target: ErrorKey | None = None
    parent: _Candidate | None = None


def errors_of(answer: Answer) -> list[FieldError]:
    """Return the errors of both sides, in an order that does not depend on the order of a validator's maps."""
    return sorted((*answer.handwritten, *answer.declarative), key=_order)


def is_accepted(answer: Answer) -> bool:
    """Whether both sides accept the object, whatever the level of a rule."""
    return not answer.handwritten and not answer.declarative and answer.failure is None


def describe_errors(answer: Answer, last: Collection[str] = ()) -> tuple[tuple[str, ...], tuple[Side, ...]]:
    """Return the texts of the errors of an answer and the side of each; errors of fields in `last` come last."""
    handwritten, declarative = ({error.text for error in side} for side in (answer.handwritten, answer.declarative))
    errors = sorted(errors_of(answer), key=lambda error: error.field in last)
    texts = tuple(dict.fromkeys(error.text for error in errors))[:MAX_REMAINING]
    return texts, tuple(_side(text in handwritten, text in declarative) for text in texts)


def _side(is_handwritten: bool, is_declarative: bool) -> Side:
    if is_handwritten and is_declarative:
        return "both"
    return "handwritten" if is_handwritten else "declarative"


def _order(error: FieldError) -> tuple[int, str, str, str]:
    return error.field.count("."), error.field, error.type, error.detail


def _key(error: FieldError) -> ErrorKey:
    # Without the values in the message: the same error about another wrong value is not progress.
    return error.type, error.field, _VALUES.sub("", error.detail)[:24]


def first_candidates(shape: Shape, root: Json) -> list[Json]:
    """Return the root alone, with the members that have no `omitempty`, and with every member."""
    sparse, full = sparse_value(shape), full_value(shape)
    if not isinstance(sparse, dict) or not isinstance(full, dict):
        return [root]  # the type is not known: errors have to name the members
    left_out = () if shape.is_plain else (METADATA, STATUS)
    status = {name: value for name, value in sparse.items() if name not in left_out}
    everything = {name: value for name, value in full.items() if name not in left_out}
    return [root, {**root, **status}, {**root, **everything}]


@dataclass(slots=True)
class Repair:
    """A best-first search for an accepted object, over candidates and the fixes of their errors. `limit` is in cases.

    The first candidates are asked about in batches of `first_batch`; later batches have `options_per_candidate` fixes
    of each of `candidates_per_batch` candidates. Every candidate must have a value at `required_path`, and an item if
    that is a list. With `patience` the search gives up when at least this many objects were rejected and all of them
    had one error in common.
    """

    shape: Shape
    ask: Ask
    harvest: Harvest
    limit: int = 1500
    candidates_per_batch: int = 3
    options_per_candidate: int = 24
    first_batch: int = 100
    required_path: JsonPath = ()
    patience: int = 0
    asked: int = 0
    _queue: list[tuple[float, int, _Candidate]] = field(default_factory=list)
    _tried: SeenValues = field(default_factory=SeenValues)
    _visits: dict[frozenset[ErrorKey], int] = field(default_factory=dict)
    _order: int = 0
    _best: _Candidate | None = None
    _nearest: _Candidate | None = None
    _failure: str = ""
    _common_errors: frozenset[ErrorKey] = frozenset()
    _rejections: int = 0
    _fixed_fields: set[str] = field(default_factory=set)
    _has_answers: bool = False

    def run(self, first: list[Json]) -> Generator[list[Case], list[Answer], RepairResult]:
        """Repair the given objects until one is accepted or the limit is reached."""
        found = None
        for start in range(0, len(first), self.first_batch):
            if found is None:
                found = yield from self._try_batch([_Try(obj) for obj in first[start : start + self.first_batch]])
        while found is None and self._queue and self.asked < self.limit and not self._is_hopeless():
            found = yield from self._try_batch(self._next_batch())
        if found is not None:
            return RepairResult(found, True, asked=self.asked)
        best = self._best
        if best is None:
            remaining = (self._failure or "no answer without a failure",) if self._has_answers else ()
            return RepairResult(first[0], False, remaining, self.asked)
        nearest = self._nearest or best
        texts, sides = describe_errors(nearest.answer, self._fixed_fields) if nearest.answer is not None else ((), ())
        return RepairResult(best.obj, False, texts, self.asked, sides)

    def _is_hopeless(self) -> bool:
        return bool(self.patience and self._common_errors and self._rejections >= self.patience)

    def _next_batch(self) -> list[_Try]:
        """Take the best candidates and the next options of each; a candidate with options left is queued again."""
        batch: list[_Try] = []
        popped = [heapq.heappop(self._queue)[2] for _ in range(min(self.candidates_per_batch, len(self._queue)))]
        for candidate in popped:
            options = islice(candidate.options, self.options_per_candidate)
            batch += [_Try(obj, target, candidate) for target, obj in options]
            candidate.expanded += 1
            if candidate.expanded < _MAX_EXPANSIONS:
                self._push(candidate)
        return batch

    def _try_batch(self, batch: list[_Try]) -> Generator[list[Case], list[Answer], Json | None]:
        fresh = [entry for entry in batch if self._has_required_path(entry.obj) and self._tried.is_new(entry.obj)]
        if not fresh:
            return None
        self.asked += len(fresh)
        answers = yield from self.ask([entry.obj for entry in fresh])
        if len(answers) < len(fresh):
            self.limit = 0  # the search has used up its time or its share of the cases
        self._has_answers |= bool(answers)
        for entry, answer in zip(fresh, answers, strict=False):
            if is_accepted(answer):
                return entry.obj
            self._consider(entry, answer)
        return None

    def _has_required_path(self, obj: Json) -> bool:
        return not self.required_path or look(obj, self.required_path) not in (ABSENT, None, [])

    def _consider(self, entry: _Try, answer: Answer) -> None:
        errors = errors_of(answer)[:MAX_ERRORS]
        if answer.failure is not None and not errors:
            self._repair_decode_error(entry.obj, answer.failure.message)
            return
        self.harvest.learn(errors)
        keys = frozenset(map(_key, errors))
        self._common_errors = self._common_errors & keys if self._rejections else keys
        self._rejections += 1
        if entry.parent is not None:
            self._fixed_fields |= {error.field for error in entry.parent.errors} - {error.field for error in errors}
        known = self._visits.get(keys, 0)
        if (entry.target is not None and entry.target in keys) or known >= _MAX_VISITS:
            return
        self._visits[keys] = known + 1
        solved = (entry.parent.solved | entry.parent.keys) - keys if entry.parent else frozenset()
        candidate = _Candidate(entry.obj, errors, iter(()), answer, keys, solved)
        candidate.options = self._options(candidate)
        if self._best is None or candidate.progress > self._best.progress:
            self._best = candidate
        if self._nearest is None or candidate.nearness > self._nearest.nearness:
            self._nearest = candidate
        self._push(candidate)

    def _repair_decode_error(self, obj: Json, message: str) -> None:
        self._failure = self._failure or message
        objects = [edit.apply(obj) for edit in fixes_for_decode_error(message, self.shape)]
        if objects and self._visits.get(frozenset(), 0) < _MAX_DECODE_ERRORS:
            self._visits[frozenset()] = self._visits.get(frozenset(), 0) + 1
            self._push(_Candidate(obj, [], iter([(None, one) for one in objects])))

    def _push(self, candidate: _Candidate) -> None:
        self._order += 1
        known = self._visits.get(candidate.keys, 0)
        score = 1.5 * known + 3.0 * candidate.expanded - candidate.progress
        heapq.heappush(self._queue, (score, self._order, candidate))

    def _options(self, candidate: _Candidate) -> Iterator[tuple[ErrorKey | None, Json]]:
        """Yield the object with all errors fixed, then with one fix at a time, a few of each error in turn."""
        obj = candidate.obj
        edits = fix_all(candidate.errors, obj, self.shape, self.harvest)
        if len(edits) > 1:
            yield None, apply_all(edits, obj)
        errors = candidate.errors[:_MAX_FIXED_ERRORS]
        fixes_by_error = [(_key(error), fixes(error, obj, self.shape, self.harvest)) for error in errors]
        while fixes_by_error:
            unfinished = []
            for key, options in fixes_by_error:
                next_fixes = list(islice(options, _FIXES_PER_TURN))
                for edit in next_fixes:
                    yield key, edit.apply(obj)
                if len(next_fixes) == _FIXES_PER_TURN:
                    unfinished.append((key, options))
            fixes_by_error = unfinished
