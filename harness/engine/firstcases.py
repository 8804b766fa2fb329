"""The first case of a search that reached each rule and each block of code: what a later run asks before it draws any.

An accepted object fires no rule, and what is close to it has to be drawn again: these cases are what a run learned of
rules and of code. Rules are told by observers; blocks by the target, which says of a whole batch what its cases
reached, so that a batch with blocks that no search of this process has seen is asked once more, case by case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import msgspec

from harness.case import Answer, Case
from harness.engine.plan import Search
from harness.fuzzers.corpus import ReachingCase, ReachingCases, plain_case

_ASKER = "corpus"
"""What the target calls the one who asks for the blocks of each case: it tells no block twice."""


@runtime_checkable
class FirstCaseObserver(Protocol):
    """An observer that calls `on_first` with the first case that reached something, and the name of that."""

    on_first: Callable[[Case, str], None]


@dataclass
class KnownBlocks:
    """The blocks that the searches of a process have seen; `release` is part of their names."""

    release: str
    numbers: set[int] = field(default_factory=set)


class FirstCases:
    """The first cases of one search. They are kept encoded: a search of a release has thousands."""

    def __init__(self, known: KnownBlocks) -> None:
        self._known = known
        self._found: dict[bytes, list[str]] = {}

    def add(self, case: Case, name: str) -> None:
        """Add the first case that reached something."""
        data = msgspec.json.encode(plain_case(case), order="deterministic")
        self._found.setdefault(data, []).append(name)

    def follow(self, steps: Search) -> Search:
        """Drive a search, and find out which of its cases reached new blocks."""
        answers: list[Answer] | None = None
        while True:
            try:
                batch = next(steps) if answers is None else steps.send(answers)
            except StopIteration:
                return
            answers = yield batch
            if any(not self._known.numbers.issuperset(answer.blocks) for answer in answers):
                yield from self._ask_each(batch, answers)

    def _ask_each(self, batch: Sequence[Case], answers: Sequence[Answer]) -> Search:
        again = [msgspec.structs.replace(plain_case(case), id=case.id, blocks=_ASKER) for case in batch]
        for case, answer in zip(again, (yield again), strict=False):
            for block in answer.blocks:
                self.add(case, f"block {self._known.release} {block}")
            self._known.numbers.update(answer.blocks)
        # Of what a second time does not reach, such as code that runs once, no case is known.
        self._known.numbers.update(block for answer in answers for block in answer.blocks)

    def result(self) -> ReachingCases:
        """Return the cases so far."""
        found = sorted(self._found.items())
        return ReachingCases(
            tuple(ReachingCase(msgspec.json.decode(data, type=Case), tuple(names)) for data, names in found)
        )
