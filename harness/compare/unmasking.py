"""Finds out whether an error is hidden by others: repairs the rest of a case until the silent validator reports it.

- A validator that returned early continues, and a short-circuited rule runs, once the other error is repaired. Some
  errors are repaired by removing their field; other repairs come from the caller (`Question.repairs`).
- A check that depends on another field runs once that field is removed or has another value, although it had no error.

What changes the value that the mismatch is about proves nothing, since it changes the rule's own input: repairs at,
below and above its path do not count.

The result is shared by the causes masked, short-circuit and conditional.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.cause import Experiment, Explanation, Question, Unmasked, Watched
from harness.compare.mismatch import PANIC, Mismatch
from harness.compare.othervalues import is_about_change, path_in_object
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
    values_at,
    walk,
    write,
)
from harness.objectmodel import API_VERSION, METADATA, TYPE_META

# At most, so that unmasking asks a few hundred cases:
_MAX_ROUNDS = 3
_MAX_ERRORS = 6  # other errors that are repaired one by one
_MAX_REPAIRS = 24  # repairs of each error
_MAX_CANDIDATES = 3  # candidates that are repaired further
_MAX_SIBLINGS = 32  # sibling fields that are removed one by one
_MAX_FILLED = 60  # other values of sibling fields
_MAX_SKIPPED = 8  # repairs of one error that are passed over for each that counts
_MAX_CHOICES = 12  # values of siblings that are known to make a choice
_MAX_PATHS = 4_000  # paths of an object that are compared with the path of an error

ErrorKeys: TypeAlias = frozenset[tuple[str, str]]
Form: TypeAlias = tuple[str, str, str]
"""Type, origin and canonical path of an error."""


class _Variant(NamedTuple):
    """A partly repaired case: its remaining other errors, the first error repaired, the field removed or filled."""

    case: Case
    others: tuple[FieldError, ...]
    repaired: FieldError | None = None
    left_out: str = ""
    filled: Edit | None = None


def unmask(question: Question, *, uncovers: bool = True) -> Experiment[Unmasked]:
    """Repair the other errors of the case, and remove sibling fields, until the silent validator reports the error.

    Runs once per question. `uncovers`: also notice if the silent validator reports the error in another form.
    """
    if question.unmasked is None:
        unmasking = _Unmasking(question, uncovers)
        found = yield from unmasking.run()
        question.unmasked = found._replace(
            contradicted=unmasking.contradicted, uncovered=unmasking.uncovered, seen=frozenset(unmasking.seen)
        )
    return question.unmasked


class _Unmasking:
    """The repairs of one case."""

    def __init__(self, question: Question, uncovers: bool) -> None:
        self.uncovers = uncovers
        self.question, self.mismatch, self.comparator = question, question.mismatch, question.comparator
        self.partner = question.guess.partner if question.guess else None
        self.contradicted = False
        self.uncovered: Explanation | None = None
        self.seen: set[Watched] = set()
        self._start = question.case
        self._asked_codes: set[bytes] = set()
        self._seen_errors: set[ErrorKeys] = set()
        self._first_forms: set[Form] = set()

    def run(self) -> Experiment[Unmasked]:
        """Return the error or field that hid the error, if the silent validator reports it after a change."""
        case, answer = self.question.case, self.question.answer
        first, self._first_forms = self._other_errors(case, answer), set(map(_form_of, self._silent_errors(answer)))
        case, self.mismatch = _move_to_front(case, self.mismatch, first)
        self._start = case
        candidates = [_Variant(case, first)]
        for _ in range(_MAX_ROUNDS):
            # The smallest change first: if removing a sibling is enough, no error hid the check.
            trials = [trial for candidate in candidates[:1] for trial in self._leave_out_siblings(candidate)]
            trials += [trial for candidate in candidates for trial in self._repair(candidate)]
            if not trials:
                break
            answers = yield [msgspec.structs.replace(trial.case, id=index) for index, trial in enumerate(trials)]
            candidates = []
            for trial, said in zip(trials, answers, strict=True):
                if said.failure is not None:
                    continue
                if self.comparator.agrees(self.mismatch, trial.case, said):
                    return (yield from self._conclude_choice(trial, self._conclude(trial, first, said)))
                self._watch_forms(trial, first, said)
                if self.comparator.remains(self.mismatch, trial.case, said):
                    self._check_other_form(trial.case, said)
                    candidates += self._continue_with(trial._replace(others=self._other_errors(trial.case, said)))
            candidates = sorted(candidates, key=lambda candidate: len(_keys_of(candidate.others)))[:_MAX_CANDIDATES]
        return (yield from self._fill_siblings(_Variant(case, first)))

    def _fill_siblings(self, candidate: _Variant) -> Experiment[Unmasked]:
        """Give one sibling at a time another value, as the last resort: nothing is wrong with it, nor was it enough."""
        hints, normalize = self.question.hints, self.comparator.matcher.normalize
        trials: list[_Variant] = []
        for edit in islice(hints.siblings(candidate.case, self.mismatch.path, normalize), _MAX_FILLED):
            new = edit.apply(candidate.case.object)
            trials += [one._replace(filled=edit) for one in self._ask_once(candidate, None, new, candidate.case.old)]
        if not trials:
            return Unmasked()
        answers = yield [msgspec.structs.replace(trial.case, id=index) for index, trial in enumerate(trials)]
        for trial, said in zip(trials, answers, strict=True):
            if said.failure is None and self.comparator.agrees(self.mismatch, trial.case, said):
                return (yield from self._conclude_choice(trial, self._conclude(trial, candidate.others, said)))
        return Unmasked()

    def _conclude_choice(self, trial: _Variant, found: Unmasked) -> Experiment[Unmasked]:
        """Return what a repair proves that makes another choice: nothing of an early return if the choice is enough."""
        if found.error is None or self.question.silent != "handwritten":
            return found
        start, choices = self._start.object, self.question.hints.makes_choice
        chosen = [edit for edit in _changes(start, trial.case.object) if self._is_beside(edit.path)]
        for edit in chosen:
            if not choices(write(edit.path)) and not (yield from self._stands_for_choice(edit, found.error)):
                continue
            new = put(start, edit.path, edit.value)
            if new != trial.case.object:
                alone = msgspec.structs.replace(self._start, object=new, id=0)
                [said] = yield [alone]
                if said.failure is not None or not self.comparator.agrees(self.mismatch, alone, said):
                    continue
            if edit.value is ABSENT:
                return found._replace(error=None, left_out=write(edit.path), filled=None)
            return found._replace(error=None, left_out="", filled=edit, before=look(start, edit.path))
        return found

    def _stands_for_choice(self, edit: Edit, error: FieldError) -> Experiment[bool]:
        """Whether a member that was removed makes a choice, although the types do not say so.

        A field of an older version may be converted into the member of a union. Then the error on the object that has
        it is the same with a member in its place that is known to make the choice.
        """
        parent, hints = edit.path[:-1], self.question.hints
        if edit.value is not ABSENT or error.field != write(parent):
            return False
        case = msgspec.structs.replace(self._start, object=remove(self._start.object, edit.path))
        siblings = hints.siblings(case, self.mismatch.path, self.comparator.matcher.normalize)
        others = (one for one in siblings if one.path[:-1] == parent and one.path != edit.path)
        known = islice((one for one in others if hints.makes_choice(write(one.path))), _MAX_CHOICES)
        trials = [msgspec.structs.replace(case, object=one.apply(case.object), id=n) for n, one in enumerate(known)]
        answers = (yield trials) if trials else []
        return any(
            said.failure is None
            and self.comparator.remains(self.mismatch, trial, said)
            and any(_is_same(error, one) for one in self._other_errors(trial, said))
            for trial, said in zip(trials, answers, strict=True)
        )

    def _is_beside(self, path: JsonPath) -> bool:
        """Whether a path is that of a sibling of the mismatch's path, or of one of its parents."""
        steps, own = tuple(map(str, path)), tuple(map(str, self._path))
        return bool(path) and steps[:-1] == own[: len(path) - 1] and steps != own[: len(path)]

    def _watch_forms(self, trial: _Variant, first: tuple[FieldError, ...], said: Answer) -> None:
        """Note what became of both forms of the error: whether both are still there, or both are gone."""
        has_other = self.partner is None or _form_of(self.partner) in set(map(_form_of, self._silent_errors(said)))
        is_there = self.comparator.remains(self.mismatch, trial.case, said)
        is_gone = not any(self.comparator.reporters(self.mismatch, said))
        if (is_there and has_other) or (is_gone and (self.partner is None or not has_other)):
            is_repaired = bool(_keys_of(first) - _keys_of(self._other_errors(trial.case, said)))
            if is_repaired or trial.left_out:
                self.seen.add(("repaired" if is_repaired else "left out", "stay" if is_there else "go"))

    def _check_other_form(self, case: Case, said: Answer) -> None:
        """Check the silent validator's errors while the mismatch remains: is the error there in another form?"""
        if self.partner is not None:
            forms = set(map(_form_of, self._silent_errors(said)))  # a new error may hide the old one
            self.contradicted |= _form_of(self.partner) not in forms and forms <= self._first_forms
        elif self.uncovers and self.uncovered is None:
            found = Question(case, said, self.mismatch, self.comparator, self.question.finders).show()
            if found is not None and found.partner is not None:
                self.uncovered = found._replace(shown=(case, said))

    def _continue_with(self, candidate: _Variant) -> list[_Variant]:
        """Return the candidate if its errors are new, since an error may be hidden by several others in turn."""
        keys = _keys_of(candidate.others)
        if not keys or keys in self._seen_errors:
            return []
        self._seen_errors.add(keys)
        return [candidate]

    def _silent_errors(self, answer: Answer) -> tuple[FieldError, ...]:
        """Return the errors of the validator that does not report the mismatch."""
        return self.comparator.comparison.reported_by(self.question.silent, answer)

    def _other_errors(self, case: Case, answer: Answer) -> tuple[FieldError, ...]:
        said = self._silent_errors(answer)
        found = [e for e in said if not self.comparator.concerns(self.mismatch, e) and not e.detail.startswith(PANIC)]
        return tuple(dict.fromkeys(self._as_sent(case, error) for error in found))

    def _as_sent(self, case: Case, error: FieldError) -> FieldError:
        """Return an error with its path in this version, if it has the path of the internal type."""
        if not self.comparator.info.normalization or look(case.object, path_of(error.field)) is not ABSENT:
            return error
        for path, _ in islice(walk(case.object), _MAX_PATHS):
            field = write(path)
            if field != error.field and self.comparator.matcher.normalize(field) == error.field:
                return msgspec.structs.replace(error, field=field)
        return error

    def _repair(self, candidate: _Variant) -> Iterator[_Variant]:
        """Yield variants of a candidate: without all invalid values, without one, and with another value for one."""
        case, kept = candidate.case, path_of(self.mismatch.path)
        wrong = [(error, path) for error in candidate.others for path in _removable_paths(case, error, kept)]
        for some in (*([wrong] if len(wrong) > 1 else []), *([one] for one in wrong[:_MAX_ERRORS])):
            new, old = case.object, case.old
            # From the end, so that removing an item does not change the paths of items still to be removed.
            for path, _ in later_first(dict.fromkeys(Edit(path, ABSENT) for _, path in some)):
                new, old = remove(new, path), remove(old, path)
            yield from self._ask_once(candidate, some[0][0], new, old)
        for error in candidate.others[:_MAX_ERRORS]:
            path = path_of(error.field)
            if path and look(case.old, path) is not ABSENT:  # an immutable field may be set for the first time
                yield from self._ask_once(candidate, error, case.object, remove(case.old, path))
            repairs = islice(self.question.hints.repairs(case, error), _MAX_SKIPPED * _MAX_REPAIRS)
            counting = ((new, old) for new, old in repairs if self._keeps_value(new, old))
            for new, old in islice(counting, _MAX_REPAIRS):
                yield from self._ask_once(candidate, error, new, old)

    def _leave_out_siblings(self, candidate: _Variant) -> Iterator[_Variant]:
        """Remove one sibling of the mismatch's path, or of its parents, at a time; the nearest first."""
        case = candidate.case
        for path in islice(_sibling_paths(case.object, path_of(self.mismatch.path)), _MAX_SIBLINGS):
            new, old = remove(case.object, path), remove(case.old, path)
            for trial in (
                *self._ask_once(candidate, None, new, old),
                *self._ask_once(candidate, None, new, case.old),
            ):
                yield trial._replace(left_out=write(path))

    def _ask_once(self, candidate: _Variant, error: FieldError | None, new: Json, old: Json) -> Iterator[_Variant]:
        code = msgspec.json.encode((new, old))
        if code not in self._asked_codes and self._keeps_value(new, old):
            self._asked_codes.add(code)
            case = msgspec.structs.replace(candidate.case, object=new, old=old)
            yield candidate._replace(case=case, repaired=candidate.repaired or error)

    def _keeps_value(self, new: Json, old: Json) -> bool:
        """Whether a change leaves the value that the mismatch is about as it was; of a change the old value too."""
        start = self._start
        if not _has_same(new, start.object, self._path):
            return False
        return not is_about_change(self.question) or _has_same(old, start.old, self._path)

    @cached_property
    def _path(self) -> JsonPath:
        """The path of the mismatch as the case has it; a handwritten one may be that of the internal type."""
        moved = Question(self._start, self.question.answer, self.mismatch, self.comparator)
        return path_in_object(moved, self._start.object)

    def _conclude(self, trial: _Variant, first: tuple[FieldError, ...], said: Answer) -> Unmasked:
        left = _keys_of(self._other_errors(trial.case, said))
        error = trial.repaired or next((one for one in first if (one.type, one.field) not in left), None)
        before = look(self._start.object, trial.filled.path) if trial.filled is not None else None
        return Unmasked(True, error, trial.left_out, trial.filled, before, spoken=trial.case, said=said)


