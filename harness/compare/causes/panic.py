"""The cause `panic`."""

from __future__ import annotations

from harness.case import STOPPED
from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "panic":
        return None
    failure = question.answer.failure
    stage = "" if failure is None else failure.stage
    code = "what defaults and prepares the object" if stage in ("decode", "prepare") else "a validator"
    if failure is not None and failure.message.startswith(STOPPED):
        return Explanation(f"{code} did not end", "look for a loop or a recursion that does not end on this object")
    if failure is not None and failure.stage == "worker":
        return Explanation(
            "the process of the validators ended, or did not answer in time",
            "look for what ends the process or keeps it busy on this object: an exit, an endless loop, memory",
        )
    if failure is not None and failure.at:
        return Explanation(
            f"{code} crashed at {failure.at}",
            f"let the code at {failure.at} take this object",
        )
    return Explanation(f"{code} crashed", "guard the nil value or the index that the message names")


PANIC = Cause(
    code="panic",
    page="""
A validator crashed, or the code that defaults and prepares the object before it is validated.
The stage and the message are in the report; the usual reason is a nil pointer where a part of the object is absent.
The mismatch of the same name describes what clients see.
""",
    experiment="none: the answer is the crash",
    example="""
`spec.template` is absent, and the check reads `spec.template.name`.
""",
    sides=Finder(show=show),
    validators=Finder(show=show),
)
