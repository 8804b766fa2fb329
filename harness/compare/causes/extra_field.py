"""The cause `extra-field`: one of two validators rejects a field that the other ignores."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import msgspec

from harness.case import Answer
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial
from harness.jsonpath import path_of, remove

ORIGIN = "additionalProperties"
"""The origin of errors about a field that is not declared."""


def trials(question: Question) -> Iterable[Trial]:
    """Ask about the object without the field."""
    if question.is_about_an_error and question.mismatch.origin == ORIGIN:
        changed = remove(question.case.object, path_of(question.mismatch.path))
        yield Trial(msgspec.structs.replace(question.case, object=changed), partial(_proves, question))


def _proves(question: Question, answer: Answer) -> Explanation | None:
    if answer.handwritten or answer.declarative:
        return None
    silent, loud = question.name_of(question.silent), question.name_of(question.mismatch.side)
    written = question.comparator.facts.tag_for("", ORIGIN)
    after = question.names[1]
    if question.mismatch.side == "declarative":
        fix = f"let {after} reject fields that it does not declare" + (f": {written}" if written else "")
    else:
        fix = f"declare the field in {after}, or let it ignore others" + (f" (without {written})" if written else "")
    return Explanation(f"{silent} ignores the field, which {loud} does not know", fix)


EXTRA_FIELD = Cause(
    code="extra-field",
    page="""
Of two validators in Python, one rejects a field that it does not declare, and the other ignores it.
Models of pydantic ignore such fields unless their configuration has extra="forbid", a JSON Schema unless it has
"additionalProperties": false.
""",
    experiment="the object without the field, which both accept",
    example="""
`customer.phone` is rejected by the function, and ignored by the model without `extra="forbid"`.
""",
    validators=Finder(trials=trials),
    extent="type",
)
