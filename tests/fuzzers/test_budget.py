from __future__ import annotations

from harness.fuzzers.budget import Clock, shares


def test_shares_add_up_to_the_budget() -> None:
    """No case is lost or invented, whatever the weights."""
    assert shares(10, [5, 3, 2]) == [5, 3, 2]
    assert sum(shares(1000, [1.0, 0.3, 0.3, 7.7])) == 1000
    assert shares(2, [1, 1, 1]) == [1, 1, 0]
    assert shares(5, []) == []


def test_a_clock_keeps_time_for_what_was_found_last() -> None:
    """Drawing stops a tenth before the end, at most six seconds; without a limit nothing is ever late."""
    now = [100.0]
    clock, endless = Clock(20.0, lambda: now[0]), Clock(None, lambda: now[0])
    assert (clock.is_late(), clock.is_over()) == (False, False)
    now[0] += 18.5
    assert (clock.is_late(), clock.is_over()) == (True, False)
    now[0] += 1.5
    assert (clock.is_late(), clock.is_over()) == (True, True)
    assert (endless.is_late(), endless.is_over()) == (False, False)
    assert Clock(120.0).reserve == 6.0
