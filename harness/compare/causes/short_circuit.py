"""The cause `short-circuit`: the lists show what stops the rule, or it runs once another error is repaired."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.unmasking import unmask
from harness.field import FieldError
from harness.jsonpath import is_below


def show(question: Question) -> Explanation | None:
    """See an error that stops others on the same field or above it."""
    match question.mismatch.kind:
        case "unmatched":
            error = question.error
        case "served" if question.mismatch.side != "both":
            error = next(iter(question.select(question.answer.handwritten)), None)
        case _:
            return None
    if error is None:
        return None
    matcher = question.comparator.matcher
    for other in question.answer.declarative:
        is_here = matcher.stops(other, error) or matcher.normalize(other.field) == error.field
        if other.short_circuit and is_here:
            return _describe(other, question)
    return None


def search(question: Question) -> Experiment[Explanation | None]:
    unmasked = yield from unmask(question)
    if unmasked.error is None or question.mismatch.side == "declarative":
        return None
    return _describe(unmasked.error, question)


def remain(question: Question) -> Explanation | None:
    """Take an error on the same field or above it for the reason: before 1.37 none says whether it stops others."""
    error, comparator = question.error, question.comparator
    if error is None or question.mismatch.kind != "unmatched" or comparator.info.composition == "levels":
        return None
    for other in question.answer.declarative:
        field = comparator.matcher.normalize(other.field)
        if field == error.field or is_below(error.field, field):
            detail = f"the declarative side reports {other.text}, which stops other rules if it short-circuits"
            return _describe(other, question)._replace(detail=detail)
    return None


def _describe(error: FieldError, question: Question) -> Explanation:
    stop = f", or {question.words.stop}" if question.words.stop else ""
    fix = f"let the handwritten code stop there too, before it reaches {question.check}{stop}"
    return Explanation(f"the declarative side stops at {error.text}", fix)


SHORT_CIRCUIT = Cause(
    code="short-circuit",
    page="""
A short-circuiting declarative rule failed on this field or one above it, so the rule that would have matched did not
run.
With that error repaired, both sides agree. Make the handwritten check return early as well, or ignore the
mismatch, which disappears with the other error.
""",
    experiment="none where the list marks the error that stops others; else the other errors repaired",
    example="""
`spec.items: Too many` stops the rules of each item, and the check reports `spec.items[0].name: Required value` too.
""",
    sides=Finder(show=show, search=search, remain=remain),
)
