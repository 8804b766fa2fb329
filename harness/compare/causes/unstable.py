"""The cause `unstable`: an answer disagrees with itself, or a case that is asked again gets another one."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "self":
        return None
    fix = "let the validator read the object only, and walk maps in a sorted order"
    return Explanation("two answers to one case, or a changed object", fix)


def describe_doubt(detail: str, is_gone: bool) -> Explanation:
    """Say that the case of a finding got different answers; with `is_gone` it did not show again at all."""
    how = "it does not show" if is_gone else "there is another answer"
    return Explanation(
        f"{detail}; {how} when the same case is asked again",
        "look for a clock, a counter or a walk over a map that the answer depends on",
        cause=UNSTABLE.code,
        experiment=UNSTABLE.experiment,
    )


UNSTABLE = Cause(
    code="unstable",
    page="""
The same case gave two different answers.
No experiment on such a case is conclusive. Look for an iteration over a map, a clock or a counter. Times that the
object leaves out are set before it is asked again, so that a default of the present alone is no reason.
""",
    experiment="the same case asked again, several times, and with its times set",
    example="""
A validator that walks a map and stops at the first wrong value reports another one of two wrong values each time.
""",
    sides=Finder(show=show),
    servers=Finder(show=show),
    validators=Finder(show=show),
    told_by="harness/engine/explain.py",
)
