"""The cause `generated`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "generated":
        return None
    command = f" ({question.words.generate})" if question.words.generate else ""
    return Explanation(
        "",
        f"generate the validation code anew from the tags{command}, and do not edit it by hand; if that changes "
        "nothing, report it: the harness reads the tags otherwise than the generator",
    )


GENERATED = Cause(
    code="generated",
    page="""
Generated code does not report what the tags say that it was generated from.
A tag was changed and the code was not generated anew, or generated code was edited or merged by hand. The tags are
compiled a second time, to Python, and both are given the same object: as it was defaulted, prepared and converted.
Once somebody generates the code anew, users are served the list of the tags; the severity says what they notice then.
If the code is new, please report it: the harness compiles the tag otherwise than the generator.
""",
    experiment="none: the list of the target is compared with the list of its own tags, compiled to Python",
    example="""
The tag of a list allows 32 items, and its generated code 33.
""",
    sides=Finder(show=show),
    extent="rule",
)
