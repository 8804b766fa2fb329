"""Base objects that both sides accept, found by repair: ask, mend what the errors say, keep the best, ask again.

No kind is known here. What an error cannot teach (the content of a certificate, say) comes from the pools of
`values.py`, tried blindly. Validators return early, so that a good step may show more errors than before: progress is
an error that went away and a set of errors that was not met before.
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
from harness.fuzzers.mend import MOST_ERRORS, at_once, fixes, undecodable
from harness.fuzzers.places import Once
from harness.fuzzers.shape import Shape
from harness.fuzzers.values import filled, rich
from harness.jsonpath import ABSENT, JsonPath, apply_all, look
from harness.objectmodel import METADATA, STATUS

Asking: TypeAlias = Generator[list[Case], list[Answer], list[Answer]]
Ask: TypeAlias = Callable[[list[Json]], Asking]
"""Turns objects into cases, yields them as one batch, and returns the answers."""

_VALUES = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")

ErrorKey: TypeAlias = tuple[str, str, str]
Side: TypeAlias = Literal["handwritten", "declarative", "both"]
"""Who reports an error."""
MOST_REMAINING = 12
"""Errors that are told of an object that was not accepted."""


@dataclass(frozen=True, slots=True)
class Base:
    """An object that both sides accept. `focus` is the part that no other base has; empty for the first one."""

    obj: Json
    focus: JsonPath = ()


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair came to: an accepted object, or the best candidate and the errors that remained on the nearest one.

    `sides` says of each who reports it. Those come first that no change ever silenced: they are what blocks.
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
        """Errors that went away on the way here, against those that are left."""
        return 2 * len(self.solved) - len(self.keys)

    @property
    def nearness(self) -> tuple[int, int]:
        """How near an accepted object it is, for people: by places, since another error at one is no progress.

        What is there and wrong is nearer than what is absent.
        """
        fields = {error.field for error in self.errors}
        solved = {field for _, field, _ in self.solved} - fields
        return 2 * len(solved) - len(fields), -sum(error.type == ErrorType.REQUIRED for error in self.errors)


@dataclass(frozen=True, slots=True)
class _Try:
    """An object to ask about, the error it is to silence, and the candidate it comes from."""

    obj: Json
    target: ErrorKey | None = None
    parent: _Candidate | None = None


def errors_of(answer: Answer) -> list[FieldError]:
    """Return the errors of both sides, in an order that does not depend on how a validator walks its maps."""
    return sorted((*answer.handwritten, *answer.declarative), key=_order)


def accepted(answer: Answer) -> bool:
    """Whether both sides accept the object, whatever the level of a rule."""
    return not answer.handwritten and not answer.declarative and answer.failure is None


def told_errors(answer: Answer, last: Collection[str] = ()) -> tuple[tuple[str, ...], tuple[Side, ...]]:
    """Return the texts of the errors of an answer, and who reports each; those at the fields in `last` come last."""
    ours, theirs = ({error.text for error in errors} for errors in (answer.handwritten, answer.declarative))
    errors = sorted(errors_of(answer), key=lambda error: error.field in last)
    texts = tuple(dict.fromkeys(error.text for error in errors))[:MOST_REMAINING]
    sides: list[Side] = [
        "both" if text in ours and text in theirs else "handwritten" if text in ours else "declarative"
        for text in texts
    ]
    return texts, tuple(sides)


def _order(error: FieldError) -> tuple[int, str, str, str]:
    return error.field.count("."), error.field, error.type, error.detail


def _key(error: FieldError) -> ErrorKey:
    # Without its values: another wrong value with the same complaint is no progress.
    return error.type, error.field, _VALUES.sub("", error.detail)[:24]


def starts(shape: Shape, root: Json) -> list[Json]:
    """Return first candidates: almost nothing, what has no `omitempty`, and a little of everything."""
    sparse, full = filled(shape), rich(shape)
    if not isinstance(sparse, dict) or not isinstance(full, dict):
        return [root]  # the type is not known: what the errors say must do
    status = {name: value for name, value in sparse.items() if name not in (METADATA, STATUS)}
    everything = {name: value for name, value in full.items() if name not in (METADATA, STATUS)}
    return [root, {**root, **status}, {**root, **everything}]


@dataclass(slots=True)
class Repair:
    """A search for an accepted object: best first, over candidates and what may mend them.

    So many of the first candidates are asked about `at_once`, then the next options, a `slice` of each, of as many
    candidates as `width` says. `keeps` is a place that every candidate must have, with an item if it is a list. With
    `patience` it ends when so many objects in a row, all of them, have got the same error, whatever else they have got.
    """

    shape: Shape
    ask: Ask
    harvest: Harvest
    limit: int = 1500
    width: int = 3
    slice: int = 24
    at_once: int = 100
    keeps: JsonPath = ()
    patience: int = 0
    asked: int = 0
    _open: list[tuple[float, int, _Candidate]] = field(default_factory=list)
    _tried: Once = field(default_factory=Once)
    _visits: dict[frozenset[ErrorKey], int] = field(default_factory=dict)
    _order: int = 0
    _best: _Candidate | None = None
    _nearest: _Candidate | None = None
    _failure: str = ""
    _lasting: frozenset[ErrorKey] = frozenset()
    _refused: int = 0
    _silenced: set[str] = field(default_factory=set)
    _is_answered: bool = False

    def run(self, first: list[Json]) -> Generator[list[Case], list[Answer], Repaired]:
        """Repair the first candidates until one is accepted or the limit is reached."""
        found = None
        for start in range(0, len(first), self.at_once):
            if found is None:
                found = yield from self._try([_Try(obj) for obj in first[start : start + self.at_once]])
        while found is None and self._open and self.asked < self.limit and not self._is_hopeless():
            found = yield from self._try(self._next())
        if found is not None:
            return Repaired(found, True, asked=self.asked)
        best = self._best
        if best is None:
            told = (self._failure or "no answer without a failure",) if self._is_answered else ()
            return Repaired(first[0], False, told, self.asked)
        nearest = self._nearest or best
        texts, sides = told_errors(nearest.answer, self._silenced) if nearest.answer is not None else ((), ())
        return Repaired(best.obj, False, texts, self.asked, sides)

    def _is_hopeless(self) -> bool:
        return bool(self.patience and self._lasting and self._refused >= self.patience)

    def _next(self) -> list[_Try]:
        """Take the best open candidates and the next options of each; what is not used up stays open."""
        batch: list[_Try] = []
        popped = [heapq.heappop(self._open)[2] for _ in range(min(self.width, len(self._open)))]
        for candidate in popped:
            batch += [_Try(obj, target, candidate) for target, obj in islice(candidate.options, self.slice)]
            candidate.expanded += 1
            if candidate.expanded < 12:
                self._push(candidate)
        return batch

    def _try(self, batch: list[_Try]) -> Generator[list[Case], list[Answer], Json | None]:
        fresh = [
            entry
            for entry in batch
            if not (self.keeps and look(entry.obj, self.keeps) in (ABSENT, None, [])) and self._tried.is_new(entry.obj)
        ]
        if not fresh:
            return None
        self.asked += len(fresh)
        answers = yield from self.ask([entry.obj for entry in fresh])
        if len(answers) < len(fresh):
            self.limit = 0  # the time or the share of the search is over
        self._is_answered |= bool(answers)
        for entry, answer in zip(fresh, answers, strict=False):
            if accepted(answer):
                return entry.obj
            self._consider(entry, answer)
        return None

    def _consider(self, entry: _Try, answer: Answer) -> None:
        errors = errors_of(answer)[:MOST_ERRORS]
        if answer.failure is not None and not errors:
            self._undecodable(entry.obj, answer.failure.message)
            return
        self.harvest.learn(errors)
        keys = frozenset(map(_key, errors))
        self._lasting = self._lasting & keys if self._refused else keys
        self._refused += 1
        if entry.parent is not None:
            self._silenced |= {error.field for error in entry.parent.errors} - {error.field for error in errors}
        known = self._visits.get(keys, 0)
        if (entry.target is not None and entry.target in keys) or known >= 5:
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

    def _undecodable(self, obj: Json, message: str) -> None:
        self._failure = self._failure or message
        objects = [edit.apply(obj) for edit in undecodable(message, self.shape)]
        if objects and self._visits.get(frozenset(), 0) < 20:
            self._visits[frozenset()] = self._visits.get(frozenset(), 0) + 1
            self._push(_Candidate(obj, [], iter([(None, one) for one in objects])))

    def _push(self, candidate: _Candidate) -> None:
        self._order += 1
        known = self._visits.get(candidate.keys, 0)
        score = 1.5 * known + 3.0 * candidate.expanded - candidate.progress
        heapq.heappush(self._open, (score, self._order, candidate))

    def _options(self, candidate: _Candidate) -> Iterator[tuple[ErrorKey | None, Json]]:
        """Yield objects to try: everything mended at once, then one fix at a time, errors taking turns."""
        obj = candidate.obj
        together = at_once(candidate.errors, obj, self.shape, self.harvest)
        if len(together) > 1:
            yield None, apply_all(together, obj)
        errors = candidate.errors[:8]
        turns = [(_key(error), fixes(error, obj, self.shape, self.harvest)) for error in errors]
        while turns:
            left = []
            for key, options in turns:
                taken = list(islice(options, 4))
                for edit in taken:
                    yield key, edit.apply(obj)
                if len(taken) == 4:
                    left.append((key, options))
            turns = left
