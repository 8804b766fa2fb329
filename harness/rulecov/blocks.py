"""The observer of code coverage: the blocks of handwritten code that the cases of each kind reached.

Which block a case reaches is what the target answers; a target without counters answers none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.fuzzers.aims import Aim
from harness.subject import Subject

NAME = "blocks"
"""The name of the observer in a run."""


class Reached(msgspec.Struct, frozen=True):
    """The blocks that the search of one unit reached. `can_count`: the target has counters that can be read."""

    unit: str
    blocks: frozenset[int]
    can_count: bool


@dataclass(frozen=True)
class BlockObserverFactory:
    """Creates the observers of code coverage."""

    def observer(self, subject: Subject, unit: Unit) -> BlockObserver:
        """Return the observer of one unit."""
        return BlockObserver(unit.name, NAME in subject.target.info.abilities)


@dataclass(slots=True)
class BlockObserver:
    """Collects the blocks that cases of one unit reach."""

    unit: str
    can_count: bool
    _blocks: set[int] = field(default_factory=set)

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Add the blocks that the answers name: they name those alone that none named before."""
        for answer in answers:
            if answer.blocks:
                self._blocks.update(answer.blocks)

    def aims(self) -> Sequence[Aim]:
        """Return no aims: which objects reach a block is not known."""
        return ()

    def outcome(self) -> Reached:
        """Return what was reached so far."""
        return Reached(self.unit, frozenset(self._blocks), self.can_count)
