"""Fills slots that the directed search left empty: runs a short random search, and checks each of its cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.case import Answer, Case, KindInfo
from harness.engine import RunConfig, run
from harness.engine.units import Unit
from harness.events import Budget
from harness.export.asker import Asker
from harness.export.slots import Slot
from harness.fuzzers.aims import Aim
from harness.fuzzers.pairs import Pair
from harness.subject import Subject, SubjectSpec

MAX_CASES = 12_000
"""At most so many cases are searched."""


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A case that shows a slot, its resource or subresource, and the number of other errors."""

    door: KindInfo
    case: Case
    wrong: int

    @property
    def pair(self) -> Pair:
        """The objects of the case."""
        return self.case.object, self.case.old


@dataclass(slots=True)
class _Witness:
    """The observer of the search, and its own factory, because the search runs in this process."""

    asker: Asker
    waiting: dict[int, Slot]
    found: dict[int, Witnessed] = field(default_factory=dict)

    def observer(self, subject: Subject, unit: Unit) -> _Witness:
        """Return itself: a resource is one unit of the search."""
        return self

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Keep the first case that shows a slot, or a later one with fewer other errors."""
        for case, answer in zip(cases, answers, strict=True):
            if self.waiting and answer.failure is None and not case.options and case.mode == self.asker.mode:
                self._look(case, answer)

    def _look(self, case: Case, answer: Answer) -> None:
        pair = case.object, case.old
        for number, slot in list(self.waiting.items()):
            wrong = slot.judge(pair, answer)
            if wrong is not None and (number not in self.found or wrong < self.found[number].wrong):
                self.found[number] = Witnessed(self.asker.doors[case.subresource], case, wrong)
                if wrong == 0:
                    del self.waiting[number]

    def aims(self) -> Sequence[Aim]:
        """Return the aims of the slots that are still empty."""
        return [slot.aim for slot in self.waiting.values()]

    def outcome(self) -> None:
        """Return nothing, because the results are read from `found`."""


class _Shared(Subject):
    """A subject that the caller closes."""

    def close(self) -> None:
        """Do nothing."""


def witnessed(asker: Asker, slots: Mapping[int, Slot], seed: int = 1) -> dict[int, Witnessed]:
    """Run a short search. Returns: the cases that show slots, by the index of the slot."""
    own = asker.subject
    spec = replace(own.spec, mode=asker.mode)

    def opener(wanted: SubjectSpec, note: object = None) -> Subject:
        return _Shared(wanted, own.name, own.target, own.universe, None, own.literals)

    info = asker.info
    name = f"{info.group or 'core'}/{info.version}/{info.resource}"
    witness = _Witness(asker, dict(slots))
    run(
        spec,
        RunConfig(
            seed=seed,
            budget=Budget(max_cases=MAX_CASES),
            kinds=(name, info.name, f"{info.name}/*"),
            observers={"export": witness},
        ),
        opener=opener,
    )
    return witness.found
