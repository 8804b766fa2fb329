"""Finds the object of a run that came nearest to a block of code which no case reached.

That is one which reached the innermost reached block before it: the block that ends with the condition above it or, if
that was not reached either, with the one above that. Counters tell of a whole batch what its cases reached, so the
batch is asked again, one case after the other, in a fresh worker.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import msgspec

from harness.case import Case
from harness.fuzzers.corpus import plain_case
from harness.gotypes.branches import GoSource
from harness.rulecov.blocks import NAME, KeptBatch
from harness.targets.kubernetes.blocks import CodeBlock
from harness.targets.target import Target

_CHUNK = 20
"""So many cases are asked before the rest of a batch may be left out."""
LEAST = 2_000
SHARE = 10
"""One case in so many of a run may be asked again, and `LEAST` in any run."""


def reached_before(
    source: GoSource, blocks: Sequence[CodeBlock], seen: Container[int]
) -> Iterator[tuple[CodeBlock, CodeBlock]]:
    """Yield each block of a file that was not reached, with the innermost reached block before it.

    Left out are blocks without a condition above them, and those of functions that were not reached.
    """
    ends = sorted(((source.offset_at(*one.end), one) for one in blocks), key=lambda one: one[0])
    before = {block.number: _decider(source, block, ends) for block in blocks if block.number not in seen}
    for block in blocks:
        at, passed = before.get(block.number), {block.number}
        while at is not None and at.number not in seen and at.number not in passed:
            passed.add(at.number)
            at = before[at.number]
        if at is not None and at.number in seen:
            yield block, at


def _decider(source: GoSource, block: CodeBlock, ends: Sequence[tuple[int, CodeBlock]]) -> CodeBlock | None:
    """Return the block that ends with the condition above a block. `ends` has all blocks by where they end."""
    decision = source.decision_of(source.offset_at(*block.start), source.offset_at(*block.end))
    if decision is None:
        return None
    begin, brace = decision
    at = bisect_right(ends, brace, key=lambda one: one[0]) - 1
    return ends[at][1] if at >= 0 and ends[at][0] > begin else None


@dataclass(slots=True)
class NearestCases:
    """The first case, of those that are asked again, that reached each of the `wanted` blocks.

    At most `budget` cases are asked. `asked` counts them, over all targets.
    """

    wanted: frozenset[int]
    budget: int
    asked: int = 0
    found: dict[int, tuple[str, Case]] = field(default_factory=dict)

    def ask(self, part: str, target: Target, batches: Sequence[KeptBatch]) -> None:
        """Ask the batches of a part of a run again that reached blocks for which no case is known, as far as needed."""
        for batch, blocks in self._plan(batches):
            cases = [msgspec.structs.replace(plain_case(case), blocks=NAME) for case in batch.cases]
            for chunk in _chunks(cases):
                if self.found.keys() >= blocks or self.asked + len(chunk) > self.budget:
                    break
                numbered = [msgspec.structs.replace(case, id=self.asked + at) for at, case in enumerate(chunk, start=1)]
                self.asked += len(chunk)
                for case, answer in zip(chunk, target.ask(numbered), strict=True):
                    for block in self.wanted.intersection(answer.blocks) - self.found.keys():
                        self.found[block] = part, plain_case(case)

    def is_complete(self, batches: Sequence[KeptBatch]) -> bool:
        """Whether no batch can tell more."""
        return not any(self._plan(batches))

    def _plan(self, batches: Sequence[KeptBatch]) -> list[tuple[KeptBatch, AbstractSet[int]]]:
        """Return the batches that first reached wanted blocks, with these; those with most of them first."""
        left = set(self.wanted - self.found.keys())
        plan = []
        for batch in batches:
            if own := left & batch.blocks:
                left -= own
                plan.append((batch, own))
        return sorted(plan, key=lambda one: -len(one[1]))


def _chunks(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    return (cases[start : start + _CHUNK] for start in range(0, len(cases), _CHUNK))
