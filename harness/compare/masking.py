"""Is an error only hidden? Changes what else is in a case until the silent side speaks, or nothing is left to try.

A validator that returned early goes on once the other error is gone; a rule that was stopped runs. Some errors vanish
by leaving their field out, others want another value: those repairs are handed in. And a check that runs only without
some other field speaks when that field is left out, though nothing was wrong with it.

The judge reads neither types nor rules: who starts it knows more, and hands in functions over plain data, its `Means`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.compare import remedies
from harness.compare.comparator import Comparator, agrees, remains_in
from harness.compare.ends import Ends, served_after, served_before
from harness.compare.mismatch import PANIC, Mismatch
from harness.compare.obvious import CauseFound, obvious, short_circuit
from harness.field import ErrorType, FieldError
from harness.jsonpath import (
    ABSENT,
    Edit,
    JsonPath,
    canonical_path,
    index_of,
    later_first,
    look,
    path_of,
    put,
    remove,
    walk,
    write,
)
from harness.objectmodel import METADATA, TYPE_META

Mend: TypeAlias = Callable[[Case, FieldError], Iterable[tuple[Json, Json]]]
"""Yields pairs of new and old in which an error of the case may be gone, the likeliest first."""


def mend_nothing(case: Case, error: FieldError) -> Iterable[tuple[Json, Json]]:
    """Know no repair."""
    return ()


@dataclass(frozen=True, slots=True)
class Means:
    """What the judge is given besides the target: ways to ask that it has no knowledge for itself."""

    mend: Mend = mend_nothing


NO_MEANS = Means()

_ROUNDS = 3
_ERRORS = 6  # other errors that are repaired one by one
_REPAIRS = 24  # repairs asked of each
_KEPT = 3  # candidates that are repaired further
_SIBLINGS = 32  # fields beside the way that are left out
_PLACES = 4_000  # places of an object among which that of an error is looked for

ErrorKeys: TypeAlias = frozenset[tuple[str, str]]
Form: TypeAlias = tuple[str, str, str]
"""Type, origin and canonical path of an error."""


class _Tried(NamedTuple):
    """A case on the way to one without other errors: the first error that was repaired, or the field left out."""

    case: Case
    others: tuple[FieldError, ...]
    repaired: FieldError | None = None
    left_out: str = ""


class Unmasking:
    """The repairs of one case. `contradicted` says that an error went away and the mismatch did not.

    That disproves that the two are one error in two forms. `uncovered` is a form of the error that the silent side
    reports once another error is gone: what it says of another value is the same error still.
    """

    def __init__(
        self, mismatch: Mismatch, comparator: Comparator, mend: Mend, partner: FieldError | None = None
    ) -> None:
        self.mismatch, self.comparator, self.mend, self.partner = mismatch, comparator, mend, partner
        self.early = mismatch.side == "declarative"
        self.contradicted = False
        self.uncovered: CauseFound | None = None
        self._asked: set[bytes] = set()
        self._met: set[ErrorKeys] = set()
        self._first: set[Form] = set()

    def run(self, case: Case, answer: Answer) -> Generator[list[Case], list[Answer], CauseFound | None]:
        """Return the cause when the silent side speaks after a change."""
        first, self._first = self._others(case, answer), set(map(_form, self._silent(answer)))
        case, self.mismatch = _in_front(case, self.mismatch, first)
        open_ = [_Tried(case, first)]
        for _ in range(_ROUNDS):
            # The smallest change first: who needs no repair was not stopped by an error.
            trials = [trial for tried in open_[:1] for trial in self._without_siblings(tried)]
            trials += [trial for tried in open_ for trial in self._repaired(tried)]
            if not trials:
                return None
            answers = yield [msgspec.structs.replace(trial.case, id=index) for index, trial in enumerate(trials)]
            open_ = []
            for trial, said in zip(trials, answers, strict=True):
                if said.failure is not None:
                    continue
                if agrees(trial.case, said, self.mismatch, self.comparator):
                    return self._found(trial, first, said)
                if remains_in(trial.case, said, self.mismatch, self.comparator):
                    self._learn(trial.case, said)
                    open_ += self._promising(trial._replace(others=self._others(trial.case, said)))
            open_ = sorted(open_, key=lambda tried: len(_keys(tried.others)))[:_KEPT]
        return None

    def _learn(self, case: Case, said: Answer) -> None:
        """Take note of what the silent side says where the mismatch remains: the error in another form, or nothing."""
        if self.partner is not None:
            forms = set(map(_form, self._silent(said)))  # behind a new error the old one may only be hidden
            self.contradicted |= _form(self.partner) not in forms and forms <= self._first
        elif self.uncovered is None and self.comparator.ends is None:
            found = obvious(said, self.mismatch, self.comparator)
            if found is not None and found.partner is not None:
                self.uncovered = found._replace(shown=(case, said))

    def _promising(self, tried: _Tried) -> list[_Tried]:
        """Go on from errors that were not met before: what was hidden may be hidden twice."""
        keys = _keys(tried.others)
        if not keys or keys in self._met:
            return []
        self._met.add(keys)
        return [tried]

    def _silent(self, answer: Answer) -> tuple[FieldError, ...]:
        """What the side says that is silent on the mismatch."""
        if self.comparator.ends is not None:
            return served_after(answer) if self.early else served_before(answer)
        return answer.handwritten if self.early else answer.declarative

    def _others(self, case: Case, answer: Answer) -> tuple[FieldError, ...]:
        said = self._silent(answer)
        found = [e for e in said if not self.comparator.concerns(self.mismatch, e) and not e.detail.startswith(PANIC)]
        return tuple(dict.fromkeys(self._as_sent(case, error) for error in found))

    def _as_sent(self, case: Case, error: FieldError) -> FieldError:
        """Return an error with the path of this version, where it has that of the internal type."""
        if not self.comparator.info.normalization or look(case.object, path_of(error.field)) is not ABSENT:
            return error
        for way, _ in islice(walk(case.object), _PLACES):
            path = write(way)
            if path != error.field and self.comparator.matcher.normalize(path) == error.field:
                return msgspec.structs.replace(error, field=path)
        return error

    def _repaired(self, tried: _Tried) -> Iterator[_Tried]:
        """Yield what a candidate becomes: without every wrong place, without one, with one other value."""
        case, place = tried.case, path_of(self.mismatch.path)
        ways = [(error, way) for error in tried.others for way in _removable(case, error, place)]
        for some in (*([ways] if len(ways) > 1 else []), *([one] for one in ways[:_ERRORS])):
            new, old = case.object, case.old
            # From the end, so that removing an item does not move those that are still to be removed.
            for path, _ in later_first(dict.fromkeys(Edit(way, ABSENT) for _, way in some)):
                new, old = remove(new, path), remove(old, path)
            yield from self._fresh(tried, some[0][0], new, old)
        for error in tried.others[:_ERRORS]:
            way = path_of(error.field)
            if way and look(case.old, way) is not ABSENT:  # what must not change may be set for the first time
                yield from self._fresh(tried, error, case.object, remove(case.old, way))
            for new, old in islice(self.mend(case, error), _REPAIRS):
                yield from self._fresh(tried, error, new, old)

    def _without_siblings(self, tried: _Tried) -> Iterator[_Tried]:
        """Leave out one field at a time that stands beside the way to the mismatch, the nearest first."""
        case = tried.case
        for way in islice(_beside(case.object, path_of(self.mismatch.path)), _SIBLINGS):
            new, old = remove(case.object, way), remove(case.old, way)
            for trial in (*self._fresh(tried, None, new, old), *self._fresh(tried, None, new, case.old)):
                yield trial._replace(left_out=write(way))

    def _fresh(self, tried: _Tried, error: FieldError | None, new: Json, old: Json) -> Iterator[_Tried]:
        code = msgspec.json.encode((new, old))
        if code not in self._asked:
            self._asked.add(code)
            case = msgspec.structs.replace(tried.case, object=new, old=old)
            yield tried._replace(case=case, repaired=tried.repaired or error)

    def _found(self, trial: _Tried, first: tuple[FieldError, ...], said: Answer) -> CauseFound:
        left = _keys(self._others(trial.case, said))
        error = trial.repaired or next((one for one in first if (one.type, one.field) not in left), None)
        side = "handwritten" if self.early else "declarative"
        if self.comparator.ends is not None:
            return self._told(self.comparator.ends, side, error, trial.left_out)
        if error is None:
            what = "check" if self.early else "rule"
            detail = f"the {side} {what} does not run beside {trial.left_out}: without that field both sides agree"
            return CauseFound("conditional", detail, remedies.condition(self.mismatch, trial.left_out))
        if not self.early:
            return short_circuit(error)
        detail = f"the handwritten validator returned early because of {error.text}; without it both sides agree"
        return CauseFound("masked", detail, f"let the handwritten validator go on after the error on {error.field}")

    def _told(self, ends: Ends, side: str, error: FieldError | None, left_out: str) -> CauseFound:
        """Say which of two targets is silent beside something else."""
        name, fix = ends.of(side), f"expect other errors beside this one from {ends.after}"
        if error is None:
            detail = f"{name} does not check beside {left_out}: without that field both agree"
            return CauseFound("conditional", detail, fix)
        return CauseFound("masked", f"{name} stops at {error.text}; without it both agree", fix)


def _in_front(case: Case, mismatch: Mismatch, others: tuple[FieldError, ...]) -> tuple[Case, Mismatch]:
    """Bring what a mismatch is about to the front of a list that is too long: items are left out from the end."""
    place = path_of(mismatch.path)
    for error in others:
        way = path_of(error.field)
        items = look(case.object, way)
        if error.type != ErrorType.TOO_MANY or place[: len(way)] != way or not isinstance(items, list):
            continue
        step = place[len(way)] if len(place) > len(way) else ""
        index = index_of(step)
        if 0 < index < len(items):
            moved = put(case.object, way, _first(items, index))
            before = look(case.old, way)
            old = case.old
            if isinstance(before, list) and index < len(before):
                old = put(case.old, way, _first(before, index))
            path = f"{error.field}[0]{mismatch.path[len(f'{error.field}[{step}]') :]}"
            return msgspec.structs.replace(case, object=moved, old=old), msgspec.structs.replace(mismatch, path=path)
    return case, mismatch


def _first(items: list[Json], index: int) -> list[Json]:
    return [items[index], *items[:index], *items[index + 1 :]]


def _form(error: FieldError) -> Form:
    return error.type, error.origin, canonical_path(error.field)


def _keys(errors: tuple[FieldError, ...]) -> ErrorKeys:
    return frozenset((error.type, error.field) for error in errors)


def _beside(value: Json, place: JsonPath) -> Iterator[JsonPath]:
    """Yield the members that stand beside a way; not those that say which object it is."""
    for depth in reversed(range(len(place))):
        parent = look(value, place[:depth])
        for name in parent if isinstance(parent, dict) else ():
            if name != place[depth] and (depth or name not in (*TYPE_META, METADATA)):
                yield (*place[:depth], name)


def _removable(case: Case, error: FieldError, place: JsonPath) -> Iterator[JsonPath]:
    """Yield what may be removed to repair an error, without touching what the mismatch is about."""
    way = path_of(error.field)
    while way and look(case.object, way) is ABSENT:
        way = way[:-1]  # something is missing: without its parent nothing is
    if way and way != place[: len(way)]:
        yield way
