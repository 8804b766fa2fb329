"""Many searches over one target: several batches in flight, so that Python works while the target works.

A search waits for its own answers only. Which one comes next decides the progress under a time limit, never what a
search does. Turns are shared by the time that a search has taken, here and in the worker, not by its cases: a kind
whose validators take milliseconds must not starve a hundred that take none. Searches in an early phase come first, then
those with many places that both sides look at, and those that find much.

A search that yields no cases has a pause before it draws some: it is asked for them when its turn comes. Cases that
hundreds of searches have ready would be most of what a process holds.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from harness import tuning
from harness.case import Answer, Case
from harness.engine.plan import Ahead, Search
from harness.engine.search import UnitSearch
from harness.targets.target import Pending, Target

NEAR, SLOW = 10.0, 3.0
"""From when on before the end no answer is waited for beyond it, in seconds, or as often as answers take. A worker that
ends is noticed all the same, and one that hangs as long as `left` goes on for what is not answered."""


@dataclass(slots=True)
class TimeSpent:
    """Where the time went, and how long the slowest of the last batches was on its way. Units: seconds."""

    generate: float = 0.0
    encode: float = 0.0
    wait: float = 0.0
    away: float = 0.0


@dataclass(slots=True)
class _Running:
    """A search on its way.

    `charged` is the time it took, here and in the worker, by the weight it had then: the least is next. `ahead` are
    batches that were sent before it waits for them.
    """

    search: UnitSearch
    steps: Search
    charged: float = 0.0
    batch: list[Case] = field(default_factory=list)
    ahead: deque[tuple[list[Case], Pending, float]] = field(default_factory=deque)


@dataclass(slots=True)
class Schedule:
    """Drives searches until all have ended, or `left`, in seconds, says that time is up.

    `on_turn` is called after each batch.
    """

    target: Target
    searches: list[UnitSearch]
    on_turn: Callable[[UnitSearch], None]
    spent: TimeSpent = field(default_factory=TimeSpent)
    window: int = tuning.WINDOW
    now: Callable[[], float] = time.perf_counter
    left: Callable[[], float] = lambda: math.inf
    _mark: float = 0.0
    _ready: list[tuple[float, int, _Running]] = field(default_factory=list)
    _waiting: deque[tuple[_Running, Pending, float]] = field(default_factory=deque)
    _in_flight: int = 0
    _parked: list[_Running] = field(default_factory=list)

    def run(self, steps: Callable[[UnitSearch], Search] = lambda search: search.run()) -> None:
        """Run every search to its end, or these `steps` of it.

        A search that fails inside keeps what it found; the others go on.
        When time is up no more answers are waited for: a batch of slow cases may take longer than anybody wants to.
        """
        self._mark = self.now()
        for search in self.searches:
            if self.left() <= 0:  # of thousands nobody asks each whether time is up
                break
            self._turn(_Running(search, steps(search)), None)
        awaited = [search for search in self.searches if search.is_awaited]
        while (self._ready or self._waiting) and self.left() > 0:
            awaited = [search for search in awaited if search.is_awaited]
            window = min(self.window, tuning.SHORT_WINDOW) if awaited else self.window
            while self._ready and (not self._waiting or self._in_flight < window):
                self._submit(heapq.heappop(self._ready)[2])
            if self._waiting:
                self._collect()

    @property
    def unanswered(self) -> int:
        """How many cases were asked and are not answered."""
        return self._in_flight

    def _submit(self, running: _Running) -> None:
        while not running.batch or _is_ahead(running):
            if running.batch:
                running.ahead.append((running.batch, *self._send(running.batch)))
            elif running.search.waits():
                self._parked.append(running)
                return
            if not self._step(running, []):
                self._wake()
                return
        if running.ahead and running.ahead[0][0] is running.batch:
            _, pending, started = running.ahead.popleft()
        else:
            pending, started = self._send(running.batch)
        self._waiting.append((running, pending, started))
        self._charge(running)

    def _send(self, batch: list[Case]) -> tuple[Pending, float]:
        started = self.now()
        pending = self.target.submit(batch)
        self.spent.encode += self.now() - started
        self._in_flight += len(batch)
        return pending, started

    def _collect(self) -> None:
        running, pending, sent = self._waiting[0]
        started, left = self.now(), self.left()
        if left < max(NEAR, SLOW * self.spent.away) and not pending.wait(max(0.0, left)):
            return
        self._waiting.popleft()
        self._in_flight -= len(running.batch)
        answers = pending.result()
        ended = self.now()
        waited = ended - started
        self.spent.away = max(ended - sent, 0.9 * self.spent.away)
        self.spent.wait += waited
        # What a worker does while others have their turn costs them as well: there are only so many cores.
        apart = max(0.0, pending.seconds - waited)
        running.search.seconds += apart
        running.charged += apart / _weight(running.search)
        self._turn(running, answers)
        self.on_turn(running.search)

    def _turn(self, running: _Running, answers: list[Answer] | None) -> None:
        goes_on = self._step(running, answers)
        self._charge(running)
        if goes_on:
            heapq.heappush(self._ready, (running.charged, running.search.plan.unit.index, running))
        else:
            self._wake()

    def _wake(self) -> None:
        """Go on with what waited for a search that has ended."""
        woken = [running for running in self._parked if not running.search.waits()]
        self._parked = [running for running in self._parked if running.search.waits()]
        for running in woken:
            heapq.heappush(self._ready, (running.charged, running.search.plan.unit.index, running))

    def _charge(self, running: _Running) -> None:
        """Charge what has passed since the last charge."""
        before, self._mark = self._mark, self.now()
        running.search.seconds += self._mark - before
        running.charged += (self._mark - before) / _weight(running.search)

    def _step(self, running: _Running, answers: list[Answer] | None) -> bool:
        """Go on until the next questions, or a pause. Returns: whether it has not ended."""
        search = running.search
        started, compared = self.now(), search.ledger.compare_seconds
        try:
            running.batch = next(running.steps) if answers is None else running.steps.send(answers)
        except StopIteration:
            return False
        except Exception as error:
            search.fail(error)
            self._in_flight -= sum(len(batch) for batch, _, _ in running.ahead)  # nobody asks for them any more
            return False
        finally:
            own = search.ledger.compare_seconds - compared
            self.spent.generate += self.now() - started - own
        return True


def _is_ahead(running: _Running) -> bool:
    """Whether a search goes on while its batch is on its way."""
    return isinstance(running.batch, Ahead) and all(batch is not running.batch for batch, _, _ in running.ahead)


def _weight(search: UnitSearch) -> float:
    phase = search.phase
    if phase.is_flat:
        return phase.weight
    haste = phase.weight if search.seconds < phase.seconds else 1.0
    if search.ledger.pending or search.shrink_phase.begun:
        haste *= tuning.EXPLAINING
    # Where cases are slow there are few of them, so that differences are many among them: that alone is no reason.
    asked = max(search.asked, search.seconds / tuning.USUAL_COST)
    haste *= 1.0 + len(search.ledger.judged) / tuning.JUDGED
    return search.plan.unit.weight * haste * (1.0 + min(3.0, 20.0 * search.ledger.discoveries / (asked + 100)))
