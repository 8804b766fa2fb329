"""The cause `composition`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "composition":
        return None
    return Explanation("", "report it: the harness or the target composes lists wrongly")


COMPOSITION = Cause(
    code="composition",
    page="""
The target served another list than the rules of composition give.
See the mismatch of the same name.
""",
    experiment="none: the lists that the target composed are compared with those composed of its two lists",
    example="""
Under `beta-on` the target serves no error, and its handwritten list has one that no rule covers.
""",
    sides=Finder(show=show),
)
