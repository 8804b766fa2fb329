"""Asks a target what each chosen object costs, pass after pass, so that a slow moment meets few samples."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from harness.case import Measure, Spent
from harness.cost.objects import Chosen
from harness.targets.target import Target

ROUNDS = 5
"""Samples of each part in one pass."""
NANOSECONDS = 200_000
MOST_PASSES = 5
WANTED = Measure(ROUNDS, NANOSECONDS)


@dataclass(slots=True)
class Measured:
    """The samples of one object by part, over all passes; `failure` says why there are none."""

    chosen: Chosen
    samples: dict[str, list[float]] = field(default_factory=dict)
    last: dict[str, Spent] = field(default_factory=dict)
    clock: str = ""
    failure: str = ""


@dataclass(slots=True)
class Measuring:
    """Measures objects until `seconds` have passed or every pass was made. `on_told` hears of each object.

    The first pass is finished in any case. `passes` counts those that were made whole. An interrupt ends it with what
    is there.
    """

    target: Target
    seconds: float | None = None
    on_told: Callable[[int, int], None] = lambda done, total: None
    now: Callable[[], float] = time.monotonic
    passes: int = 0
    interrupted: bool = False
    wanted: Measure = WANTED

    def run(self, objects: Sequence[Chosen]) -> list[Measured]:
        """Return the samples of all objects, in their order. Raises: TargetError when the target is lost."""
        found = [Measured(one) for one in objects]
        try:
            self._run(found)
        except KeyboardInterrupt:
            self.interrupted = True
        return found

    def _run(self, found: list[Measured]) -> None:
        started, took = self.now(), 0.0
        while self.passes < MOST_PASSES and (not self.passes or self._has_time(started, took)):
            begun = self.now()
            # There and back: no object is always measured behind the same one.
            turn = found if self.passes % 2 == 0 else found[::-1]
            for number, one in enumerate(turn):
                self._measure(one)
                self.on_told(self.passes * len(found) + number + 1, MOST_PASSES * len(found))
            took = self.now() - begun
            self.passes += 1

    def _has_time(self, started: float, took: float) -> bool:
        return self.seconds is None or self.now() - started + took <= self.seconds

    def _measure(self, one: Measured) -> None:
        [answer] = self.target.ask([msgspec.structs.replace(one.chosen.case, measure=self.wanted)])
        if answer.cost is None:
            failure = answer.failure
            one.failure = f"{failure.stage}: {failure.message}" if failure else "the target told no cost"
            return
        one.clock = answer.cost.clock
        one.last = answer.cost.parts
        for name, spent in answer.cost.parts.items():
            one.samples.setdefault(name, []).extend(spent.nanoseconds)
