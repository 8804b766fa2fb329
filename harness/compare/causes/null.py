"""The cause `null`: two validators tell null from a missing field in different ways."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import msgspec

from harness.case import Answer
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial
from harness.jsonpath import ABSENT, look, path_of, put, remove


def trials(question: Question) -> Iterable[Trial]:
    """Ask about a missing field where it is null, and about null where it is missing."""
    if not question.is_about_an_error or not question.mismatch.path:
        return
    path, obj = path_of(question.mismatch.path), question.case.object
    value = look(obj, path)
    if value is None:
        changed = remove(obj, path)
        yield Trial(msgspec.structs.replace(question.case, object=changed), partial(_proves_null, question))
    elif value is ABSENT and isinstance(look(obj, path[:-1]), dict):
        changed = put(obj, path, None)
        yield Trial(msgspec.structs.replace(question.case, object=changed), partial(_proves_missing, question))


def _proves_null(question: Question, answer: Answer) -> Explanation | None:
    if answer.handwritten or answer.declarative:
        return None
    loud, silent, where = question.name_of(question.mismatch.side), question.name_of(question.silent), question.where
    nullable = question.comparator.facts.tag_for("", "null") or "null as a value"
    after = question.names[1]
    if question.mismatch.side == "declarative":
        fix = f"do not declare {nullable} at {where} in {after}: a default is enough for a field that may be missing"
    else:
        fix = f"declare {nullable} at {where} in {after}"
    return Explanation(f"{loud} takes objects without {where}, and no null there; {silent} takes both", fix)


def _proves_missing(question: Question, answer: Answer) -> Explanation | None:
    if answer.handwritten or answer.declarative:
        return None
    loud, silent, where = question.name_of(question.mismatch.side), question.name_of(question.silent), question.where
    default = question.comparator.facts.tag_for("", "default") or "a default"
    after = question.names[1]
    if question.mismatch.side == "declarative":
        fix = f"leave the default at {where} out of {after}"
    else:
        fix = f"declare {default} at {where} in {after}: a type with None and without a default has to be there"
    return Explanation(f"{loud} takes null at {where}, and no object without it; {silent} takes both", fix)


NULL = Cause(
    code="null",
    page="""
Of two validators in Python, one takes null but no missing field, or a missing field but no null, and the other takes
both.
In pydantic v2 the type `str | None` says that null is a value, and only a default says that the field may be missing.
""",
    experiment="the field left out instead of null, or null instead of left out, which both accept",
    example="""
An object without `note` is accepted by the function, and rejected by the model `note: str | None` without a default.
""",
    validators=Finder(trials=trials),
    extent="rule",
)
