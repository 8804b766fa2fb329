"""A cache of answers for reductions: the differences of one unit reduce through the same small objects."""

from __future__ import annotations

import msgspec

from harness.case import Answer, Case
from harness.engine.explain import UNCACHED
from harness.engine.plan import Search
from harness.fuzzers.shapepaths import digest
from harness.memory import Memory, Room

MAX_ANSWERS = 250
"""The cache holds between this number of answers and twice as many; hundreds of searches have one at the same time."""


class AnswerCache:
    """The answers to the cases of reductions and explanations, by content; ids are ignored.

    A case that was evicted is asked again and counts as one more. So each cache has a limit of its own: eviction must
    not depend on other searches, because the number of cases must not.
    """

    def __init__(self, max_answers: int = MAX_ANSWERS) -> None:
        self._answers: Memory[int, Answer] = Memory(Room(max_answers))

    def drive(self, search: Search) -> Search:
        """Drive a search, and ask only its cases that are not cached. A cached answer has the id of another case."""
        try:
            cases = next(search)
            while True:
                cases = search.send((yield from self._ask_missing(cases)))
        except StopIteration as stop:
            return stop.value

    def _ask_missing(self, cases: list[Case]) -> Search:
        keys = [None if case.id == UNCACHED else _content_hash(case) for case in cases]
        cacheable = [key for key in keys if key is not None]
        answers = {key: known for key in cacheable if (known := self._answers.get(key)) is not None}
        missing: dict[int, Case] = {}
        for key, case in zip(keys, cases, strict=True):
            if key is not None and key not in answers:
                missing.setdefault(key, case)
        uncached = [case for key, case in zip(keys, cases, strict=True) if key is None]
        new_answers = iter((yield [*missing.values(), *uncached]) if missing or uncached else ())
        for key in missing:
            answers[key] = answer = next(new_answers)
            self._answers.put(key, answer)
        return [next(new_answers) if key is None else answers[key] for key in keys]


def _content_hash(case: Case) -> int:
    """Return a hash of everything in a case but its id."""
    return digest(case if not case.id else msgspec.structs.replace(case, id=0))
