"""Finds errors that both validators report in two forms, with another origin, type, path or detail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from harness.case import Answer
from harness.compare.cause import Question
from harness.compare.two_servers import AGAIN
from harness.errormatch.matcher import Matcher
from harness.field import FieldError
from harness.jsonpath import canonical_path, is_below, segments, without_subscripts

Difference: TypeAlias = Literal["origin", "type", "path", "words", "number"]


class OtherForm(NamedTuple):
    """An error of one validator, what may be the same error of the other, and the property in which they differ."""

    differs_in: Difference
    error: FieldError
    other: FieldError


def find_form_of_side(question: Question) -> OtherForm | None:
    """Find the other validator's form of the error of a mismatch, covered handwritten or declarative."""
    error, answer, matcher = question.error, question.answer, question.comparator.matcher
    if error is None or question.mismatch.kind not in ("unmatched", "extra"):
        return None
    alone = len(answer.handwritten) == len(answer.declarative) == 1  # then both must be the same error
    if question.mismatch.kind == "unmatched":
        return _find(error, _without_counterpart(answer, matcher), matcher, alone=alone)
    known = matcher.index(answer.declarative)
    free = [h for h in answer.handwritten if matcher.wanted(h) not in known]
    covered, others = [h for h in free if h.covered], [h for h in free if not h.covered]
    return _find(error, covered, matcher, alone=alone) or _find(error, others, matcher, alone=False)


def _without_counterpart(answer: Answer, matcher: Matcher) -> list[FieldError]:
    """Return the declarative errors without a covered counterpart. Uses an index, since lists may have thousands."""
    known = matcher.index(answer.declarative)
    matched = {number for h in answer.handwritten if h.covered for number in known.get(matcher.wanted(h), ())}
    return [d for number, d in enumerate(answer.declarative) if number not in matched]


def _find(error: FieldError, others: Sequence[FieldError], matcher: Matcher, *, alone: bool) -> OtherForm | None:
    field = matcher.normalize(error.field)
    normalized = [(other, matcher.normalize(other.field)) for other in others]
    for other, path in normalized:
        if path == field and other.type == error.type:
            return OtherForm("origin", error, other)
    for other, path in normalized:
        if path == field and other.origin == error.origin:
            return OtherForm("type", error, other)
    moved = [
        other
        for other, path in normalized
        if (other.type, other.origin) == (error.type, error.origin) and (alone or _related(error, field, other, path))
    ]
    return OtherForm("path", error, moved[0]) if len(moved) == 1 else None


def _related(error: FieldError, field: str, other: FieldError, path: str) -> bool:
    """Whether two errors may be about one field: equal detail, equal last name, or one path contains the other."""
    if error.detail and error.detail == other.detail:
        return True
    one, two = canonical_path(field), canonical_path(path)
    return one == two or is_below(two, one) or is_below(one, two) or segments(one)[-1] == segments(two)[-1]


def find_form_of_server(question: Question) -> OtherForm | None:
    """Find the other server's form of the error of a mismatch: other words, another type or another path."""
    answer, mismatch, comparator = question.answer, question.mismatch, question.comparator
    ours, theirs = [error for error in answer.handwritten if error.covered], list(answer.declarative)
    if mismatch.side == "declarative":
        ours, theirs = theirs, ours
    error = next((one for one in ours if comparator.concerns(mismatch, one)), None)
    if mismatch.kind == "served" or error is None:
        return None
    repeated = next((one for one in answer.handwritten if not one.covered and one.field == error.field), None)
    if repeated is not None and comparator.concerns(mismatch, repeated) and error.detail.endswith(AGAIN):
        return OtherForm("number", error, repeated)
    same_path = [other for other in theirs if other.field == error.field]
    same = next((other for other in same_path if other.type == error.type), None)
    if same is not None:
        return OtherForm("words", error, same)
    if same_path:
        return OtherForm("type", error, same_path[0])
    moved = [other for other in theirs if _may_have_moved(error, other)]
    return OtherForm("path", error, moved[0]) if len(moved) == 1 else None


def _may_have_moved(error: FieldError, other: FieldError) -> bool:
    """Whether two errors have the same type and detail, or paths that differ in subscripts only."""
    if (error.type, error.detail) == (other.type, other.detail) and error.detail:
        return True
    ours, theirs = (without_subscripts(one.field) for one in (error, other))
    return ours == theirs


def order_errors(form: OtherForm, question: Question) -> tuple[FieldError, FieldError]:
    """Return the two errors of a form, the one of the server before first."""
    return (form.error, form.other) if question.mismatch.side == "declarative" else (form.other, form.error)


def expect_errors_of(server: str) -> str:
    """Return the fix for an error that a server reports in another form."""
    return f"let programs that read these errors expect those of {server}"
