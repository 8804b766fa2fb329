"""Compares two validators of admission, such as a policy and a webhook: which requests a cluster denies with either.

A policy names no field, and users are told one denial of several. So the two agree about an object that both deny,
whatever they say, as validators of Python that are compared by their verdicts do (`harness.compare.two_validators`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from harness.compare.two_servers import Lists, TwoServers
from harness.compare.two_validators import NEW_ALONE, OLD_ALONE, Errors, TwoValidators
from harness.field import FieldError

if TYPE_CHECKING:  # causes import comparisons
    from harness.case import Answer
    from harness.compare.cause import Cause, Finder
    from harness.compare.mismatch import Mismatch
    from harness.field.error import Level


_QUOTED = re.compile(r"""\"(?:[^"\\]|\\.)*"|'[^']*'""")
_OF_OBJECT = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|[\w./-]*\d[\w./-]*")
"""What a message says of one object: in brackets, or with a digit."""
_LONGEST = 80
_WHILE = re.compile(r" ?\bwhile \S+ raises$")
"""Ends the origin of a denial: the rule of the other validator that raised and let the object pass."""


@dataclass(frozen=True, slots=True)
class TwoAdmissions(TwoValidators):
    """The comparison of two validators of admission, by name: the one of today, and the one that replaces it."""

    def reported_by(self, side: str, answer: Answer) -> tuple[FieldError, ...]:
        silent = OLD_ALONE if side == "handwritten" else NEW_ALONE
        return tuple(error for error in TwoServers.reported_by(self, side, answer) if error.level != silent)

    def describe_alone(self, error: FieldError, side: str) -> str:
        return TwoServers.describe_alone(self, error, side)

    def describe(self, mismatch: Mismatch, answer: Answer) -> str:
        return TwoServers.describe(self, mismatch, answer)

    def finder_of(self, cause: Cause) -> Finder:
        return cause.servers


def encode_verdicts(
    after: Sequence[FieldError], before: Sequence[FieldError], ignored: Sequence[FieldError] = ()
) -> Lists:
    """Return two lists in which the comparator finds a mismatch exactly if one of the two accepts the object.

    `ignored` is what the one that accepts it raised and let pass: a denial of the other is then a difference of its
    own, apart from that where a rule answered.
    """
    mine, theirs = (_beside(_once(errors), ignored) for errors in (after, before))
    if mine and theirs:
        shared = {error.field for error in mine} & {error.field for error in theirs} - {""}
        return (*_alone(mine, shared, NEW_ALONE), *_alone(theirs, shared, OLD_ALONE)), ()
    return tuple(msgspec.structs.replace(error, covered=True) for error in mine), theirs


def _once(errors: Iterable[FieldError]) -> Errors:
    """Drop errors with the text of an earlier one, and name the checks of the others."""
    return tuple({error.text: _named(error) for error in reversed([*errors])}.values())[::-1]


def _beside(errors: Errors, ignored: Sequence[FieldError]) -> Errors:
    """Name the rule that raised beside the check of each denial."""
    if not ignored:
        return errors
    raised = f" while {ignored[0].origin}"
    return tuple(msgspec.structs.replace(one, origin=f"{one.origin}{raised}".lstrip()) for one in errors)


def check_of(origin: str) -> str:
    """Return the check that denies, without the rule of the other validator that raised."""
    return _WHILE.sub("", origin)


def _alone(errors: Errors, shared: Collection[str], level: Level) -> Errors:
    """Mark the errors of one of two that deny the object; where both name one path, they speak of one thing."""
    return tuple(one if one.field in shared else msgspec.structs.replace(one, level=level) for one in errors)


def _named(error: FieldError) -> FieldError:
    """Name the check of an error without a path and an origin by what its words say of any object."""
    if error.field or error.origin or not error.detail:
        return error
    words = _OF_OBJECT.sub(" ", _QUOTED.sub(" ", error.detail)).split()
    return msgspec.structs.replace(error, origin=" ".join(words)[:_LONGEST])
