"""The cause `conditional`."""

from __future__ import annotations

from harness.compare.cause import Cause, Experiment, Explanation, Finder, Question, Unmasked
from harness.compare.othervalues import describe_value
from harness.compare.unmasking import unmask
from harness.jsonpath import ABSENT, canonical_path, write


def search(question: Question) -> Experiment[Explanation | None]:
    unmasked = yield from unmask(question)
    if not unmasked.speaks or unmasked.error is not None:
        return None
    what = "handwritten check" if question.silent == "handwritten" else "declarative rule"
    if unmasked.filled is not None:
        beside = canonical_path(write(unmasked.filled.path))
        return Explanation(
            f"the {what} does not run {_describe_filled(unmasked)} both sides agree",
            f"let check and rule at {question.where} run under one condition, for the same values of {beside}",
            experiment="the fields beside it with other values",
            spoken=unmasked.spoken,
            beside=write(unmasked.filled.path),
        )
    beside = canonical_path(unmasked.left_out)
    return Explanation(
        f"the {what} does not run beside {unmasked.left_out}: without that field both sides agree",
        f"let the check of {question.check} and {question.tag_or_rule} run under one condition: "
        f"with or without {beside}",
        spoken=unmasked.spoken,
        beside=unmasked.left_out,
    )


def search_of_servers(question: Question) -> Experiment[Explanation | None]:
    if question.mismatch.kind == "served":
        return None
    unmasked = yield from unmask(question, uncovers=False)
    if not unmasked.speaks or unmasked.error is not None:
        return None
    name = question.name_of(question.silent)
    if unmasked.filled is not None:
        return Explanation(
            f"{name} does not check {_describe_filled(unmasked)} both agree",
            f"expect other errors beside this one from {question.names[1]}",
            experiment="the fields beside it with other values",
        )
    return Explanation(
        f"{name} does not check beside {unmasked.left_out}: without that field both agree",
        f"expect other errors beside this one from {question.names[1]}",
    )


def _describe_filled(unmasked: Unmasked) -> str:
    """Say with which value of another field it does not run, and with which it does."""
    assert unmasked.filled is not None
    field, before = write(unmasked.filled.path), describe_value(unmasked.before)
    how = f"without {field}" if unmasked.before is ABSENT else f"with {field} {before}"
    return f"{how}: with {describe_value(unmasked.filled.value)} there"


CONDITIONAL = Cause(
    code="conditional",
    page="""
One side checks the field only in some objects: its check does not run beside another field, or for a value of that one.
Typical are `if a != nil {check a} else if b != nil {check b}` and a `switch` over a discriminator, against
unconditional rules. Decide which is intended, and use the same condition on both sides.
""",
    experiment="the fields beside it removed one at a time, then with other values",
    example="""
`spec.distinctAttribute: ""` beside `spec.matchAttribute`: the check looks at one of the two, the rules at both. Without
`spec.matchAttribute` both sides report it.
""",
    sides=Finder(search=search),
    servers=Finder(search=search_of_servers),
    validators=Finder(search=search_of_servers),
    extent="rule",
)