def _move_to_front(case: Case, mismatch: Mismatch, others: tuple[FieldError, ...]) -> tuple[Case, Mismatch]:
    """Move the item of a mismatch to the front of a list that is too long, because items are removed from the end."""
    own = path_of(mismatch.path)
    if mismatch.type == ErrorType.DUPLICATE:  # of two equal items the second one has the error
        return case, mismatch
    for error in others:
        path = path_of(error.field)
        items = look(case.object, path)
        if error.type != ErrorType.TOO_MANY or own[: len(path)] != path or not isinstance(items, list):
            continue
        step = own[len(path)] if len(own) > len(path) else ""
        index = index_of(step)
        if 0 < index < len(items):
            moved = put(case.object, path, _put_first(items, index))
            before = look(case.old, path)
            old = case.old
            if isinstance(before, list) and index < len(before):
                old = put(case.old, path, _put_first(before, index))
            field = f"{error.field}[0]{mismatch.path[len(f'{error.field}[{step}]') :]}"
            return msgspec.structs.replace(case, object=moved, old=old), msgspec.structs.replace(mismatch, path=field)
    return case, mismatch


def _changes(before: Json, after: Json, path: JsonPath = ()) -> Iterator[Edit]:
    """Yield the edits of members that make one object of another; what is no object in both is one edit."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from _changes(before.get(name, ABSENT), after.get(name, ABSENT), (*path, name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _changes(one, other, (*path, index))
    elif before is ABSENT or after is ABSENT or before != after:
        yield Edit(path, after)


def _has_same(obj: Json, start: Json, path: JsonPath) -> bool:
    """Whether an object has at a path what another has there; items of lists may have moved."""
    value = look(start, path)
    if value is not ABSENT:
        return look(obj, path) == value or any(one == value for one in values_at(obj, path))
    return look(obj, path) is ABSENT and _nearest(obj, path) >= _nearest(start, path)


def _nearest(obj: Json, path: JsonPath) -> int:
    """Return how many steps of a path an object has."""
    return next(depth for depth in reversed(range(len(path) + 1)) if not depth or look(obj, path[:depth]) is not ABSENT)


def _put_first(items: list[Json], index: int) -> list[Json]:
    return [items[index], *items[:index], *items[index + 1 :]]


def _form_of(error: FieldError) -> Form:
    return error.type, error.origin, canonical_path(error.field)


def _is_same(one: FieldError, other: FieldError) -> bool:
    return (one.type, one.field, one.detail) == (other.type, other.field, other.detail)


def _keys_of(errors: tuple[FieldError, ...]) -> ErrorKeys:
    return frozenset((error.type, error.field) for error in errors)


def _sibling_paths(value: Json, path: JsonPath) -> Iterator[JsonPath]:
    """Yield the siblings of a path and of its parents, except apiVersion, kind and metadata of an object with them."""
    kept = (*TYPE_META, METADATA) if isinstance(value, dict) and API_VERSION in value else ()
    for depth in reversed(range(len(path))):
        parent = look(value, path[:depth])
        for name in parent if isinstance(parent, dict) else ():
            if name != path[depth] and (depth or name not in kept):
                yield (*path[:depth], name)


def _removable_paths(case: Case, error: FieldError, kept: JsonPath) -> Iterator[JsonPath]:
    """Yield the path to remove in order to repair an error, unless it contains the path of the mismatch."""
    path = path_of(error.field)
    while path and look(case.object, path) is ABSENT:
        path = path[:-1]  # a required field is missing: remove its parent
    if path and path != kept[: len(path)]:
        yield path
