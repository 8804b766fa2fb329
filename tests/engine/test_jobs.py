"""What a process tells of its searches while they go on."""

from __future__ import annotations

import multiprocessing
import pickle
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.case import KindInfo
from harness.engine import jobs
from harness.engine.jobs import STOCK_SHARE, Job, SearchProgress, Stocktaking, Turn, collect
from harness.engine.outcome import UnitOutcome
from harness.events import KindReport

PODS = KindInfo("", "v1", "Pod", "pods", "v1", type="core.Pod")


@dataclass
class Telling:
    """A clock, and what was told; telling takes `price` seconds."""

    price: float = 0.0
    time: float = 0.0
    told: list[Any] = field(default_factory=list)

    def tell(self, outcome: Any) -> None:
        """Take what is told."""
        self.time += self.price
        self.told.append(outcome)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Three searches whose outcome is their number."""
    monkeypatch.setattr(jobs, "UnitOutcome", SimpleNamespace(of=lambda search: search.plan.unit.index))
    return [SimpleNamespace(asked=1, plan=SimpleNamespace(unit=SimpleNamespace(index=number))) for number in range(3)]


def test_searches_are_told_of_in_turn_and_only_when_they_went_on(searches: list[Any]) -> None:
    """Each once, then the one that asked more; nobody when none did."""
    telling = Telling()
    stock = Stocktaking(telling.tell, lambda: telling.time)
    for _ in range(5):
        telling.time += 1
        stock.take(searches)
    searches[1].asked = 2
    for _ in range(2):
        telling.time += 1
        stock.take(searches)
    assert telling.told == [0, 1, 2, 1]


def test_telling_takes_a_small_share_of_the_time(searches: list[Any]) -> None:
    """However long one takes and however often it could be told, the rest of the time goes to searching."""
    telling = Telling(price=0.2)
    stock = Stocktaking(telling.tell, lambda: telling.time)
    while telling.time < 100:
        for one in searches:
            one.asked += 1
        stock.take(searches)
        telling.time += 0.01
    share = len(telling.told) * telling.price / telling.time
    assert 0.5 * STOCK_SHARE < share < 1.5 * STOCK_SHARE


def test_what_telling_of_all_takes_is_known_from_what_it_took(searches: list[Any]) -> None:
    """The last time of each search, however often it was told of."""
    telling = Telling(price=0.25)
    stock = Stocktaking(telling.tell, lambda: telling.time)
    for number in range(6):
        telling.time += 100
        searches[number % 3].asked += 1
        stock.take(searches)
    assert stock.seconds == pytest.approx(0.75)


def test_how_far_a_search_is_crosses_processes_packed() -> None:
    """What the parent keeps of a process that may die is small, and opened it says what was told."""
    kinds = tuple(KindReport(PODS, "create", number, 0, True, ()) for number in range(200))
    outcome = UnitOutcome(3, kinds, (), 199, 190, 5, 0, {"rules": {"fired": 7}}, (0.5, 1.5))
    standing = SearchProgress.of(outcome)
    assert (standing.unit, standing.outcome()) == (3, outcome)
    assert len(standing.packed) < len(pickle.dumps(outcome)) / 2


def test_a_process_whose_pipe_is_held_open_by_another_is_missed_all_the_same() -> None:
    """What a validator started may outlive it, and the pipe with it: nobody waits for ever."""
    ours, theirs = multiprocessing.Pipe()
    dead: Any = SimpleNamespace(is_alive=lambda: False, join=lambda seconds: None, exitcode=0)
    job = Job(dead, ours)
    theirs.send(Turn(12, "v1 pods"))
    collect([job], lambda job, message: None)
    theirs.close()
    assert job.cases == 12
    assert (job.result().stopped, job.result().stopped_detail) == ("target-lost", "a job process died (exit code 0)")
