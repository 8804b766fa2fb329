"""The cause `schema`: one of two servers cannot read the object, or does not know a field of it."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.given import ask_for_given, find_difference


def show(question: Question) -> Explanation | None:
    """See that one of the two cannot read the object: that is told as an error without a field."""
    side, answer = question.mismatch.side, question.answer
    errors = question.select(answer.handwritten if side == "handwritten" else answer.declarative)
    error = next(iter(errors), None)
    if error is None or error.field or not error.detail.startswith(("decode failed", "convert failed")):
        return None
    before, after = question.names
    name, other = (after, before) if side == "handwritten" else (before, after)
    return Explanation(f"{name} cannot read what {other} reads: {error.detail}", f"send {name} what its types allow")


def search(question: Question) -> Experiment[Explanation | None]:
    found = yield from question.search_once(find_difference)
    if found is None or not found.lacking or found.is_known:
        return None
    return Explanation(
        f"{found.lacking} does not know the field {found.path}: it reads the object without it",
        f"use {found.path} only where every server is {question.names[1]}",
    )


SCHEMA = Cause(
    code="schema",
    page="""
One of two targets does not know a field, or cannot decode a value that the other decodes.
Each shows what it decoded; without the field both serve the same. Use the field only where every server
knows it.
""",
    experiment="the objects that both validate, and the same object without the field",
    example="""
`spec.newField` is set: the release that users have reads the object without it.
""",
    servers=Finder(show=show, trials=ask_for_given, search=search),
)
