"""What is pending is told in seconds, from what was settled before."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from harness import tuning
from harness.engine.backlog import (
    DEFAULT_CASES_PER_FINDING,
    MARGIN,
    MAX_PER_PROCESS,
    MAX_PER_SEARCH,
    REPEATED_CASE_COST,
    choose_batch,
    count_left,
    is_left,
    is_quiet,
    seconds_needed,
)


def searching(pending: int = 0, **more: Any) -> Any:
    """A search with so much pending; `seconds` and `asked` are those of all its questions, `spent` by shrinking."""
    usual = {"new_error_cases": 0, "suspects": 0, "begun": 0, "explained": 0, "spent": 0.0, "last": 0.0}
    given = {**usual, "seconds": 10.0, "asked": 1000, **more}
    return SimpleNamespace(
        seconds=given["seconds"],
        asked=given["asked"],
        ledger=SimpleNamespace(
            pending=[0] * pending,
            new_error_cases=[0] * given["new_error_cases"],
            suspects=[0] * given["suspects"],
            last=given["last"],
        ),
        shrink_phase=SimpleNamespace(begun=given["begun"], explained=given["explained"], seconds=given["spent"]),
    )


def test_nothing_pending_needs_no_time() -> None:
    """Whatever was settled before, and before anything was asked."""
    assert (
        seconds_needed([searching(explained=100, spent=5.0)])
        == seconds_needed([])
        == seconds_needed([searching(seconds=0.0, asked=0)])
        == 0.0
    )


def test_before_much_was_settled_a_finding_takes_so_many_usual_cases() -> None:
    """A case takes ten milliseconds here."""
    assert seconds_needed([searching(2), searching()]) == pytest.approx(MARGIN * 2 * DEFAULT_CASES_PER_FINDING * 0.01)


def test_what_a_finding_takes_is_what_it_took() -> None:
    """Of its own search where that has settled some, of all searches elsewhere."""
    slow, fast = searching(explained=10, spent=10.0), searching(explained=30, spent=2.0)
    assert seconds_needed([slow, fast, searching(4)]) == pytest.approx(MARGIN * 4 * 12.0 / 40)
    slow.ledger.pending = [0, 0]
    assert seconds_needed([slow, fast]) == pytest.approx(MARGIN * 2 * 1.0)


def test_it_is_quiet_when_nothing_is_pending_and_the_later_half_met_nothing() -> None:
    """What any search met counts, and what is on its way is pending; what is looked at closer is no difference."""
    searches = [searching(last=50.0), searching(last=10.0, new_error_cases=3)]
    assert is_quiet(searches, 100.0)
    assert is_quiet([], 100.0)
    assert not is_quiet(searches, 99.0)
    for more in (searching(1), searching(begun=1)):
        assert not is_quiet([*searches, more], 100.0)


def test_what_is_on_its_way_is_half_done() -> None:
    """Half of it was taken, half is to come."""
    assert seconds_needed([searching(begun=4, explained=28, spent=3.0)]) == pytest.approx(MARGIN * 2 * 0.1)


def test_what_is_looked_at_closer_takes_longer_than_other_cases() -> None:
    """Errors that were met for the first time wait to be asked about again."""
    assert seconds_needed([searching(new_error_cases=5)]) == pytest.approx(MARGIN * 5 * REPEATED_CASE_COST * 0.01)


def test_what_was_met_and_is_not_explained_is_counted_whole() -> None:
    """What waits, what is on its way, and what failed and is asked about again."""
    assert count_left([searching(2, begun=3), searching(suspects=1), searching(new_error_cases=4, explained=9)]) == 6
    assert count_left([]) == 0


def test_the_fewer_searches_have_something_left_the_more_each_settles_at_once() -> None:
    """Between a dozen and four dozen, so that all of a process are a few hundred."""
    assert choose_batch([searching(1), searching()]) == choose_batch([]) == MAX_PER_SEARCH
    assert choose_batch([searching(1)] * 20) == MAX_PER_PROCESS // 20
    assert choose_batch([searching(begun=1)] * 200) == tuning.EXPLAINED_AT_ONCE


def test_of_many_thousand_searches_few_are_looked_at() -> None:
    """Each of them asks, again and again: where nearly all have something pending, a few tell enough."""
    looked = 0

    class Counting(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            nonlocal looked
            for one in super().__iter__():
                looked += 1
                yield one

    searches = Counting([searching(1) for _ in range(5_000)])
    assert tuning.EXPLAINED_AT_ONCE == choose_batch(searches)
    assert is_left(searches)
    assert looked <= MAX_PER_PROCESS // tuning.EXPLAINED_AT_ONCE + 2
    assert not is_left([searching(), searching(new_error_cases=1)])
    assert is_left([searching(), searching(begun=1)])
