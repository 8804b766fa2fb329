"""The comparison *covered*: each covered handwritten error and each compared declarative error needs a counterpart.

Every generation of the migration matches differently. The result is the number in upstream's mismatch metric.
Source: apiserver pkg/registry/rest/validate.go of 1.35, 1.36 and 1.37; semantics.md#7.4, #7.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.case import Composition, KindInfo
from harness.errormatch.matcher import Matcher
from harness.field import FieldError


class Gathered(NamedTuple):
    """The mismatches that a server counts: covered handwritten and declarative errors without a counterpart."""

    unmatched: list[FieldError]
    extra: list[FieldError]


def candidates(declarative: Sequence[FieldError], composition: Composition) -> list[FieldError]:
    """Return the declarative errors that need a counterpart: with levels, standard ones do not."""
    if composition in ("levels", "explicit"):
        return [error for error in declarative if error.level]
    return list(declarative)


def gather(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, matcher: Matcher
) -> Gathered:
    """Compare two lists as a server of this generation does."""
    compared = candidates(declarative, info.composition)
    if not any(error.covered for error in handwritten):
        return Gathered([], compared)
    once = _drop_duplicates(handwritten) if info.composition == "takeover" else unique(handwritten, matcher)
    covered = [error for error in once if error.covered]
    if info.composition == "levels":
        return _many_to_many(covered, compared, matcher, stops=info.short_circuit_mismatch)
    return _one_to_many(covered, compared, matcher)


def unique(errors: Sequence[FieldError], matcher: Matcher) -> list[FieldError]:
    """Drop every error that an earlier one matches, which may hide a covered one behind an uncovered one."""
    if len(errors) < 2:
        return list(errors)
    by_key = matcher.index(errors)
    dropped: set[int] = set()
    for number, error in enumerate(errors):
        if number not in dropped:
            dropped.update(other for other in by_key.get(matcher.wanted(error), ()) if other > number)
    return [error for number, error in enumerate(errors) if number not in dropped]


def _drop_duplicates(errors: Sequence[FieldError]) -> list[FieldError]:
    first: dict[tuple[str, ...], FieldError] = {}
    for error in errors:
        first.setdefault((error.type, error.field, error.value, error.origin, error.detail), error)
    return list(first.values())


def _many_to_many(covered: list[FieldError], compared: list[FieldError], matcher: Matcher, *, stops: bool) -> Gathered:
    unmatched: list[FieldError] = []
    by_key = matcher.index(compared)
    matched: set[int] = set()
    for error in covered:
        hits = by_key.get(matcher.wanted(error), ())
        matched.update(hits)
        # A short-circuit explains the missing counterpart, but has no counterpart itself.
        if not hits and not (stops and any(matcher.stops(other, error) for other in compared)):
            unmatched.append(error)
    return Gathered(unmatched, [error for number, error in enumerate(compared) if number not in matched])


def _one_to_many(covered: list[FieldError], compared: list[FieldError], matcher: Matcher) -> Gathered:
    """Match as older servers do: a declarative error matches at most one handwritten error."""
    unmatched: list[FieldError] = []
    by_key = matcher.index(compared)
    matched: set[int] = set()
    for error in covered:
        hits = [number for number in by_key.get(matcher.wanted(error), ()) if number not in matched]
        matched.update(hits)
        if not hits:
            unmatched.append(error)
    return Gathered(unmatched, [error for number, error in enumerate(compared) if number not in matched])
