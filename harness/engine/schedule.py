"""Many searches over one target: several batches in flight, so that Python works while the target works.

A search waits for its own answers only. Which one comes next decides the progress under a time limit (those that find
much get more turns), never what a search does.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from harness.case import Answer, Case
from harness.engine.plan import Search
from harness.engine.search import UnitSearch
from harness.targets.target import Pending, Target

WINDOW = 600
"""Cases in flight: enough to keep a worker busy while answers are compared."""


@dataclass(slots=True)
class Spent:
    """Where the time went. Units: seconds."""

    generate: float = 0.0
    encode: float = 0.0
    wait: float = 0.0


@dataclass(slots=True)
class _Running:
    search: UnitSearch
    steps: Search
    asked: int = 0
    batch: list[Case] = field(default_factory=list)


@dataclass(slots=True)
class Schedule:
    """Drives searches until all have ended. `on_turn` is called after each batch."""

    target: Target
    searches: list[UnitSearch]
    on_turn: Callable[[UnitSearch], None]
    spent: Spent = field(default_factory=Spent)
    window: int = WINDOW
    _ready: list[tuple[float, int, _Running]] = field(default_factory=list)
    _waiting: deque[tuple[_Running, Pending]] = field(default_factory=deque)
    _in_flight: int = 0

    def run(self) -> None:
        """Run every search to its end. A search that fails inside keeps what it found; the others go on."""
        for search in self.searches:
            self._step(_Running(search, search.run()), None)
        while self._ready or self._waiting:
            while self._ready and (not self._waiting or self._in_flight < self.window):
                self._submit(heapq.heappop(self._ready)[2])
            self._collect()

    def _submit(self, running: _Running) -> None:
        started = time.perf_counter()
        pending = self.target.submit(running.batch)
        self.spent.encode += time.perf_counter() - started
        running.asked += len(running.batch)
        self._in_flight += len(running.batch)
        self._waiting.append((running, pending))

    def _collect(self) -> None:
        running, pending = self._waiting.popleft()
        self._in_flight -= len(running.batch)
        started = time.perf_counter()
        answers = pending.result()
        self.spent.wait += time.perf_counter() - started
        self._step(running, answers)
        self.on_turn(running.search)

    def _step(self, running: _Running, answers: list[Answer] | None) -> None:
        search = running.search
        started, compared = time.perf_counter(), search.ledger.compare_seconds
        try:
            running.batch = next(running.steps) if answers is None else running.steps.send(answers)
            while not running.batch:
                running.batch = running.steps.send([])
        except StopIteration:
            return
        except Exception as error:
            search.fail(error)
            return
        finally:
            own = search.ledger.compare_seconds - compared
            self.spent.generate += time.perf_counter() - started - own
        weight = search.plan.unit.weight * (1.0 + min(3.0, 20.0 * search.ledger.discoveries / (search.asked + 100)))
        heapq.heappush(self._ready, (running.asked / weight, search.plan.unit.index, running))
