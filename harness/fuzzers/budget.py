"""Share the budget of a run: cases before the run, so that it does not depend on timing, and time during the run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

_CHECK_INTERVAL = 0.001
"""The needed time is computed again after this part of the whole time, because that asks hundreds of searches."""
_GRANTED_SECONDS = 0.05
"""After the end, pending work is looked for again after this long, because that asks all searches. Units: seconds."""
_ANSWERS_PER_FINDING = 4
"""A finding waits for this many answers, one after the other; different findings wait in parallel."""
MIN_GRACE, MAX_GRACE_CASES = 30.0, 200_000
"""A run may settle pending findings for at least this many seconds after its end, with at most this many cases.
A worker that hangs is noticed within twenty seconds."""


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
    """The time of a run. `reserve` is the part kept for settling the last findings: reducing and explaining them.

    When only the reserve is left the run is late: searches draw no new cases until all have ended. Reductions and
    explanations are never cut short, because the cause of a finding would then depend on the speed of the machine;
    where the reserve was too short they go on after the end, for at most `grace`, and at most `MAX_GRACE_CASES` cases.

    The callables: `needed` estimates the time for settling, `closing` the time for closing the run, `away` the time
    that an answer takes; `quiet` is true while no finding is pending or expected, `pending` while work is left that
    must be finished; `asked` counts the cases. Units: seconds.
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
    is_stopped: bool = field(init=False, default=False)
    _late: bool = field(init=False, default=False)
    _checked: float = field(init=False, default=-1.0)
    _asked_until: int | None = field(init=False, default=None)
    _granted: float = field(init=False, default=-1.0)

    def __post_init__(self) -> None:
        self.started = self.now()

    def restart(self) -> None:
        """Start the time now."""
        self.started = self.now()

    def stop(self) -> None:
        """End the run now: no more cases are asked, and pending findings stay pending."""
        self.is_stopped = self._late = True

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self.now() - self.started

    @property
    def reserve(self) -> float:
        """The time kept for settling: the needed time and a spare part, together at most two fifths of the whole time.

        The spare part is for batches in flight and for the many answers that one reduction waits for; while the run is
        quiet, for batches only.
        """
        whole = self.max_time or 0.0
        spare = self._quiet_spare
        if not self.quiet():
            spare = max(min(6.0, whole / 20), whole / 100, min(_ANSWERS_PER_FINDING * self.away(), whole / 10))
        return min(spare + self.needed(), whole * 2 / 5)

    @property
    def grace(self) -> float:
        """The time for pending work after the end: half of the whole time, at least `MIN_GRACE`."""
        return max(MIN_GRACE, (self.max_time or 0.0) / 2)

    @property
    def _quiet_spare(self) -> float:
        """The time for batches in flight and for follow-up cases: a hundredth of the whole time, or two answers."""
        whole = self.max_time or 0.0
        return max(whole / 100, min(2 * self.away(), whole / 20))

    def is_late(self) -> bool:
        """Whether no new case should be drawn. Called for every case, so `needed` is called only now and then."""
        if self.max_time is None or self._late:
            return self._late
        seconds = self.seconds
        if seconds >= self.max_time * 3 / 5 and seconds - self._checked >= self.max_time * _CHECK_INTERVAL:
            self._checked = seconds
            self._late = self._time_left() <= self.reserve
        return self._late

    def is_over(self) -> bool:
        """Whether the time is up: pending findings are settled, and no other cases are asked."""
        return self._time_left() <= 0

    def goes_on(self) -> bool:
        """Whether a late run has time for new cases after all pending work is done; it is not late then.

        That needs twice the reserve, because new findings have to be settled too; while the run is quiet, once.
        """
        if not self._late:
            return False
        self._late = self._time_left() <= (1 if self.quiet() else 2) * self.reserve
        return not self._late

    def left(self) -> float:
        """Return the time until no case is asked and no answer awaited; infinite without a limit."""
        rest = self._time_left()
        if rest > 0 or self.is_stopped:
            return rest
        seconds = self.seconds
        if seconds >= self._granted:  # `pending` asks all searches, which may be thousands
            if not self.pending():
                return rest
            asked = self.asked()
            if self._asked_until is None:
                self._asked_until = asked + MAX_GRACE_CASES
            if asked >= self._asked_until:
                return 0.0
            self._granted = seconds + _GRANTED_SECONDS
        return rest + self.grace

    def _time_left(self) -> float:
        """Return the time until the end that the user set."""
        if self.is_stopped:
            return 0.0
        if self.max_time is None:
            return math.inf
        return self.max_time - min(self.closing(), self.max_time / 10) - self.seconds
