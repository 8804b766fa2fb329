"""The tries of units that ended with an error: how many, on which workers, and which worker may try next.

What fails on one worker, whose disk is full or whose Go cannot be run, may succeed on another one. A worker that fails
at once is idle at once, and would be given the unit again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from harness.campaign.plan import CampaignUnit


@dataclass(slots=True)
class UnitTries:
    """The failed tries of the units of one command: the address of each try's worker, empty if it is not known."""

    _failed: dict[str, list[str]] = field(default_factory=dict)

    def add(self, unit: CampaignUnit, worker: str) -> int:
        """Note that a unit failed on a worker. Returns: how often it has failed by now."""
        self._failed.setdefault(unit.digest, []).append(worker)
        return len(self._failed[unit.digest])

    def candidates(self, unit: CampaignUnit, workers: Iterable[str]) -> list[str]:
        """Return the addresses of the workers on which a unit did not fail; none if every worker may try it.

        That is so before it has failed, and once it has failed on all of them.
        """
        failed = self._failed.get(unit.digest, ())
        return sorted(set(workers) - set(failed)) if any(failed) else []

    def describe(self, unit: CampaignUnit) -> str:
        """Name the workers on which a unit failed, in the order of its tries."""
        return ", ".join(worker or "a worker that has gone" for worker in self._failed.get(unit.digest, ()))


class RestrictedUnits:
    """The units that the scheduler may give to certain workers only.

    When all of these have gone it would keep such a unit for ever: a worker that is started again has another address.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._futures: dict[str, tuple[Any, frozenset[str]]] = {}
        self._released: set[str] = set()

    def add(self, future: Any, workers: Iterable[str]) -> None:
        """Note to which workers the scheduler may give a unit."""
        with self._lock:
            self._futures[future.key] = future, frozenset(workers)

    def release(self, workers: Iterable[str]) -> None:
        """Cancel the units whose workers have all gone, if there are others."""
        present = frozenset(workers)
        with self._lock:
            gone = [key for key, (_, allowed) in self._futures.items() if present and not allowed & present]
            futures = [self._futures.pop(key)[0] for key in gone]
            self._released.update(gone)
        for future in futures:
            future.cancel()

    def take(self, key: str) -> bool:
        """Forget a unit that has ended. Returns: whether it was cancelled here, and has to be handed out again."""
        with self._lock:
            self._futures.pop(key, None)
            was_released = key in self._released
            self._released.discard(key)
        return was_released
