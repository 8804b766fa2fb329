from __future__ import annotations

import math

from harness.fuzzers.budget import MAX_GRACE_CASES, MIN_GRACE, Clock, shares


def test_shares_add_up_to_the_budget() -> None:
    """No case is lost or invented, whatever the weights."""
    assert shares(10, [5, 3, 2]) == [5, 3, 2]
    assert sum(shares(1000, [1.0, 0.3, 0.3, 7.7])) == 1000
    assert shares(2, [1, 1, 1]) == [1, 1, 0]
    assert shares(5, []) == []


def test_a_clock_keeps_time_for_what_was_found_last() -> None:
    """Drawing stops a twentieth before the end, at most six seconds or a hundredth; without a limit, never."""
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


def test_a_clock_keeps_the_time_that_is_needed() -> None:
    """Much that is pending makes it late sooner, though not before three fifths; what is late stays late."""
    now, needed = [0.0], [6.0]
    clock = Clock(20.0, lambda: now[0], lambda: needed[0])
    now[0] = 12.5
    assert not clock.is_late()
    now[0] = 13.5
    assert clock.is_late()
    needed[0] = 0.0
    assert clock.is_late()
    assert Clock(20.0, lambda: now[0], lambda: 100.0).reserve == 8.0


def test_what_is_pending_is_finished_beyond_the_time_which_has_an_end() -> None:
    """Half of the time more and never less than half a minute, and so many cases; nothing else goes on."""
    now, asked, pending = [0.0], [500], [True]
    clock = Clock(20.0, lambda: now[0], pending=lambda: pending[0], asked=lambda: asked[0])
    assert clock.left() == 20.0
    now[0] = 21.0
    assert (clock.is_over(), clock.left()) == (True, MIN_GRACE - 1.0)
    asked[0] += MAX_GRACE_CASES - 1
    assert clock.left() > 0
    pending[0] = False
    now[0] += 0.1  # all searches are looked at for this, so not at every turn
    assert clock.left() <= 0
    pending[0], asked[0] = True, 500 + MAX_GRACE_CASES
    assert clock.left() <= 0
    asked[0], now[0] = 500, 20.0 + MIN_GRACE
    assert clock.left() <= 0
    assert Clock(300.0).grace == 150.0


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


def test_while_it_is_quiet_only_batches_on_their_way_are_waited_for() -> None:
    """A hundredth is kept, or the time of two answers."""
    now, quiet = [0.0], [True]
    clock = Clock(120.0, lambda: now[0], away=lambda: 2.5, quiet=lambda: quiet[0])
    assert (clock.reserve, Clock(120.0, quiet=lambda: True).reserve) == (5.0, 1.2)
    assert Clock(120.0, away=lambda: 9.0, quiet=lambda: True).reserve == 6.0
    now[0] = 114.0
    assert (clock.is_late(), clock.is_over()) == (False, False)
    now[0] = 115.5
    assert (clock.is_late(), clock.is_over()) == (True, False)
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


def test_a_clock_that_was_stopped_gives_no_time_for_anything() -> None:
    """With a limit and without, whatever is pending: nothing is drawn, finished or waited for, and it stays so."""
    for max_time in (None, 1000.0):
        clock = Clock(max_time, pending=lambda: True)
        assert (False, clock.left() > 0) == (clock.is_stopped, True)
        clock.stop()
        assert clock.is_stopped
        assert (True, True, False, 0.0) == (clock.is_late(), clock.is_over(), clock.goes_on(), clock.left())
