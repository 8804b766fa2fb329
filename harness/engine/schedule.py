"""Schedules many searches over one target, with several batches in flight, so that Python and the target work at once.

A search waits only for its own answers. The order of searches decides their progress under a time limit, never the
cases that a search asks. Time is shared by what a search has taken, in this process and in the worker, rather than by
cases: a kind whose validators take milliseconds must not starve a hundred fast ones. Searches in an early phase get
more, then those with many paths that both validators check, and those with many findings.

A search that yields no cases pauses before it draws some, and is asked for them at its next turn: otherwise the cases
that hundreds of searches have ready would take most of the memory of a process.
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

END_WINDOW_SECONDS, END_WINDOW_BATCHES = 10.0, 3.0
"""When less time is left than these seconds, or than so many batches take, no answer is waited for beyond the end. A
worker that dies is still noticed, and so is one that hangs, as long as `left` allows for unanswered cases."""


@dataclass(slots=True)
class TimeSpent:
    """The time by activity; `away` is how long the slowest of the last batches took. Units: seconds."""

    generate: float = 0.0
    encode: float = 0.0
    wait: float = 0.0
    away: float = 0.0


@dataclass(slots=True)
class _Running:
    """A running search.

    `charged` is the time that it took, in this process and in the worker, divided by its weight then; the search with
    the least is next. `ahead` are the batches that were sent without waiting for their answers.
    """

    search: UnitSearch
    steps: Search
    charged: float = 0.0
    batch: list[Case] = field(default_factory=list)
    ahead: deque[tuple[list[Case], Pending, float]] = field(default_factory=deque)


@dataclass(slots=True)
class Schedule:
    """Drives searches until all have ended or no time is `left` (in seconds).

    `on_turn` is called after each batch. Searches in `_ready` have a next turn, those in `_waiting` wait for answers,
    and those in `_parked` wait for another search.
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

        A search that raises keeps its findings, and the others go on. When the time is up, no more answers are waited
        for, because a batch of slow cases may take long.
        """
        self._mark = self.now()
        for search in self.searches:
            if self.left() <= 0:  # starting thousands of searches may itself use up the time
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
        """The number of cases that were sent and not answered."""
        return self._in_flight

    def _submit(self, running: _Running) -> None:
        while not running.batch or _is_ahead(running):
            if running.batch:
                running.ahead.append((running.batch, *self._send(running)))
            elif running.search.waits():
                self._parked.append(running)
                return
            if not self._step(running, []):
                self._wake()
                return
        if running.ahead and running.ahead[0][0] is running.batch:
            _, pending, started = running.ahead.popleft()
        else:
            pending, started = self._send(running)
        self._waiting.append((running, pending, started))
        self._charge(running)

    def _send(self, running: _Running) -> tuple[Pending, float]:
        started = self.now()
        pending = self.target.submit(running.search.to_send(running.batch))
        self.spent.encode += self.now() - started
        self._in_flight += len(running.batch)
        return pending, started

    def _collect(self) -> None:
        running, pending, sent = self._waiting[0]
        started, left = self.now(), self.left()
        if left < max(END_WINDOW_SECONDS, END_WINDOW_BATCHES * self.spent.away) and not pending.wait(max(0.0, left)):
            return
        self._waiting.popleft()
        self._in_flight -= len(running.batch)
        answers = pending.result()
        ended = self.now()
        waited = ended - started
        self.spent.away = max(ended - sent, 0.9 * self.spent.away)
        self.spent.wait += waited
        # Time of a worker while other searches had their turn is charged too, because cores are shared.
        overlapped = max(0.0, pending.seconds - waited)
        running.search.seconds += overlapped
        running.charged += overlapped / _weight(running.search)
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
        """Make parked searches ready whose donors have ended."""
        woken = [running for running in self._parked if not running.search.waits()]
        self._parked = [running for running in self._parked if running.search.waits()]
        for running in woken:
            heapq.heappush(self._ready, (running.charged, running.search.plan.unit.index, running))

    def _charge(self, running: _Running) -> None:
        """Charge a search for the time since the last charge."""
        before, self._mark = self._mark, self.now()
        running.search.seconds += self._mark - before
        running.charged += (self._mark - before) / _weight(running.search)

    def _step(self, running: _Running, answers: list[Answer] | None) -> bool:
        """Run a search until its next cases or pause. Returns: False when it has ended."""
        search = running.search
        started, compared = self.now(), search.ledger.compare_seconds
        try:
            running.batch = next(running.steps) if answers is None else running.steps.send(answers)
        except StopIteration:
            return False
        except Exception as error:
            search.fail(error)
            self._in_flight -= sum(len(batch) for batch, _, _ in running.ahead)  # their answers are never read
            return False
        finally:
            own = search.ledger.compare_seconds - compared
            self.spent.generate += self.now() - started - own
        return True


def _is_ahead(running: _Running) -> bool:
    """Whether a search has yielded a batch that it does not wait for yet."""
    return isinstance(running.batch, Ahead) and all(batch is not running.batch for batch, _, _ in running.ahead)


def _weight(search: UnitSearch) -> float:
    phase = search.phase
    if phase.is_flat:
        return phase.weight
    haste = phase.weight if search.seconds < phase.seconds else 1.0
    if search.ledger.pending or search.shrink_phase.begun:
        haste *= tuning.EXPLAINING
    # Slow kinds have few cases, and so many discoveries per case: count at least the usual cases per second.
    asked = max(search.asked, search.seconds / tuning.USUAL_COST)
    haste *= 1.0 + len(search.ledger.judged) / tuning.JUDGED
    return search.plan.unit.weight * haste * (1.0 + min(3.0, 20.0 * search.ledger.discoveries / (asked + 100)))
