"""The observer of code coverage: the blocks of handwritten code that the cases of each kind reached.

Which block a case reaches is what the target answers; a target without counters answers none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.fuzzers.aims import Aim
from harness.subject import Subject

NAME = "blocks"
"""The name of the observer in a run."""
FirstBatches: TypeAlias = dict[int, tuple[int, tuple[Case, ...]]]
"""By block: the first unit that reached it, and the cases of its batch that did."""


class KeptBatch(msgspec.Struct, frozen=True):
    """Cases that were asked together, and the blocks that they were the first of their unit to reach."""

    blocks: frozenset[int]
    cases: tuple[Case, ...]


class Reached(msgspec.Struct, frozen=True):
    """The blocks that the search of one unit reached. `can_count`: the target has counters that can be read.

    `batches` reached them first, without those that a unit before it reached too, as far as its process knows.
    """

    unit: str
    blocks: frozenset[int]
    can_count: bool
    batches: tuple[KeptBatch, ...] = ()


@dataclass(frozen=True)
class BlockObserverFactory:
    """Creates the observers of code coverage. `firsts` is what those of this process know, by part of the run."""

    firsts: dict[str, FirstBatches] = field(default_factory=dict)

    def observer(self, subject: Subject, unit: Unit) -> BlockObserver:
        """Return the observer of one unit."""
        firsts = self.firsts.setdefault(subject.part, {})
        return BlockObserver(unit.name, unit.index, NAME in subject.target.info.abilities, firsts)


@dataclass(slots=True)
class BlockObserver:
    """Collects the blocks that cases of one unit reach, and the batches that did.

    A batch is kept for the blocks that no unit before this one has reached, in whatever order the units are searched:
    so that what is kept of a run of so many cases is always the same, and that it is little.
    """

    unit: str
    index: int
    can_count: bool
    _firsts: FirstBatches
    _blocks: set[int] = field(default_factory=set)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Add the blocks that the answers name: they name those alone that none named before."""
        for answer in answers:
            if answer.blocks:
                self._blocks.update(answer.blocks)
                self._keep(cases, answer.blocks)

    def _keep(self, cases: Sequence[Case], blocks: Sequence[int]) -> None:
        kept = self.index, tuple(cases)
        for block in blocks:
            if block not in self._firsts or self.index < self._firsts[block][0]:
                self._firsts[block] = kept

    def aims(self) -> Sequence[Aim]:
        """Return no aims: which objects reach a block is not known."""
        return ()

    def outcome(self) -> Reached:
        """Return what was reached so far."""
        batches: dict[int, tuple[tuple[Case, ...], set[int]]] = {}
        for block, (index, cases) in self._firsts.items():
            if index == self.index:
                batches.setdefault(id(cases), (cases, set()))[1].add(block)
        kept = (KeptBatch(frozenset(blocks), cases) for cases, blocks in batches.values())
        return Reached(self.unit, frozenset(self._blocks), self.can_count, tuple(kept))
