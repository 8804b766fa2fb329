"""The cause `wrong-path`."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question


def show(question: Question) -> Explanation | None:
    if question.mismatch.kind != "path":
        return None
    mismatch = question.mismatch
    call = question.words.call(mismatch.type, mismatch.detail) + question.in_file
    reporter = question.tag_or_rule if mismatch.side == "declarative" else call
    fix = f"let {reporter} report a JSON name that the type has instead of {question.where}"
    return Explanation("no field of the type has this path", fix)


WRONG_PATH = Cause(
    code="wrong-path",
    page="""
The error names a field that the type does not have.
Misspelt JSON names, and Go names in place of JSON names, are typical. The report names the nearest known field.
""",
    experiment="none: the type has no field of that path",
    example="""
`spec.volumes[0].cephFS: Required value`: the JSON name is `cephfs`.
""",
    sides=Finder(show=show),
    leads=True,
)
