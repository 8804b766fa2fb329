"""The cause `pruned`: the server after drops a field that the one before keeps."""

from __future__ import annotations

from harness.compare.cause import Cause, Explanation, Finder, Question
from harness.compare.two_servers import PRUNED


def show(question: Question) -> Explanation | None:
    """See that the error stands for a field that was dropped."""
    if question.mismatch.origin != PRUNED:
        return None
    before, after = question.names
    return Explanation(
        f"{before} keeps {question.where}, {after} drops it: its schema does not know the field",
        f"keep the field in the schema, or move what is stored there before users get {after}",
    )


PRUNED_FIELD = Cause(
    code="pruned",
    page="""
The new schema does not know a field that users may set today: the server drops it.
What is stored there is lost at the next write. kubectl asks for strict validation and is refused; other clients get a
warning at most. Keep the field in the schema, with `x-kubernetes-preserve-unknown-fields` if need be, until no object
has it. A field that only the new schema knows is no difference: nobody has an object with it.
""",
    experiment="none: each server says which fields it dropped",
    example="""
`spec.legacyName` is kept by the schema of `v1.0.0`, and dropped by that of `v1.1.0`, which has no such field.
""",
    servers=Finder(show=show),
)
