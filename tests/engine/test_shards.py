"""A run that is spread over machines finds what one run finds."""

from __future__ import annotations

import pytest

from harness.engine.units import Shard, units_of
from tests.engine.test_run import search
from tests.engine.toys import GADGETS
from tests.fuzzers.toys import WIDGETS


def test_shards_find_together_what_the_whole_run_finds() -> None:
    """Same seed and number of cases, same findings and counts, in as many parts as you like."""
    whole = search(6000)
    parts = [search(6000, shard=Shard(number, 2)) for number in (1, 2)]
    assert {finding.fingerprint for finding in whole.findings} == {
        finding.fingerprint for part in parts for finding in part.findings
    }
    assert whole.cases == sum(part.cases for part in parts)
    assert ["1/2", "2/2"] == [part.shard for part in parts]


def test_processes_share_a_shard() -> None:
    """Every unit belongs to one process of one shard."""
    units = units_of([WIDGETS, GADGETS])
    assert 2 == len(units)
    for unit in units:
        owners = [
            (number, part) for number in (1, 2, 3) for part in (0, 1) if Shard(number, 3).has_for_job(unit, part, 2)
        ]
        assert 1 == len(owners)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_shard_that_no_kind_belongs_to_searches_nothing(jobs: int) -> None:
    """More shards than units: the others have everything, and this one says which it is."""
    found = search(100, shard=Shard(9, 9), jobs=jobs)
    assert ("9/9", 0, (), ()) == (found.shard, found.cases, found.kinds, found.findings)
