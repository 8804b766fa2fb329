"""The cause `conversion`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "conversion":
        return None
    version = question.mismatch.origin
    return Explanation(
        "", f"let the conversion from and to {version} keep the value: in a field of {version}, or in an annotation"
    )


CONVERSION = Cause(
    code="conversion",
    page="""
A conversion loses or changes a value of an accepted object.
A client that reads the object in another served version and writes it back, as `kubectl edit` does, stores another
object. The version has no field for the value, or its conversion function leaves it out. Annotations are not compared,
because conversions keep there what a version has no field for; nor are values that a conversion adds, as defaults do.
""",
    experiment="none: the object is converted to each served version, written as JSON, read, and converted back",
    example="""
`v1` has `spec.replicas` and `spec.paused`, and `v1beta1` only the first: a client of `v1beta1` unpauses what it writes.
""",
    sides=Finder(show=show),
    extent="rule",
)
