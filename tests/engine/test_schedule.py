"""Whose turn it is: time is shared, not cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from harness import tuning
from harness.case import Answer, Case, Operation
from harness.engine.phases import PHASES, Phase
from harness.engine.plan import Ahead, Search
from harness.engine.schedule import Schedule
from tests.fuzzers.toys import Done

BATCH = 10
SEED, AIM = PHASES[2], PHASES[3]
DRAW = next(phase for phase in PHASES if phase.name == "random")


@dataclass
class Clocked:
    """A target with a clock of its own: each kind costs so many seconds a case.

    With `apart` a case takes this long here, and what its kind costs in a process of its own, while others have a turn.
    """

    costs: dict[str, float]
    time: float = 0.0
    apart: float = 0.0
    asked: Counter[str] = field(default_factory=Counter)
    order: list[str] = field(default_factory=list)

    def submit(self, cases: Sequence[Case]) -> Done:
        """Answer at once; the clock goes on."""
        for case in cases:
            self.time += self.apart or self.costs[case.kind]
            self.asked[case.kind] += 1
        self.order.append(cases[0].kind)
        seconds = sum(self.costs[case.kind] for case in cases) if self.apart else 0.0
        return Done([Answer(case.id) for case in cases], seconds)


def searching(index: int, kind: str, target: Clocked, until: float, early: int = 0, phase: Phase[Any] = AIM) -> Any:
    """A search that asks the same until a time, in an early phase for so many batches, and then in the random one."""
    ledger = SimpleNamespace(compare_seconds=0.0, discoveries=0, pending=[], judged=set())
    plan = SimpleNamespace(unit=SimpleNamespace(weight=1.0, index=index))
    search = SimpleNamespace(
        plan=plan,
        ledger=ledger,
        shrink_phase=SimpleNamespace(begun=0),
        asked=0,
        seconds=0.0,
        phase=phase if early else DRAW,
        is_awaited=False,
        waits=lambda: False,
        to_send=lambda cases: cases,
    )

    def run() -> Search:
        batches = 0
        while target.time < until:
            yield [Case(1, "g", "v1", kind, Operation.CREATE, {})] * BATCH
            search.asked += BATCH
            batches += 1
            search.phase = phase if batches < early else DRAW

    search.run = run
    return search


def schedule(target: Clocked, searches: list[Any], **options: Any) -> Schedule:
    """Run searches over a target, whose clock is that of the run, to the end of their time."""
    made = Schedule(target, searches, lambda search: None, now=lambda: target.time, **options)  # type: ignore[arg-type]  # a clock is all that is asked of it
    made.run()
    return made


def test_when_time_is_up_no_further_search_is_begun_or_looked_at() -> None:
    """Whether time is up may take a look at all searches: of twenty thousand, each would look at all the others."""
    target, looks = Clocked({"one": 0.01}), list[float]()

    def left() -> float:
        looks.append(target.time)
        return 1.0 if len(looks) <= 2 else 0.0

    searches = [searching(number, "one", target, 1.0) for number in range(1000)]
    schedule(target, searches, left=left)
    assert 4 == len(looks)  # two begin, one may not, and nothing is sent


def test_a_slow_kind_gets_its_share_of_the_time_and_not_of_the_cases() -> None:
    """One kind costs fifty times another: both take half of the time, so the fast one is asked fifty times as much."""
    target = Clocked({"slow": 0.05, "fast": 0.001})
    schedule(target, [searching(0, "slow", target, 100.0), searching(1, "fast", target, 100.0)], window=1)
    assert [50, 50] == [round(target.asked[kind] * cost) for kind, cost in target.costs.items()]


def test_differences_are_reduced_as_they_come() -> None:
    """A search with differences to reduce gets four times the time of one without: little is left for the end."""
    target = Clocked({"reducing": 0.01, "looking": 0.01})
    reducing = searching(0, "reducing", target, 50.0)
    reducing.shrink_phase.begun = 1
    schedule(target, [reducing, searching(1, "looking", target, 50.0)], window=1)
    assert 4.0 == pytest.approx(target.asked["reducing"] / target.asked["looking"], rel=0.05)


def test_a_kind_with_much_to_judge_gets_more_time() -> None:
    """Twenty-four paths that both sides look at are worth three times what a kind has that nobody looks at."""
    target = Clocked({"much": 0.01, "nothing": 0.01})
    much = searching(0, "much", target, 50.0)
    much.ledger.judged = set(range(24))
    schedule(target, [much, searching(1, "nothing", target, 50.0)], window=1)
    assert 4.0 == pytest.approx(target.asked["much"] / target.asked["nothing"], rel=0.05)


def test_a_slow_search_hurries_for_a_moment_alone() -> None:
    """One that needs its share of all time to go for its aims does not take it before the others have theirs."""
    target = Clocked({"slow": 0.02, "fast": 0.001})
    slow = searching(0, "slow", target, 40.0, early=1000)
    schedule(target, [slow, searching(1, "fast", target, 40.0)], window=1)
    spent = {kind: target.asked[kind] * cost for kind, cost in target.costs.items()}
    assert 0.4 < spent["slow"] / sum(spent.values()) < 0.6


def test_many_differences_among_few_slow_cases_bring_no_more_time() -> None:
    """Half of the time each, though the slow one finds something in every tenth case."""
    target = Clocked({"slow": 0.02, "fast": 0.001})
    slow = searching(0, "slow", target, 400.0)
    steps = slow.run

    def run() -> Search:
        for batch in steps():
            slow.ledger.discoveries += len(batch) // 10
            yield batch

    slow.run = run
    schedule(target, [slow, searching(1, "fast", target, 400.0)], window=1)
    assert target.asked["slow"] * 0.02 / target.time < 0.65


def test_what_a_worker_does_meanwhile_is_paid_for() -> None:
    """A kind that keeps a worker busy while others have their turn is asked as seldom as one that is waited for."""
    target = Clocked({"slow": 0.05, "fast": 0.001}, apart=0.0001)
    schedule(target, [searching(0, "slow", target, 1.0), searching(1, "fast", target, 1.0)], window=1)
    assert target.asked["fast"] > 40 * target.asked["slow"] > 0


def test_who_has_no_bases_yet_comes_first() -> None:
    """A search that needs forty batches for its seeds has all of them when another has gone on by five."""
    target = Clocked({"seed_search": 0.001, "founded": 0.001})
    schedule(
        target, [searching(0, "founded", target, 2.0), searching(1, "seed_search", target, 2.0, early=40)], window=1
    )
    assert [40, 5] == [target.order[:45].count(kind) for kind in ("seed_search", "founded")]


def test_a_light_search_without_bases_does_not_wait_for_the_heavy_ones() -> None:
    """A kind with a hundredth of the weight has its ten batches first, and its small share of the time from then on."""
    target = Clocked({"heavy": 0.01, "light": 0.01})
    light = searching(1, "light", target, 60.0, early=10, phase=SEED)
    light.plan.unit.weight = 0.01
    schedule(target, [searching(0, "heavy", target, 60.0), light], window=1)
    assert 10 <= target.order[:14].count("light")
    assert target.order.count("light") < 25


def test_every_batch_is_answered_whatever_the_window() -> None:
    """Several batches in flight, one by each search: none is lost, and each search is sent its own answers."""
    target = Clocked({"a": 0.0, "b": 0.0})
    searches = [searching(0, "a", target, 1.0), searching(1, "b", target, 1.0)]
    target.costs.update(a=0.01, b=0.03)
    schedule(target, searches)
    assert [one.asked for one in searches] == [target.asked["a"], target.asked["b"]]


def test_a_search_that_waits_goes_on_when_the_other_has_ended() -> None:
    """One waits for another from its first turn: it is asked when that one has ended, and runs to its end."""
    target = Clocked({"donor": 0.1, "taker": 0.1})
    donor, taker = searching(1, "donor", target, 5.0), searching(0, "taker", target, 9.0)
    asking = taker.run
    is_ready: list[bool] = []

    def donate() -> Search:
        yield from steps
        is_ready.append(True)

    def wait() -> Search:
        while taker.waits():
            assert [] == (yield [])
        yield from asking()

    steps = donor.run()
    donor.phase = Phase("donate", lambda search: steps, tuning.AWAITED, is_flat=True)
    donor.run, donor.is_awaited, taker.run, taker.waits = donate, True, wait, lambda: not is_ready
    schedule(target, [taker, donor], window=1)
    donated = target.order.count("donor")
    assert ["donor"] * donated == target.order[:donated]
    assert {"taker"} == set(target.order[donated:])


class Slow:
    """Batches that take minutes to be answered. Whoever waits for one moves the clock of the target."""

    def __init__(self, target: Clocked, answers: list[Answer]) -> None:
        self._target, self._answers, self.seconds, self._due = target, answers, 0.0, target.time + 300.0

    def wait(self, seconds: float) -> bool:
        """Wait as long as somebody wants to."""
        self._target.time = min(self._due, self._target.time + seconds)
        return self._target.time >= self._due

    def result(self) -> list[Answer]:
        """Wait for minutes."""
        self._target.time = max(self._target.time, self._due)
        return self._answers


def test_a_run_whose_target_is_slow_ends_at_its_time() -> None:
    """Batches in flight take minutes: when time is up nobody waits for them, and nothing more is asked."""
    target = Clocked({"slow": 0.0})
    target.submit = lambda cases: Slow(target, [Answer(case.id) for case in cases])  # type: ignore[assignment, method-assign, return-value]  # slower than a clocked one
    searches = [searching(number, "slow", target, 10_000.0) for number in range(3)]
    schedule(target, searches, left=lambda: 605.0 - target.time)
    assert 605.0 == target.time
    assert 60 == sum(search.asked for search in searches)


def test_cases_are_drawn_when_their_turn_comes() -> None:
    """Of many searches that pause before they draw, only those in flight have cases: a batch of each would be much."""
    target = Clocked({"a": 0.01})
    drawn, most = 0, 0
    searches = [searching(number, "a", target, 30.0) for number in range(40)]

    def pausing(search: Any) -> Search:
        nonlocal drawn, most
        steps = search()
        while True:
            assert [] == (yield [])
            batch = next(steps, None)
            if batch is None:
                return
            drawn += 1
            most = max(most, drawn)
            yield batch
            drawn -= 1

    for one in searches:
        one.run = partial(pausing, one.run)
    schedule(target, searches, window=3 * BATCH)
    assert 0 < most <= 4
    assert all(one.asked for one in searches)


def test_cases_sent_ahead_are_with_the_target_while_the_search_goes_on() -> None:
    """Two batches are sent before the first is waited for; each gets its own answers, in the order asked."""
    target = Clocked({"a": 0.01})
    one = searching(0, "a", target, 0.0)
    told: list[object] = []

    def run() -> Search:
        first, second = (Ahead([Case(n, "", "v1", "a", Operation.CREATE, {})]) for n in (1, 2))
        told.extend([(yield first), (yield second), sum(target.asked.values())])
        told.append([answer.id for answer in (yield first)])
        told.append([answer.id for answer in (yield [Case(3, "", "v1", "a", Operation.CREATE, {})])])
        told.append([answer.id for answer in (yield second)])

    one.run = run
    done = schedule(target, [one])
    assert [[], [], 2, [1], [3], [2]] == told
    assert 0 == done.unanswered


def test_what_a_broken_search_had_sent_ahead_is_not_waited_for() -> None:
    """A search that fails with a batch on its way leaves nothing that the end of the run would count as unanswered."""
    target = Clocked({"a": 0.01})
    one = searching(0, "a", target, 0.0)
    failed: list[Exception] = []

    def run() -> Search:
        yield Ahead([Case(1, "", "v1", "a", Operation.CREATE, {})])
        raise ValueError("of our own")

    one.run, one.fail = run, failed.append
    done = schedule(target, [one])
    assert ["of our own"] == [str(error) for error in failed]
    assert 0 == done.unanswered
