"""The cause `unknown`: of what only the served lists show, and no experiment explains."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def remain(question: Question) -> Explanation:
    return Explanation("", "compare the two lists of the report")


def describe_no_answer(question: Question) -> Explanation:
    """Say that the target answered no experiment, so that nothing is known of why it differs."""
    detail = f"none of the {question.asked} cases of experiments was answered, so that its cause is not known"
    return Explanation(detail, "compare the two lists of the report, or ask a target that answers other cases too")


UNKNOWN = Cause(
    code="unknown",
    page="""
No experiment gave an explanation, or the target answered none: a recording answers no other cases, and a process may
die of them.
The difference is as real as any other, and the smallest object is in the report. Please report it: a missing
experiment is a bug of the harness.
""",
    experiment="every one that applies; none explains it",
    example="""
The served lists differ under one setting of the gates, and no change of the object or of an option makes them agree.
""",
    sides=Finder(remain=remain),
    servers=Finder(remain=remain),
    validators=Finder(remain=remain),
    is_silence=True,
)
