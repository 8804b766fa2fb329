"""Asks about other values at the path of a mismatch: does the silent side report the error of any of them?

"No rule" and "no counterpart" are claims about every value, which one value cannot show. So the values that the
generator knows are tried at the same path, on updates also as a create. The values come from the caller of the judge
(`Hints.values`); knows no rule and no type.
"""

from __future__ import annotations

import json
from itertools import islice
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, Json
from harness.compare.cause import Experiment, Question
from harness.jsonpath import ABSENT, Edit, JsonPath, look, path_of, put, walk, write

MAX_VALUES = 40
"""At most this many other values are tried for one mismatch, on updates twice each."""
_MAX_PATHS = 4_000
_MAX_SHOWN = 60  # characters of a value in a sentence


class TriedValue(NamedTuple):
    """A value that was set at the path or beside it, in the new object or the old one, and the case with its answer."""

    edit: Edit
    case: Case
    answer: Answer


class OtherValuesResult(NamedTuple):
    """What other values do: those where both sides report the error, and those where only the silent side does.

    `tried` counts the values with an answer; `known` those that there were, which is more where not all were tried.
    """

    agreeing: tuple[TriedValue, ...] = ()
    reverse: tuple[TriedValue, ...] = ()
    tried: int = 0
    known: int = 0

    @property
    def described(self) -> str:
        """What was tried, for a sentence: `38 other values`, `40 of 61 other values`."""
        number = f"{self.tried} of {self.known}" if self.known > self.tried else f"{self.tried}"
        return f"{number} other value{'' if self.known == 1 else 's'}"


def try_other_values(question: Question) -> Experiment[OtherValuesResult]:
    """Ask about the other values of the path of a mismatch. Causes share the result by `Question.search_once`."""
    edits = list(islice(edits_of(question), 4 * MAX_VALUES))
    trials = [
        (number, changed, edit)
        for number, edit in enumerate(edits[:MAX_VALUES])
        for changed in _changed(question, edit)
    ]
    answers = (yield [_numbered(case, index) for index, (_, case, _) in enumerate(trials)]) if trials else []
    agreeing, reverse, answered = list[TriedValue](), list[TriedValue](), set[int]()
    for (number, case, edit), answer in zip(trials, answers, strict=True):
        if answer.failure is not None:
            continue
        answered.add(number)
        is_loud, is_silent = reporters(question, answer)
        if is_silent:
            (agreeing if is_loud else reverse).append(TriedValue(edit, case, answer))
    return OtherValuesResult(tuple(agreeing), tuple(reverse), tried=len(answered), known=len(edits))


def _numbered(case: Case, number: int) -> Case:
    return msgspec.structs.replace(case, id=number)


def _changed(question: Question, edit: Edit) -> list[Case]:
    """Return the cases with another value: like the case itself, and an update also as a create.

    Of an error about a change the old value is another one too; a create has none.
    """
    case = question.case
    if case.old is not None and is_about_change(question):
        changed = put(case.object, edit.path, edit.value), put(case.old, edit.path, edit.value)
        return [msgspec.structs.replace(case, object=changed[0]), msgspec.structs.replace(case, old=changed[1])]
    bases = (case, question.created())
    return [
        msgspec.structs.replace(base, object=put(base.object, edit.path, edit.value))
        for base in bases
        if base is not None
    ]


def is_about_change(question: Question) -> bool:
    """Whether the error of a mismatch says of a change that it may not be."""
    return question.mismatch.origin in question.comparator.facts.of_changes


def reporters(question: Question, answer: Answer) -> tuple[bool, bool]:
    """Return whether the side that reports the error of a mismatch does so in an answer, and the silent side."""
    handwritten, declarative = question.comparator.reporters(question.mismatch, answer)
    return (declarative, handwritten) if question.silent == "handwritten" else (handwritten, declarative)


def edits_of(question: Question) -> list[Edit]:
    """Return the edits that give the path of a mismatch another value, without those that change nothing."""
    case, is_change = question.case, is_about_change(question)
    found = question.hints.values(case, question.mismatch.path, question.comparator.matcher.normalize)
    return [edit for edit in found if is_change or look(case.object, edit.path) != edit.value]


def path_in_object(question: Question, obj: Json) -> JsonPath:
    """Return the path of a mismatch as an object has it: handwritten validators report that of the internal type."""
    path, normalize = path_of(question.mismatch.path), question.comparator.matcher.normalize
    if not question.comparator.info.normalization or look(obj, path) is not ABSENT:
        return path
    wanted = path_of(normalize(question.mismatch.path))  # without types a key may be written like a member
    known = (one for one, _ in islice(walk(obj), _MAX_PATHS) if path_of(normalize(write(one))) == wanted)
    return tuple(map(str, next(known, path)))


def describe_own(question: Question) -> str:
    """Write the value that the case has at the path of its mismatch, or its change, for a sentence."""
    return _describe_there(question, question.case)


def _describe_there(question: Question, case: Case) -> str:
    path = path_in_object(question, case.object)
    value = describe_value(look(case.object, path))
    if case.old is None or not is_about_change(question):
        return value
    return f"a change from {describe_value(look(case.old, path))} to {value}"


def describe_silence(question: Question) -> str:
    """Say for which values the silent side was not seen to report the error; the search must have run if it may."""
    name = question.name_of(question.silent)
    found = question.result_of(try_other_values)
    if found is None or not found.tried:
        return f"{name} does not report it; no other value was tried"
    return f"{name} reports it for none of the {found.described} that were tried"


def describe_value(value: Json) -> str:
    """Write a value for a sentence, a long one shortened, with its size."""
    if value is ABSENT:
        return "an absent value"
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="backslashreplace").decode()
    if len(text) <= _MAX_SHOWN:
        return text
    noun = "characters" if isinstance(value, str) else "items" if isinstance(value, list) else ""
    return f"{shorten(text)} ({len(value):,} {noun})" if noun else shorten(text)


def shorten(text: str) -> str:
    """Return a text as far as a sentence has room for it."""
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}..."


def describe_tried(question: Question, tried: TriedValue) -> str:
    """Write the value of a case that was tried as its path has it, and whether it was asked as a create."""
    path, changed = path_in_object(question, tried.case.object), tuple(map(str, tried.edit.path))
    beside = changed != path[: len(changed)] and path != changed[: len(path)]
    there = _describe_there(question, tried.case)
    text = f"{write(tried.edit.path)} {describe_value(tried.edit.value)}" if beside else there
    return f"{text} as a create" if tried.case.operation != question.case.operation else text
