"""Finds out why a side is silent on an update, once it is known that it reports the error without the old object.

A side that ratchets reports the error as soon as the update changes the value. One that is silent then too either does
not validate it on updates, or looks away because of something else in the old object. So the value is changed within
the update, and then the old object is replaced by an accepted one. Cases that are served are asked unprepared too,
because preparation may bring back from the old object what the update changes. Where the silent side reports that the
value may not be changed, an update can only leave it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from harness.case import Answer, Case, Json, Operation
from harness.compare.cause import Experiment, Question
from harness.compare.othervalues import edits_of, is_about_change, path_in_object, reporters
from harness.field import ErrorType, FieldError
from harness.jsonpath import ABSENT, JsonPath, canonical_path, is_within, look, put, write
from harness.objectmodel import METADATA

_MAX_CHANGES = 4
"""At most this many other values of the new object, and of the old one, are tried. Rules mostly ratchet, which the
first of them shows, and most findings are of that sort: more would cost as many cases as all else."""
_MAX_ACCEPTED = 2

Reason: TypeAlias = Literal[
    "unchanged", "same-error", "old-errors", "other-old", "updates", "changed", "change", ""
]  # fmt: skip
"""`unchanged`: it reports the error once the update changes the value, or no update may change it. `same-error`: not
while the old object has the error too, whatever it is changed to. `old-errors`: not while the old object has other
errors. `other-old`: not against this old object, in which it has no error. `updates`: not on updates, as far as was
tried. `changed`: the update changes the value, and no other old object makes it speak. `change`: the error is about the
change itself. Empty: no other value has the error, so nothing could be told."""


class Silence(NamedTuple):
    """Why a side is silent on an update, a changed value on which it is, and its errors in the old object.

    `is_fixed`: the silent side reports that the value may not be changed. `tried` counts the changes of the value that
    got an answer.
    """

    reason: Reason
    value: Json = ABSENT
    errors: tuple[FieldError, ...] = ()
    is_fixed: bool = False
    tried: int = 0


def find_reason(question: Question) -> Experiment[Silence]:
    """Change the value within the update, then replace the old object."""
    if is_about_change(question):
        return Silence("change")
    path = path_in_object(question, question.case.object)
    if not question.mismatch.ratcheting or changed_trigger(question):
        return (yield from _replace_old(question, question.case, path, "changed", 0))
    heard = yield from _ask_changes(question, path, question.case)
    if question.case.mode == "served" and heard.spoken is None:
        given = msgspec.structs.replace(question.case, mode="given")
        heard = heard.confirmed_by((yield from _ask_changes(question, path, given)))
    is_heard = heard.old or any(one.operation is Operation.UPDATE for one in question.proofs)
    if heard.spoken is not None or (is_heard and heard.silent is None):
        return Silence("unchanged", tried=heard.tried)
    if heard.silent is None:
        return Silence("unchanged" if heard.is_fixed else "", is_fixed=heard.is_fixed, tried=heard.tried)
    if is_heard:
        return Silence("same-error", look(heard.silent.object, path), tried=heard.tried)
    return (yield from _replace_old(question, heard.silent, path, "updates", heard.tried))


def changed_trigger(question: Question) -> str:
    """Return the field beside the path whose tag makes the rule, if the update changes it; empty if there is none."""
    changed = (one for one in _triggers(question) if look(question.case.object, one) != look(question.case.old, one))
    return next((canonical_path(write(one)) for one in changed), "")


def describe_left(question: Question) -> str:
    """Say what an update leaves as it was for the rule of a mismatch: the value, a whole list whose items have no keys,
    which of some fields are set, or the value together with the field that chooses its rules.
    """
    whole = question.hints.unkeyed_list(question.mismatch.path)
    if whole is not None:
        return f"it where the update leaves the whole of {whole.path} as it was"
    if question.mismatch.type == ErrorType.DUPLICATE:  # of one item with another one, whichever of them came
        around = canonical_path(question.mismatch.path).removesuffix("[*]")
        return f"it where the update leaves the whole of {around} as it was"
    if any(one.place == "members" for one in question.declarations):
        return "updates that set or unset no member of the union"
    if _is_about_keys(question):
        return "each key that the map has in the old object already"
    mode = question.hints.mode(question.mismatch.path)
    if mode:
        return f"updates that change neither it nor {canonical_path(mode)}"
    trigger = next((canonical_path(write(one)) for one in _triggers(question)), "")
    return f"updates that set or unset neither it nor {trigger}" if trigger else "what did not change"


def describe_touched(question: Question, silent: str) -> str:
    """Say what an update does for which a silent check has to look at the value as the rule does: it changes the value,
    or anything of a list whose items have no keys.
    """
    whole = question.hints.unkeyed_list(question.mismatch.path) if silent == "handwritten" else None
    if whole is not None:
        return f"changes anything of {whole.path}"
    return "adds the key" if _is_about_keys(question) else "changes it"


def _is_about_keys(question: Question) -> bool:
    """Whether the rule looks at each key of a map, and skips those that the old map has, whatever their values."""
    return question.hints.is_about_keys(question.mismatch.path, question.mismatch.type, question.mismatch.origin)


def _triggers(question: Question) -> Iterator[JsonPath]:
    path = path_in_object(question, question.case.object)
    return ((*path[:-1], one.member) for one in question.declarations if one.place == "sibling")


class _Heard(NamedTuple):
    """A change of the value on which both sides report the error, and one on which the silent side does not.

    `old`: with another old value both report it. `is_fixed`: the silent side reports the change itself.
    """

    spoken: Case | None = None
    silent: Case | None = None
    old: bool = False
    is_fixed: bool = False
    tried: int = 0

    def confirmed_by(self, given: _Heard) -> _Heard:
        """Return what both modes show: silence counts only unprepared too, since preparation may undo the change."""
        is_silent = self.silent is not None or not (self.old or self.is_fixed)
        return _Heard(
            given.spoken,
            given.silent if is_silent else None,
            self.old or given.old,
            self.is_fixed or given.is_fixed,
            max(self.tried, given.tried),
        )


def _ask_changes(question: Question, path: JsonPath, case: Case) -> Experiment[_Heard]:
    changes = list(islice(_changed(case, path, question), _MAX_CHANGES))
    asked = [*changes, *islice(_with_other_old(case, path, question), _MAX_CHANGES)]
    answers = (yield _numbered(asked)) if asked else []
    spoken, silent, old, fixed, tried = None, None, False, False, 0
    for number, (one, answer) in enumerate(zip(asked, answers, strict=False)):
        if answer.failure is not None:
            continue
        tried += 1
        match reporters(question, answer):
            case (True, True):
                old |= number >= len(changes)
                spoken = spoken or (one if number < len(changes) else None)
            case (True, False):
                is_fixed = _is_fixed(question, answer)
                fixed |= is_fixed
                silent = silent or (None if is_fixed else one)
    return _Heard(spoken, silent, old, fixed, tried)


def _is_fixed(question: Question, answer: Answer) -> bool:
    """Whether the silent side reports that the value, or what contains it, may not be changed."""
    comparator, normalize = question.comparator, question.comparator.matcher.normalize
    path = canonical_path(normalize(question.mismatch.path))
    return any(
        error.origin in comparator.facts.of_changes and is_within(path, canonical_path(normalize(error.field)))
        for error in comparator.comparison.reported_by(question.silent, answer)
    )


def _numbered(cases: list[Case]) -> list[Case]:
    return [msgspec.structs.replace(one, id=number) for number, one in enumerate(cases)]


def _is_zero(value: Json) -> bool:
    """Whether validators may take a value for an absent one."""
    return value is ABSENT or not value


def _differ(one: Json, other: Json) -> bool:
    return one != other and not (_is_zero(one) and _is_zero(other))


def _changed(case: Case, path: JsonPath, question: Question) -> Iterator[Case]:
    """Yield the update with another new value, which is not the old one either."""
    before = look(case.old, path)
    for edit in edits_of(question):
        new = put(case.object, edit.path, edit.value)
        if look(new, path) is not ABSENT and _differ(look(new, path), before):
            yield msgspec.structs.replace(case, object=new)


def _with_other_old(case: Case, path: JsonPath, question: Question) -> Iterator[Case]:
    """Yield the update with another old value."""
    now = look(case.object, path)
    for edit in edits_of(question):
        old = put(case.old, edit.path, edit.value)
        if _differ(look(old, path), now):
            yield msgspec.structs.replace(case, old=old)


def _replace_old(question: Question, shown: Case, path: JsonPath, otherwise: Reason, tried: int) -> Experiment[Silence]:
    """Ask an update against accepted old objects; if it is reported then, ask what is wrong with the old one."""
    accepted = islice(question.hints.accepted(shown), _MAX_ACCEPTED)
    metadata = look(shown.old, (METADATA,))
    olds = [obj if metadata is ABSENT else put(obj, (METADATA,), metadata) for obj in accepted]
    others = [old for old in olds if look(old, path) != look(shown.object, path)]
    modes = dict.fromkeys((question.case.mode, shown.mode))
    asked = [msgspec.structs.replace(shown, old=old, mode=mode) for mode in modes for old in others]
    answers = (yield _numbered(asked)) if asked else []
    value = look(shown.object, path)
    if not any(one.failure is None and reporters(question, one) == (True, True) for one in answers):
        return Silence(otherwise, value, tried=tried)
    errors = yield from _errors_of_old(question, shown)
    return Silence("old-errors" if errors else "other-old", value, errors, tried=tried)


def _errors_of_old(question: Question, shown: Case) -> Experiment[tuple[FieldError, ...]]:
    """Return the errors that the silent side reports of the old object by itself, that of the mismatch last."""
    created = question.created()
    if created is None:
        return ()
    answers = yield _numbered([msgspec.structs.replace(created, object=shown.old)])
    reported_by, concerns = question.comparator.comparison.reported_by, question.comparator.concerns
    said = [error for one in answers if one.failure is None for error in reported_by(question.silent, one)]
    return tuple(sorted(said, key=lambda error: concerns(question.mismatch, error)))
