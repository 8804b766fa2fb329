"""Measuring in this process: samples of every part, in turns, within bounds."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial

import pytest

from harness.case import Measure
from harness.targets import timing
from harness.targets.timing import measured


class Clock:
    """A clock of processor time that the test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0
        monkeypatch.setattr(time, "thread_time_ns", lambda: self.now)

    def part(self, nanoseconds: int) -> Callable[[], None]:
        """Something that takes so long."""

        def run() -> None:
            self.now += nanoseconds

        return run


def test_samples_have_the_time_of_a_run_in_nanoseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are as many samples as requested, each over as many runs as fill its time."""
    clock = Clock(monkeypatch)
    cost = measured({"fast": clock.part(40), "slow": clock.part(9000)}, Measure(4, 50_000))
    fast, slow = cost.parts["fast"], cost.parts["slow"]
    assert ((40.0,) * 4, (9000.0,) * 4) == (fast.nanoseconds, slow.nanoseconds)
    assert (True, True) == (fast.loops * 40 >= 50_000, 6 <= slow.loops <= 12)


def test_parts_take_turns() -> None:
    """After the calibration every part runs once for each round, another one first."""
    seen: list[str] = []

    def part(name: str) -> None:
        seen.append(name)
        sum(range(20_000))

    measured({name: partial(part, name) for name in "abc"}, Measure(3, 1000))
    assert list("abcbcacab") == seen[-9:]


def test_a_long_measurement_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """When time is over three samples are enough, and the bounds hold whatever is asked for."""
    monkeypatch.setattr(timing, "MAX_SECONDS", 0.0)
    cost = measured({"a": lambda: sum(range(1000))}, Measure(10**9, 1))
    assert 3 == len(cost.parts["a"].nanoseconds)


def test_the_collector_rests_and_works_again() -> None:
    """Also when a part raises."""
    seen: list[bool] = []
    measured({"a": lambda: seen.append(gc.isenabled())}, Measure(1, 1000))
    assert (False, True) == (any(seen), gc.isenabled())
    with pytest.raises(ZeroDivisionError):
        measured({"a": lambda: 1 / 0}, Measure(1, 1000))
    assert gc.isenabled()
