"""Finds a case for which the silent side reports the error of a mismatch in the same words.

Which check lets a value through is seen where it does not: two values may be rejected by two checks of one format, of
which only the one with the same words is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

import msgspec

from harness.case import Answer, Case
from harness.compare.cause import Experiment, Question
from harness.compare.othervalues import reporters
from harness.jsonpath import look, path_of, put

_WRONG = "!"
"""Stands in no word of a format."""
_MOST_PLACES = 12
_LEAST_ALIKE = 0.6


def find_alike(question: Question) -> Experiment[Case | None]:
    """Put a wrong character in place of each one of a text, and return the case that is reported in the same words."""
    cases = list(_changed(question))
    answers = (yield cases) if cases else []
    return choose_alike(question, zip(cases, answers, strict=True))


def choose_alike(question: Question, asked: Iterable[tuple[Case, Answer]]) -> Case | None:
    """Return the case that both sides report, and the silent one in the words that are likest to those of the error."""
    error = next(iter(question.select((*question.answer.handwritten, *question.answer.declarative))), None)
    best, likest = None, _LEAST_ALIKE
    for case, answer in asked:
        if error is None or answer.failure is not None or reporters(question, answer) != (True, True):
            continue
        said = question.comparator.comparison.reported_by(question.silent, answer)
        for one in question.comparator.select(question.mismatch, said):
            alike = SequenceMatcher(None, one.detail, error.detail, autojunk=False).ratio()
            best, likest = (case, alike) if alike > likest else (best, likest)
    return best


def _changed(question: Question) -> Iterator[Case]:
    path = path_of(question.mismatch.path)
    value = look(question.case.object, path)
    if not isinstance(value, str):
        return
    for number, at in enumerate(range(min(len(value), _MOST_PLACES))):
        changed = put(question.case.object, path, value[:at] + _WRONG + value[at + 1 :])
        yield msgspec.structs.replace(question.case, id=number, object=changed)
