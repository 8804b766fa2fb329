"""The cause `masked`."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question
from harness.compare.unmasking import unmask


def search(question: Question) -> Experiment[Explanation | None]:
    unmasked = yield from unmask(question)
    error = unmasked.error
    if error is None or question.mismatch.side != "declarative":
        return None
    return Explanation(
        f"the handwritten side does not get to its check because of {error.text}; without it both sides agree",
        f"let the handwritten validator go on after the error on {error.field}, to {question.check}",
        spoken=unmasked.spoken,
        masking=error,
    )


def search_of_servers(question: Question) -> Experiment[Explanation | None]:
    if question.mismatch.kind == "served":
        return None
    unmasked = yield from unmask(question, uncovers=False)
    if unmasked.error is None:
        return None
    return Explanation(
        f"{question.name_of(question.silent)} stops at {unmasked.error.text}; without it both agree",
        f"expect other errors beside this one from {question.names[1]}",
    )


MASKED = Cause(
    code="masked",
    page="""
The handwritten side did not get to its check because of another error: it returned early, or took another branch.
With the other error repaired, both sides agree. Repairs remove fields or set other values, several in turn if one early
return hides the next; they leave the value of the difference as it is. Users see the second error only after they fix
the first. A repair that makes another choice, of a discriminator or of a member of a union, is told as `conditional`;
a member whose removal repairs the error that a member of a union makes too counts as one.
Let the handwritten validator continue, or accept that the declarative side reports more at once.
""",
    experiment="the other errors repaired, together and one by one, the value of the difference left as it is",
    example="""
`status: Invalid value: field is immutable` ends the check, and the rule on `status.conditions[*].type` reports its own
error too. With the status left as it was, both sides report that one.
""",
    sides=Finder(search=search),
    servers=Finder(search=search_of_servers),
    validators=Finder(search=search_of_servers),
    extent="type",
)
