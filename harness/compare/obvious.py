"""Causes that the two lists show by themselves, without another question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harness.case import Answer, Case, Failure
from harness.compare import remedies
from harness.compare.comparator import Comparator
from harness.compare.finding import Cause
from harness.compare.mismatch import Mismatch
from harness.field import ErrorType, FieldError
from harness.jsonpath import canonical_path, is_below, segments


class CauseFound(NamedTuple):
    """A cause, what shows it in words, and a proposed fix.

    One that `is_guess` stands unless an experiment knows better.

    `partner` is the error of the other side that is meant. `shown` is the case that shows it, with its answer, where
    the case that was judged does not.
    """

    cause: Cause
    detail: str
    fix: str
    partner: FieldError | None = None
    shown: tuple[Case, Answer] | None = None
    is_guess: bool = False


def obvious(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> CauseFound | None:
    """Return the cause when the two lists show it without another question."""
    match mismatch.kind:
        case "panic":
            return _crash(answer.failure)
        case "self":
            fix = "let the validator read the object only, and walk maps in a sorted order"
            return CauseFound("unstable", "two answers to one case, or a changed object", fix)
        case "composition":
            return CauseFound("composition", "", "report it: the harness or the target composes lists wrongly")
        case "path":
            fix = f"report a JSON name that the type has instead of {canonical_path(mismatch.path)}"
            return CauseFound("wrong-path", "no field of the type has this path", fix)
        case "version":
            rule = rule_of(mismatch, comparator)
            return CauseFound("version", "", f"declare the same rule, at the same level, in every version: {rule}")
        case "unmatched":
            return _obvious_unmatched(answer, mismatch, comparator)
        case "extra":
            return _obvious_extra(answer, mismatch, comparator)
        case "served":
            return _obvious_served(answer, mismatch, comparator)


def _crash(failure: Failure | None) -> CauseFound:
    if failure is not None and failure.at:
        fix = f"let the code at {failure.at} take this object without an exception"
        return CauseFound("panic", f"a validator crashed at {failure.at}", fix)
    return CauseFound("panic", "a validator crashed", "guard the nil value or the index that the message names")


def rule_of(mismatch: Mismatch, comparator: Comparator) -> str:
    tag = comparator.facts.tag_for(mismatch.type, mismatch.origin)
    return f"{tag} on {remedies.place(mismatch)}" if tag else remedies.place(mismatch)


def _obvious_unmatched(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> CauseFound | None:
    error = error_of(mismatch, answer.handwritten, comparator, covered=True)
    if error is None:
        return None
    counterpart = next((d for d in answer.declarative if comparator.matcher.matches(error, d)), None)
    if counterpart is not None:
        detail = f"the rule is already standard: {counterpart.text}"
        return CauseFound("duplicate", detail, "delete the handwritten check")
    free = _without_twin(answer, comparator)
    found = _one_thing_else(error, free, mismatch, comparator, alone=_alone(answer))
    return found or _stopped(error, answer, comparator)


def _obvious_extra(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> CauseFound | None:
    error = error_of(mismatch, answer.declarative, comparator)
    if error is None:
        return None
    if error.type == ErrorType.INTERNAL:
        fix = "define every option that a tag names, and let the rule run"
        return CauseFound("no-counterpart", f"a rule could not run: {error.detail}", fix)
    counterpart = next((h for h in answer.handwritten if comparator.matcher.matches(h, error)), None)
    if counterpart is not None:
        return CauseFound(
            "unmarked", f"the handwritten side reports it without a mark: {counterpart.text}", remedies.mark(mismatch)
        )
    known = comparator.matcher.index(answer.declarative)
    free = [h for h in answer.handwritten if comparator.matcher.wanted(h) not in known]
    covered = [h for h in free if h.covered]
    return _one_thing_else(error, covered, mismatch, comparator, alone=_alone(answer)) or _one_thing_else(
        error, [h for h in free if not h.covered], mismatch, comparator, alone=False
    )


def _obvious_served(answer: Answer, mismatch: Mismatch, comparator: Comparator) -> CauseFound | None:
    if mismatch.side == "both":
        fix = "use the same words on both sides, or add the pair to trusted_wordings.yaml with a reason"
        # Where one side says it of one value more than the other, an experiment may tell why: words are a guess.
        lists = answer.handwritten, answer.declarative
        counts = {sum(comparator.concerns(mismatch, error) for error in errors) for errors in lists}
        found = CauseFound("wording", "type, field and origin agree, the words do not", fix)
        return found._replace(is_guess=len(counts) > 1)
    concerned = [e for e in (*answer.handwritten, *answer.declarative) if comparator.concerns(mismatch, e)]
    handwritten = [e for e in answer.handwritten if comparator.concerns(mismatch, e)]
    marked = [e for e in handwritten if e.covered]
    levels = {e.level for e in concerned}
    if marked and len(levels) > 1:
        words = " and ".join(sorted(level or "standard" for level in levels))
        return CauseFound("gate", f"the levels of check and rule differ: {words}", "give both the same level")
    if len(concerned) > 1:
        both = handwritten and len(handwritten) < len(concerned)
        sides = "by both sides" if both else "twice by one side"
        fix = "delete the handwritten check, or the second call of it"
        if not handwritten:
            fix = "let the rule say it once, or at what it is about: users cannot tell one from the other"
        return CauseFound("duplicate", f"reported {sides}", fix)
    return _stopped(handwritten[0], answer, comparator) if handwritten else None


def error_of(
    mismatch: Mismatch, errors: Sequence[FieldError], comparator: Comparator, *, covered: bool = False
) -> FieldError | None:
    found = [error for error in errors if comparator.concerns(mismatch, error) and error.covered >= covered]
    return next((error for error in found if error.field == mismatch.path), found[0] if found else None)


def _without_twin(answer: Answer, comparator: Comparator) -> list[FieldError]:
    """Return the declarative errors that no mark stands for. By an index: there may be thousands on each side."""
    matcher = comparator.matcher
    known = matcher.index(answer.declarative)
    taken = {number for h in answer.handwritten if h.covered for number in known.get(matcher.wanted(h), ())}
    return [d for number, d in enumerate(answer.declarative) if number not in taken]


def _alone(answer: Answer) -> bool:
    """Whether each side says just one thing, so that both can only mean the same."""
    return len(answer.handwritten) == len(answer.declarative) == 1


def _one_thing_else(
    error: FieldError, others: Sequence[FieldError], mismatch: Mismatch, comparator: Comparator, *, alone: bool
) -> CauseFound | None:
    """Find the one error of the other side that differs in just origin, type or path."""
    place = comparator.matcher.normalize(error.field)
    beside = [(other, comparator.matcher.normalize(other.field)) for other in others]
    for other, path in beside:
        if path == place and other.type == error.type:
            return _other_origin(error, other, mismatch)
    for other, path in beside:
        if path == place and other.origin == error.origin:
            detail = f"one side says {error.type}, the other {other.type}"
            fix = f"report one type on {remedies.place(mismatch)}, the one users know"
            return CauseFound("type", detail, fix, other)
    moved = [
        (other, path)
        for other, path in beside
        if (other.type, other.origin) == (error.type, error.origin) and (alone or _related(error, place, other, path))
    ]
    if len(moved) != 1:
        return None
    other = moved[0][0]
    fix = remedies.move(canonical_path(error.field), canonical_path(other.field))
    return CauseFound("path", f"the other side reports it at {other.field}", fix, other)


def _other_origin(error: FieldError, other: FieldError, mismatch: Mismatch) -> CauseFound:
    ours, theirs = error.origin or "none", other.origin or "none"
    known = (error if mismatch.side == "declarative" else other).origin
    if error.origin == other.origin:  # Invalid without origin on both sides: the matcher wants one
        return CauseFound(
            "origin", "both errors lack an origin, so nothing tells their rules apart", "give both an origin"
        )
    fix = f'let the handwritten error say .WithOrigin("{known}")' if known else "give both errors the same origin"
    return CauseFound("origin", f"the origins differ: {ours} and {theirs}", fix)


def _related(error: FieldError, place: str, other: FieldError, path: str) -> bool:
    """Whether two paths may well mean one field: same words, one above the other, or the same last name."""
    if error.detail and error.detail == other.detail:
        return True
    one, two = canonical_path(place), canonical_path(path)
    return one == two or is_below(two, one) or is_below(one, two) or segments(one)[-1] == segments(two)[-1]


def _stopped(error: FieldError, answer: Answer, comparator: Comparator) -> CauseFound | None:
    """Find a declarative short-circuit on the same field or above it."""
    for other in answer.declarative:
        if other.short_circuit and (
            comparator.matcher.stops(other, error) or comparator.matcher.normalize(other.field) == error.field
        ):
            return short_circuit(other)
    return None


def short_circuit(other: FieldError) -> CauseFound:
    fix = "let the handwritten check stop there too, or set ShortCircuitMismatch for the kind"
    return CauseFound("short-circuit", f"the declarative side stops at {other.text}", fix)
