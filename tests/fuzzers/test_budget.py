from __future__ import annotations

import math

from harness.fuzzers.budget import Clock, shares


def test_shares_add_up_to_the_budget() -> None:
    """No case is lost or invented, whatever the weights."""
    assert shares(10, [5, 3, 2]) == [5, 3, 2]
    assert sum(shares(1000, [1.0, 0.3, 0.3, 7.7])) == 1000
    assert shares(2, [1, 1, 1]) == [1, 1, 0]
    assert shares(5, []) == []


def test_a_clock_keeps_time_for_what_was_found_last() -> None:
    """Drawing stops a twentieth before the end, at most six seconds or a hundredth; without a limit, never.

    In the very last moment, at most two seconds, nothing is reduced any more, so that all of it can still be explained.
    """
    now = [100.0]
    clock, endless = Clock(20.0, lambda: now[0]), Clock(None, lambda: now[0])
    assert (clock.is_late(), clock.is_over()) == (False, False)
    now[0] += 19.5
    assert (clock.is_late(), clock.is_over()) == (True, False)
    now[0] += 0.5
    assert (clock.is_late(), clock.is_over()) == (True, True)
    assert (endless.is_late(), endless.is_over()) == (False, False)
    assert (Clock(120.0).reserve, Clock(1200.0).reserve) == (6.0, 12.0)
    assert (clock.left(), endless.left()) == (0.0, math.inf)
    brief = Clock(120.0, lambda: now[0])
    now[0] += 117.9
    assert not brief.is_over()
    now[0] += 0.2
    assert brief.is_over()


def test_a_clock_keeps_the_time_that_is_needed() -> None:
    """Much that is pending makes it late sooner, though not before three fifths; what is late stays late.

    Only where explaining alone takes longer it is late before, at two fifths.
    """
    now, needed = [0.0], [6.0]
    clock = Clock(20.0, lambda: now[0], lambda: needed[0])
    now[0] = 12.5
    assert not clock.is_late()
    now[0] = 13.5
    assert clock.is_late()
    needed[0] = 0.0
    assert clock.is_late()
    assert Clock(20.0, lambda: now[0], lambda: 100.0).reserve == 8.0
    assert Clock(20.0, lambda: now[0], lambda: 100.0, lambda: 9.0).reserve == 10.0
    assert Clock(20.0, lambda: now[0], lambda: 100.0, lambda: 90.0).reserve == 12.0


def test_nothing_is_reduced_further_while_there_is_time_for_explaining_alone() -> None:
    """What explaining takes is estimated again and again: it may turn out to take less."""
    now, least = [0.0], [5.0]
    clock = Clock(20.0, lambda: now[0], least=lambda: least[0])
    now[0] = 14.0
    assert not clock.is_over()
    now[0] = 15.5
    assert clock.is_over()
    least[0], now[0] = 2.0, 16.0
    assert not clock.is_over()


def test_what_is_needed_is_looked_at_now_and_then() -> None:
    """Asked a hundred thousand times, the clock has all searches summed up some hundreds of times."""
    now, looks = [0.0], [0]

    def needed() -> float:
        looks[0] += 1
        return 0.0

    clock = Clock(100.0, lambda: now[0], needed)
    for number in range(100_000):
        now[0] = number / 1000
        clock.is_late()
    assert clock.is_late()
    assert 100 < looks[0] < 1000


def test_a_clock_goes_on_when_more_was_kept_than_needed() -> None:
    """Only after it was late, only while twice of what is kept anyway is left, and then it may be late again."""
    now, needed = [0.0], [30.0]
    clock = Clock(100.0, lambda: now[0], lambda: needed[0])
    now[0] = 65.0
    assert not clock.goes_on()
    now[0] = 75.0
    assert clock.is_late()
    assert not clock.goes_on()  # what is pending may take all of it
    needed[0] = 0.0
    assert clock.goes_on()
    assert not clock.is_late()
    now[0] = 94.9
    assert not clock.is_late()
    now[0] = 95.1
    assert clock.is_late()
    assert not clock.goes_on()


def test_a_clock_leaves_time_for_closing() -> None:
    """What is found must be told within the time as well; that is never more than a tenth of it."""
    now, closing = [0.0], [0.5]
    clock = Clock(20.0, lambda: now[0], closing=lambda: closing[0])
    now[0] = 12.0
    assert clock.left() == 7.5
    closing[0] = 9.0
    assert clock.left() == 6.0


def test_answers_that_are_slow_to_come_want_more_time() -> None:
    """A finding waits for several, one after the other: as a rule that is nothing, on a busy machine it is seconds."""
    now = [0.0]
    assert Clock(60.0, lambda: now[0], away=lambda: 0.2).reserve == 3.0
    assert Clock(60.0, lambda: now[0], away=lambda: 1.0).reserve == 4.0
    assert Clock(60.0, lambda: now[0], away=lambda: 9.0).reserve == 6.0
    slow = Clock(60.0, lambda: now[0], away=lambda: 9.0)
    now[0] = 56.0
    assert not slow.is_over()
    now[0] = 57.5
    assert slow.is_over()


def test_while_it_is_quiet_only_batches_on_their_way_are_waited_for() -> None:
    """A hundredth is kept, or the time of two answers, of which the last half is for no closer look."""
    now, quiet = [0.0], [True]
    clock = Clock(120.0, lambda: now[0], away=lambda: 2.5, quiet=lambda: quiet[0])
    assert (clock.reserve, Clock(120.0, quiet=lambda: True).reserve) == (5.0, 1.2)
    assert Clock(120.0, away=lambda: 9.0, quiet=lambda: True).reserve == 6.0
    now[0] = 114.0
    assert (clock.is_late(), clock.is_over()) == (False, False)
    now[0] = 115.5
    assert (clock.is_late(), clock.is_over()) == (True, False)
    now[0] = 118.0
    assert clock.is_over()
    quiet[0] = False
    assert clock.reserve == 10.0


def test_a_quiet_clock_goes_on_whenever_it_is_not_late() -> None:
    """Nobody waits for what was kept; where something may be met, twice of that is wanted."""
    now, needed, quiet = [70.0], [40.0], [False]
    clock = Clock(100.0, lambda: now[0], lambda: needed[0], away=lambda: 2.0, quiet=lambda: quiet[0])
    clock.started = 0.0
    assert clock.is_late()
    needed[0], now[0] = 0.0, 93.0
    assert not clock.goes_on()
    quiet[0] = True
    assert clock.goes_on()
    now[0] = 96.5
    assert clock.is_late()
    assert not clock.goes_on()
