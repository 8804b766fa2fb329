"""The protocol of observers: they examine every answer of a search, name aims for it, and return an outcome.

Rule coverage, power (mutation testing) and recording are observers. The engine depends on none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.fuzzers.aims import Aim
from harness.subject import Subject


class Observer(Protocol):
    """Observes the search of one unit. Its aims must depend on cases and answers alone, not on `seconds`."""

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Examine a batch and its answers: every case that is asked is in one. `seconds` is the age of the run."""

    def aims(self) -> Sequence[Aim]:
        """Return the aims that are not reached yet: rules that the search should make fire."""

    def outcome(self) -> Any:
        """Return the outcome so far, a record that can be pickled."""


class ObserverFactory(Protocol):
    """Creates the observers of a run. It is plain data, because it is sent to every process."""

    def observer(self, subject: Subject, unit: Unit) -> Observer:
        """Return the observer of one unit of an open subject."""
