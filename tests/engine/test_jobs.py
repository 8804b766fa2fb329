"""What a process tells of its searches while they go on."""

from __future__ import annotations

import multiprocessing
import os
import pickle
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.case import KindInfo
from harness.engine import jobs
from harness.engine.config import RunConfig
from harness.engine.jobs import PROGRESS_SHARE, Job, JobProgress, ProgressSender, SearchProgress, collect
from harness.engine.outcome import UnitOutcome
from harness.events import KindReport
from harness.subject import SubjectSpec, open_subject

PODS = KindInfo("", "v1", "Pod", "pods", "v1", type="core.Pod")


@dataclass
class FakeSender:
    """A clock, and the outcomes that were sent; sending one takes `price` seconds."""

    price: float = 0.0
    time: float = 0.0
    sent: list[Any] = field(default_factory=list)

    def send(self, outcome: Any) -> None:
        """Record an outcome."""
        self.time += self.price
        self.sent.append(outcome)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Three searches whose outcome is their number."""
    monkeypatch.setattr(jobs, "UnitOutcome", SimpleNamespace(of=lambda search: search.plan.unit.index))
    return [SimpleNamespace(asked=1, plan=SimpleNamespace(unit=SimpleNamespace(index=number))) for number in range(3)]


def test_searches_are_sent_in_rotation_and_only_if_they_went_on(searches: list[Any]) -> None:
    """Each once, then the one that asked more; nobody when none did."""
    fake = FakeSender()
    sender = ProgressSender(fake.send, lambda: fake.time)
    for _ in range(5):
        fake.time += 1
        sender.send_next(searches)
    searches[1].asked = 2
    for _ in range(2):
        fake.time += 1
        sender.send_next(searches)
    assert fake.sent == [0, 1, 2, 1]


def test_sending_takes_a_small_share_of_the_time(searches: list[Any]) -> None:
    """However long one takes and however often it could be told, the rest of the time goes to searching."""
    fake = FakeSender(price=0.2)
    sender = ProgressSender(fake.send, lambda: fake.time)
    while fake.time < 100:
        for one in searches:
            one.asked += 1
        sender.send_next(searches)
        fake.time += 0.01
    share = len(fake.sent) * fake.price / fake.time
    assert 0.5 * PROGRESS_SHARE < share < 1.5 * PROGRESS_SHARE


def test_the_time_to_send_all_is_the_sum_of_their_last_times(searches: list[Any]) -> None:
    """The last time of each search, however often it was told of."""
    fake = FakeSender(price=0.25)
    sender = ProgressSender(fake.send, lambda: fake.time)
    for number in range(6):
        fake.time += 100
        searches[number % 3].asked += 1
        sender.send_next(searches)
    assert sender.seconds == pytest.approx(0.75)


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
    theirs.send(JobProgress(12, "v1 pods"))
    collect([job], lambda job, message: None)
    theirs.close()
    assert job.cases == 12
    assert (job.result().stopped, job.result().stopped_detail) == ("target-lost", "a job process died (exit code 0)")


def test_a_process_that_dies_before_it_knows_its_work_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with much to hand over goes on: nothing is written to a pipe that nobody reads."""
    monkeypatch.setattr(jobs, "_begin", _die)
    started = jobs.start(SubjectSpec("suite", "x" * 5_000_000), RunConfig(seed=1, jobs=1), open_subject, 0.0)
    collect(started, lambda job, message: None)
    assert "target-lost" == started[0].result().stopped
    assert "exit code 3" in started[0].result().stopped_detail
    jobs.end(started)


def _die(link: Any) -> None:
    os._exit(3)
