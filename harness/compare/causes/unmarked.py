"""The cause `unmarked`."""

from __future__ import annotations

import msgspec

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    """See the counterpart of a declarative error among the handwritten ones without a mark."""
    error, matcher = question.error, question.comparator.matcher
    if question.mismatch.kind != "extra" or error is None:
        return None
    counterpart = next((h for h in question.answer.handwritten if matcher.matches(h, error)), None)
    if counterpart is None:
        return None
    detail = f"the handwritten side reports it without a mark: {counterpart.text}"
    mark = f"add {question.words.mark} to {question.check_of(counterpart)}"
    if question.is_mended(counterpart, msgspec.structs.replace(counterpart, covered=True)):
        return Explanation(detail, mark, tried="gone")
    return Explanation(detail, f"{mark}, and make level, words and number of both sides the same")


UNMARKED = Cause(
    code="unmarked",
    page="""
The handwritten error is present, with the same key, but is not marked as covered.
Mark the handwritten error: the fix names the call. Until then the user gets it twice, or the rule cannot replace
it.
""",
    experiment="none: the lists show it",
    example="""
Both lists have `spec.name: Required value`, and that of the check has no mark.
""",
    sides=Finder(show=show),
    extent="rule",
)
