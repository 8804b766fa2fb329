"""Compares two validators of Python: what callers get from the old one today, and from the new one after a migration.

The two lists of an answer are those of two servers (`harness.compare.two_servers`), the new validator being the server
after: a difference is a covered error, or a declarative one. `encode_pair` decides what a difference is. An error of
one validator that is no difference, because both reject the object, stands in the list without a mark of its own to the
search, which repairs it, and with the level of its validator to experiments, which ask who reported it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import msgspec

from harness.case import Answer
from harness.compare.mismatch import Mismatch, Signature
from harness.compare.two_servers import TwoServers, direction_of, served_after, served_before
from harness.field import FieldError

if TYPE_CHECKING:  # causes import comparisons
    from harness.compare.cause import Cause, Finder
    from harness.field.error import Level

OLD_ALONE: Level = "alpha"
NEW_ALONE: Level = "beta"
"""The levels of errors that one validator reports and that are no difference. Errors of Python have no level."""


@dataclass(frozen=True, slots=True)
class TwoValidators(TwoServers):
    """The comparison of two validators, by name: `the old function` and `the new model`."""

    def reporters(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> tuple[bool, bool]:
        new = any(error.covered or error.level != OLD_ALONE for error in handwritten)
        old = bool(declarative) or any(not error.covered and error.level != NEW_ALONE for error in handwritten)
        return new, old

    def is_resolved(self, mismatch: Mismatch, shown: Collection[Signature]) -> bool:
        return mismatch.signature not in shown

    def is_agreement(self, handwritten: Sequence[FieldError], declarative: Sequence[FieldError]) -> bool:
        return not declarative and not any(error.covered for error in handwritten)

    def describe_alone(self, error: FieldError, side: str) -> str:
        silent = self.before if side == "handwritten" else self.after
        return f"{silent} accepts what {self.name_of(side)} rejects: {error.text}"

    def describe(self, mismatch: Mismatch, answer: Answer) -> str:
        if mismatch.kind == "panic":
            return f"{self.name_of(mismatch.side)} crashed with {mismatch.detail}"
        if mismatch.kind == "self":
            return mismatch.detail
        before, after = served_before(answer), served_after(answer)
        match direction_of(before, after):
            case "newly-rejected":
                return f"{self.before} accepts, {self.after} rejects: {_texts(after)}"
            case "newly-accepted":
                return f"{self.before} rejects, {self.after} accepts: {_texts(before)}"
        return f"both reject, with other errors: {mismatch.detail}"

    def grade(self, answer: Answer) -> Literal["verdict", "visible"]:
        if answer.failure is not None:
            return "verdict" if answer.failure.panic else "visible"
        direction = direction_of(served_before(answer), served_after(answer))
        return "visible" if direction == "other-errors" else "verdict"

    def finder_of(self, cause: Cause) -> Finder:
        return cause.validators


def _texts(errors: Sequence[FieldError]) -> str:
    return "; ".join(error.text.removeprefix(": ") for error in errors[:3])


_MOST = 20
"""An error without a path stands at this many paths at most."""
Errors = tuple[FieldError, ...]


def encode_pair(
    old: Sequence[FieldError],
    new: Sequence[FieldError],
    compare: Literal["verdict", "paths", "errors"],
    are_mute: tuple[bool, bool] = (True, True),
) -> tuple[Errors, Errors]:
    """Return two lists in which the comparator finds a mismatch exactly if the validators differ.

    With `verdict` they differ if one of them accepts, with `paths` also for a path at which only one of them reports an
    error, with `errors` also for a message that only one of them has at a path. `are_mute` says of the old and the new
    validator whether errors without a path may be about any value: one that names no path is compared by its verdict.
    """
    mute_old, mute_new = (
        is_mute and not any(error.field for error in errors)
        for is_mute, errors in zip(are_mute, (old, new), strict=True)
    )
    if old and new and (compare == "verdict" or mute_old or mute_new):
        mine, theirs = _alone(new, old, NEW_ALONE, mute_new, mute_old), _alone(old, new, OLD_ALONE, mute_old, mute_new)
        return _once((*mine, *theirs)), ()
    old, new = _once(old), _once(new)
    if not new:
        return (), old
    if not old:
        return tuple(_covered(error) for error in new), ()
    keys_of = _field_of if compare == "paths" else _words_of
    known_old, known_new = set(map(keys_of, old)), set(map(keys_of, new))
    mine = [_covered(error) for error in new if keys_of(error) not in known_old]
    both = [error for error in new if keys_of(error) in known_old]
    return (*mine, *both), tuple(error for error in old if keys_of(error) not in known_new)


def _once(errors: Iterable[FieldError]) -> Errors:
    """Drop errors with the text of an earlier one: both validators may say the same."""
    return tuple({(one.field, one.type, one.value, one.detail): one for one in errors}.values())


def _field_of(error: FieldError) -> tuple[str, ...]:
    return (error.field,)


def _words_of(error: FieldError) -> tuple[str, ...]:
    return error.field, error.detail


def _covered(error: FieldError) -> FieldError:
    return msgspec.structs.replace(error, covered=True)


def _alone(
    errors: Sequence[FieldError], others: Sequence[FieldError], level: Level, is_mute: bool, are_others_mute: bool
) -> Iterable[FieldError]:
    """Mark the errors at whose path the other validator reports nothing.

    An error that may be about any value stands at each path of the other validator.
    """
    fields = {one.field for one in others}
    if is_mute:
        errors = [msgspec.structs.replace(error, field=field) for error in errors for field in sorted(fields)[:_MOST]]
    for error in errors:
        is_shared = error.field in fields or are_others_mute
        yield error if is_shared else msgspec.structs.replace(error, level=level)
