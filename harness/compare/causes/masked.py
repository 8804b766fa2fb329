"""The cause `masked`."""

from __future__ import annotations

from collections.abc import Iterator

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question, Unmasked
from harness.compare.unmasking import unmask
from harness.field import FieldError
from harness.jsonpath import canonical_path, look, path_of

_MOST_TOLD = 3


def search(question: Question) -> Experiment[Explanation | None]:
    unmasked = yield from unmask(question)
    error = unmasked.error
    if error is None or question.mismatch.side != "declarative":
        return None
    return Explanation(
        f"the handwritten side does not get to its check because of {error.text}; without it both sides agree",
        _fix(question, unmasked, error),
        spoken=unmasked.spoken,
        masking=error,
    )


def _fix(question: Question, unmasked: Unmasked, error: FieldError) -> str:
    """Let the check run, unless that would show other errors in place of this one, which rules let through here."""
    others = list(dict.fromkeys(canonical_path(one.field) for one in _newly_told(question, unmasked)))
    if not others:
        return f"let the handwritten validator go on after the error on {error.field}, to {question.check}"
    more = len(others) - _MOST_TOLD
    told = ", ".join(others[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")
    return (
        f"write an exception: past the error on {error.field} the check would report {told} too, which the rules let "
        f"through here, and so trade one difference for others; it is {question.check}"
    )


def _newly_told(question: Question, unmasked: Unmasked) -> Iterator[FieldError]:
    """Yield the other covered errors of the check about what the case has too, where its rules report none."""
    case, answer, spoken, said = question.case, question.answer, unmasked.spoken, unmasked.said
    if spoken is None or said is None:
        return
    known = {_key(one) for one in (*answer.declarative, *answer.handwritten)}
    own = {_key(one) for one in question.select(said.handwritten)}
    for one in said.handwritten:
        is_alike = look(case.object, path_of(one.field)) == look(spoken.object, path_of(one.field))
        if one.covered and is_alike and _key(one) not in known | own:
            yield one


def _key(error: FieldError) -> tuple[str, str]:
    return error.type, canonical_path(error.field)


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
