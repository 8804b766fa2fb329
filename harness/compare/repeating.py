"""Asked again, a case must get the same answer: it is before a cause is told. Else no experiment means anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.compare.mismatch import canonical_path
from harness.compare.panics import failed
from harness.field import FieldError

REPETITIONS, DOUBTED = 8, 24
"""How often a reduced case is asked again: where three answers in ten are others, one of twenty such cases gets
through, and one of five thousand once the validators of its kind are known to change their mind."""

ANEW = -1
"""The id of a case that is asked whatever was answered before."""

_Said: TypeAlias = tuple[object, ...]


def repeated(case: Case, times: int) -> list[Case]:
    """Return the questions that ask a case again."""
    return [msgspec.structs.replace(case, id=ANEW)] * times


def count_others(answer: Answer, again: Iterable[Answer]) -> int:
    """Count the answers that say something else. Words, values and order are nobody's: maps are walked in any order."""
    first = _said(answer)
    return sum(_said(one) != first for one in again)


def _said(answer: Answer) -> _Said:
    if answer.failure is not None:
        return answer.failure.stage, answer.failure.panic, *(one.signature for one in failed(answer.failure))
    others = [(version, _keys(errors)) for version, errors in sorted(answer.versions.items())]
    return _keys(answer.handwritten), _keys(answer.declarative), *others


def _keys(errors: Sequence[FieldError]) -> _Said:
    return tuple(sorted((e.type, canonical_path(e.field), e.origin, e.covered, e.level) for e in errors))
