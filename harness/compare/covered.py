"""Comparison *covered*: each handwritten error marked as covered has a twin, each counted declarative error has one.

Every generation of the migration counts differently; this is what feeds upstream's mismatch metric. Source: apiserver
pkg/registry/rest/validate.go of 1.35, 1.36 and 1.37; DV 7.4, 7.6.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from harness.case import Composition, KindInfo
from harness.errormatch.matcher import Matcher
from harness.field import FieldError


class Gathered(NamedTuple):
    """What a server would count: covered handwritten errors without twin, declarative errors without twin."""

    unmatched: list[FieldError]
    extra: list[FieldError]


def candidates(declarative: Sequence[FieldError], composition: Composition) -> list[FieldError]:
    """Return the declarative errors that are compared at all: with levels, standard ones need no twin."""
    if composition in ("levels", "explicit"):
        return [error for error in declarative if error.level]
    return list(declarative)


def gather(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, matcher: Matcher
) -> Gathered:
    """Compare two lists as a server of this generation does."""
    compared = candidates(declarative, info.composition)
    same = _exactly if info.composition == "takeover" else matcher.matches
    covered = [error for error in unique(handwritten, same) if error.covered]
    if info.composition == "levels":
        return _many_to_many(covered, compared, matcher, stops=info.short_circuit_mismatch)
    return _one_to_many(covered, compared, matcher)


def unique(errors: Sequence[FieldError], same: Callable[[FieldError, FieldError], bool]) -> list[FieldError]:
    """Drop every error that is the same as an earlier one, which may hide a covered one behind an uncovered one."""
    if len(errors) < 2:
        return list(errors)
    kept: list[FieldError] = []
    for error in errors:
        if not any(same(earlier, error) for earlier in kept):
            kept.append(error)
    return kept


def _exactly(first: FieldError, second: FieldError) -> bool:
    return (first.type, first.field, first.value, first.origin, first.detail) == (
        second.type,
        second.field,
        second.value,
        second.origin,
        second.detail,
    )


def _many_to_many(covered: list[FieldError], compared: list[FieldError], matcher: Matcher, *, stops: bool) -> Gathered:
    unmatched: list[FieldError] = []
    matched = [False] * len(compared)
    for error in covered:
        hit = False
        for index, other in enumerate(compared):
            if matcher.matches(error, other):
                hit = matched[index] = True
        # A short-circuit accounts for the handwritten error but stays without twin itself.
        if not hit and not (stops and any(matcher.stops(other, error) for other in compared)):
            unmatched.append(error)
    return Gathered(unmatched, [error for error, hit in zip(compared, matched, strict=True) if not hit])


def _one_to_many(covered: list[FieldError], compared: list[FieldError], matcher: Matcher) -> Gathered:
    unmatched: list[FieldError] = []
    for error in covered:
        remaining = [other for other in compared if not matcher.matches(error, other)]
        if len(remaining) == len(compared):
            unmatched.append(error)
        compared = remaining
    return Gathered(unmatched, compared)
