"""How a budget is shared: in cases up front, so that a run does not depend on timing; in time while it goes on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_LOOK = 0.001
"""How often it is looked how much time is needed, as a part of all the time: hundreds of searches are asked for it."""
_GRANT = 0.05
"""For so long it counts that something is pending beyond the end, before that is looked at again. Units: seconds."""
_ANSWERS = 4
"""Answers that a finding waits for one after the other: those that wait with others go on meanwhile."""
LEAST_BEYOND, MOST_BEYOND = 30.0, 200_000
"""How long a run may take beyond its time to finish what it met, at least, and how many cases it may ask for that. A
worker that gives no answer is noticed within twenty seconds."""


def shares(total: int, weights: Sequence[float]) -> list[int]:
    """Split a number of cases by weight, exactly, with the rest going to the first.

    Returns: as many whole numbers as weights, whose sum is the total.
    """
    if not weights:
        return []
    whole = sum(weights)
    parts = [int(total * weight / whole) for weight in weights]
    for index in range(total - sum(parts)):
        parts[index % len(parts)] += 1
    return parts


@dataclass(slots=True)
class Clock:
    """When a run must end. `reserve` is the part of the time that is kept for what was found last.

    `needed` estimates how long it takes to settle that: to reduce and to explain it. Once it is late it stays so until
    all searches have ended: what they were about is not taken up again. Where too little was kept, what is `pending`
    is finished beyond the end, which leaves time for `closing`: never is a reduction or an explanation cut short, since
    a cause would then depend on the speed of a machine. That takes at most `grace`, and `MOST_BEYOND` of the cases that
    `asked` counts. `away` is how long answers take to come: each finding waits for some of them. While it is `quiet`,
    so that nothing is pending or to be expected, only those on their way are waited for.

    Units: seconds.
    """

    max_time: float | None = None
    now: Callable[[], float] = time.monotonic
    needed: Callable[[], float] = float
    closing: Callable[[], float] = float
    away: Callable[[], float] = float
    quiet: Callable[[], bool] = bool
    pending: Callable[[], bool] = bool
    asked: Callable[[], int] = int
    started: float = field(init=False)
    _late: bool = field(init=False, default=False)
    _looked: float = field(init=False, default=-1.0)
    _asked_until: int | None = field(init=False, default=None)
    _granted: float = field(init=False, default=-1.0)
    _is_stopped: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.started = self.now()

    def restart(self) -> None:
        """Begin now: what was done before takes nothing of the time."""
        self.started = self.now()

    def stop(self) -> None:
        """End the run now: nothing more is asked, and what is pending stays so."""
        self._is_stopped = self._late = True

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self.now() - self.started

    @property
    def reserve(self) -> float:
        """The time kept for settling: a twentieth, at most six seconds or a hundredth, and what is needed.

        That is never more than two fifths. What does not depend on what is needed is for batches on their way, and for
        the many answers that the reduction of one finding waits for. While it is quiet, it is for batches alone.
        """
        whole = self.max_time or 0.0
        spare = self._quiet_spare
        if not self.quiet():
            spare = max(min(6.0, whole / 20), whole / 100, min(_ANSWERS * self.away(), whole / 10))
        return min(spare + self.needed(), whole * 2 / 5)

    @property
    def grace(self) -> float:
        """How long what is pending may take beyond the end: half of the time, and never less than `LEAST_BEYOND`."""
        return max(LEAST_BEYOND, (self.max_time or 0.0) / 2)

    @property
    def _quiet_spare(self) -> float:
        """The time for batches on their way, and for a closer look at what they bring: a hundredth, or two answers."""
        whole = self.max_time or 0.0
        return max(whole / 100, min(2 * self.away(), whole / 20))

    def is_late(self) -> bool:
        """Whether nothing new should be drawn. Asked all the time, it looks how much is needed now and then."""
        if self.max_time is None or self._late:
            return self._late
        seconds = self.seconds
        if seconds >= self.max_time * 3 / 5 and seconds - self._looked >= self.max_time * _LOOK:
            self._looked = seconds
            self._late = self._rest() <= self.reserve
        return self._late

    def is_over(self) -> bool:
        """Whether time is up: what was met is settled, and nothing is looked at for any other reason."""
        return self._rest() <= 0

    def goes_on(self) -> bool:
        """Whether there is time for more after all, when all that was pending is done; then it is late no longer.

        That is twice of what is kept: what is met then wants to be settled as well. While it is quiet nothing is.
        """
        if not self._late:
            return False
        self._late = self._rest() <= (1 if self.quiet() else 2) * self.reserve
        return not self._late

    def left(self) -> float:
        """The time until nothing is asked or waited for any more; without a limit, it is endless."""
        if self._is_stopped:
            return 0.0
        rest = self._rest()
        if rest > 0:
            return rest
        seconds = self.seconds
        if seconds >= self._granted:  # all searches are looked at for this, thousands where there are as many kinds
            if not self.pending():
                return rest
            asked = self.asked()
            if self._asked_until is None:
                self._asked_until = asked + MOST_BEYOND
            if asked >= self._asked_until:
                return 0.0
            self._granted = seconds + _GRANT
        return rest + self.grace

    def _rest(self) -> float:
        """The time until what was asked for is over."""
        if self._is_stopped:
            return 0.0
        if self.max_time is None:
            return math.inf
        return self.max_time - min(self.closing(), self.max_time / 10) - self.seconds
