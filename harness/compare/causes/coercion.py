"""The cause `coercion`: one of two validators takes a value of another JSON type, which it converts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from harness.case import Answer, Json
from harness.compare.cause import Cause, Explanation, Finder, Question, Trial
from harness.jsonpath import ABSENT, look, path_of, put

ORIGIN = "type"
"""The origin of errors about a value of another JSON type."""
_WORDS = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object"}


def trials(question: Question) -> Iterable[Trial]:
    """Ask about the value as it would be in the other JSON types."""
    value = _value(question)
    for converted in _conversions(value):
        case = question.case
        changed = put(case.object, path_of(question.mismatch.path), converted)
        trial = msgspec.structs.replace(case, object=changed)
        yield Trial(trial, partial(_proves, question, value, converted))


def _proves(question: Question, value: Json, converted: Json, answer: Answer) -> Explanation | None:
    if answer.handwritten or answer.declarative:
        return None
    loud = question.name_of(question.mismatch.side)
    detail = f"{_silent(question)} takes {_show(value)} for {_show(converted)}, which is all that {loud} takes"
    return Explanation(detail, _fix(question))


def remain(question: Question) -> Explanation | None:
    value = _value(question)
    if value is ABSENT:
        return None
    what = _WORDS.get(value.__class__, "null")
    return Explanation(f"{_silent(question)} takes {what} at {question.where} and converts it", _fix(question))


def _value(question: Question) -> Json:
    """Return the value of another JSON type, ABSENT where the mismatch is about something else."""
    mismatch = question.mismatch
    if not question.is_about_an_error or mismatch.origin != ORIGIN or not mismatch.path:
        return ABSENT
    value = look(question.case.object, path_of(mismatch.path))
    return ABSENT if value is None else value


def _conversions(value: Json) -> Iterator[Json]:
    if value is ABSENT:
        return
    if isinstance(value, bool):
        yield from (int(value), str(value).lower())
    elif isinstance(value, int | float):
        if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 62:
            yield int(value)
        yield str(value)
        if value in (0, 1):
            yield bool(value)
    elif isinstance(value, str):
        words = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False}
        for read in (int, float):
            try:
                yield read(value)
            except ValueError:
                continue
        if value.lower() in words:
            yield words[value.lower()]


def _silent(question: Question) -> str:
    return question.name_of(question.silent)


def _fix(question: Question) -> str:
    after = question.names[1]
    strict = question.comparator.facts.tag_for("", ORIGIN)
    if question.mismatch.side == "declarative":
        how = f": {strict}" if strict else ""
        return f"let {after} convert nothing at {question.where}{how}"
    how = f" (without {strict})" if strict else ""
    return f"let {after} convert values at {question.where} as before{how}, or tell users of it"


def _show(value: Json) -> str:
    return msgspec.json.encode(value).decode()[:60]


COERCION = Cause(
    code="coercion",
    page="""
Of two validators in Python, one converts a value of another JSON type, and the other rejects it: "1" or true for 1, or
1.0.
Models of pydantic convert unless they are strict: declare Field(strict=True), or keep converting on purpose and tell
clients of it.
""",
    experiment="the value in the type that the other wants, which both accept",
    example="""
`quantity: "1"` is accepted by the model `quantity: int`, and rejected by the function that it is to replace.
""",
    validators=Finder(trials=trials, remain=remain),
    extent="rule",
)
