"""A unit is tried on another worker than those on which it failed, and waits for none that has gone."""

from __future__ import annotations

from harness.campaign.plan import CampaignUnit
from harness.campaign.tries import RestrictedUnits, UnitTries

UNIT = CampaignUnit(("s",), "default", 1, 100, "1/1")
OTHER = CampaignUnit(("s",), "default", 2, 100, "1/1")


def test_a_worker_on_which_a_unit_failed_is_no_candidate() -> None:
    """Until it has failed on all of them; other units may go everywhere."""
    tries = UnitTries()
    assert [] == tries.candidates(UNIT, ["a", "b", "c"])
    assert 1 == tries.add(UNIT, "b")
    assert ["a", "c"] == tries.candidates(UNIT, ["a", "b", "c"])
    assert [] == tries.candidates(OTHER, ["a", "b", "c"])
    assert 2 == tries.add(UNIT, "")
    assert 3 == tries.add(UNIT, "a")
    assert ["c"] == tries.candidates(UNIT, ["a", "b", "c"])
    assert [] == tries.candidates(UNIT, ["a", "b"])
    assert "b, a worker that has gone, a" == tries.describe(UNIT)


def test_a_unit_whose_worker_is_not_known_may_go_everywhere() -> None:
    """It died, and nothing says that others would fail."""
    tries = UnitTries()
    tries.add(UNIT, "")
    assert [] == tries.candidates(UNIT, ["a", "b"])


class Future:
    """A unit that is with the scheduler."""

    key = "unit"

    def __init__(self) -> None:
        self.cancelled = 0

    def cancel(self) -> None:
        """Count."""
        self.cancelled += 1


def test_a_unit_is_released_when_its_workers_have_gone() -> None:
    """Once, and only if there is another one: a worker that is started again has another address."""
    restricted, future = RestrictedUnits(), Future()
    restricted.add(future, ["a", "b"])
    for workers in (["a", "c"], ["b"], []):
        restricted.release(workers)
        assert 0 == future.cancelled
    restricted.release(["c"])
    restricted.release(["c"])
    assert 1 == future.cancelled
    assert restricted.take("unit")
    assert not restricted.take("unit")


def test_a_unit_that_has_ended_is_not_released() -> None:
    """Its outcome counts."""
    restricted, future = RestrictedUnits(), Future()
    restricted.add(future, ["a"])
    assert not restricted.take("unit")
    restricted.release(["c"])
    assert 0 == future.cancelled
