"""Those who look on: they see every answer of a search, name what they still want to see, and tell what they saw.

Rule coverage and power are observers. The engine knows neither; it hands them what was asked and answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.fuzzers.aims import Aim
from harness.subject import Subject


class Observer(Protocol):
    """Looks on at the search of one unit. What it does must depend on cases and answers alone, but for `seconds`."""

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """See a batch and its answers, every one that was asked of the target. `seconds` is the age of the run."""

    def aims(self) -> Sequence[Aim]:
        """Return what has not been seen yet, for the search to go for; nothing when all was seen."""

    def outcome(self) -> Any:
        """Return what was seen so far: a record that can be pickled, for the one who ordered the observer."""


class ObserverFactory(Protocol):
    """Makes the observers of a run. Itself plain data, since every process of a run needs it."""

    def observer(self, subject: Subject, unit: Unit) -> Observer:
        """Return the observer of one unit of an open subject."""
