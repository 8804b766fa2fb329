"""Answers that were given are not asked for again: differences of one unit reduce by way of the same small objects."""

from __future__ import annotations

import msgspec

from harness.case import Answer, Case
from harness.engine.explain import ANEW
from harness.engine.plan import Search
from harness.fuzzers.places import digest
from harness.memory import Memory, Room

MOST = 250
"""Answers that are remembered, at least; twice as many at most. Hundreds of searches settle at the same time."""


class AnswerCache:
    """What was answered to questions that follow from findings, whatever their ids.

    What is forgotten is asked again, and counts as a case: so what is remembered is nobody else's business.
    """

    def __init__(self, most: int = MOST) -> None:
        self._answers: Memory[int, Answer] = Memory(Room(most))  # a room of its own, whatever others remember

    def through(self, search: Search) -> Search:
        """Drive a search, and hand on what it asks for the first time alone. Its answers have the ids of others."""
        try:
            cases = next(search)
            while True:
                cases = search.send((yield from self._ask_missing(cases)))
        except StopIteration as stop:
            return stop.value

    def _ask_missing(self, cases: list[Case]) -> Search:
        codes = [None if case.id == ANEW else _code(case) for case in cases]
        asked = [code for code in codes if code is not None]
        answers = {code: known for code in asked if (known := self._answers.get(code)) is not None}
        missing: dict[int, Case] = {}
        for code, case in zip(codes, cases, strict=True):
            if code is not None and code not in answers:
                missing.setdefault(code, case)
        anew = [case for code, case in zip(codes, cases, strict=True) if code is None]
        said = iter((yield [*missing.values(), *anew]) if missing or anew else ())
        for code in missing:
            answers[code] = answer = next(said)
            self._answers.put(code, answer)
        return [next(said) if code is None else answers[code] for code in codes]


def _code(case: Case) -> int:
    """Tell a question from all others, whatever its id."""
    return digest(case if not case.id else msgspec.structs.replace(case, id=0))
