"""How a budget is shared: in cases up front, so that a run does not depend on timing; in time while it goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


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

    Units: seconds.
    """

    max_time: float | None = None
    now: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.now()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return self.now() - self.started

    @property
    def reserve(self) -> float:
        """The time kept for reducing: a tenth, at most six seconds."""
        return min(6.0, (self.max_time or 0.0) / 10)

    def is_late(self) -> bool:
        """Whether nothing new should be drawn."""
        return self.max_time is not None and self.seconds >= self.max_time - self.reserve

    def is_over(self) -> bool:
        """Whether everything should end."""
        return self.max_time is not None and self.seconds >= self.max_time
