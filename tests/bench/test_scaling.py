"""What two processors compute at once is the most that two workers can."""

from __future__ import annotations

import os

import pytest

from bench.scaling import processors_together


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor")
def test_two_processors_compute_more_than_a_part_of_one_and_less_than_four() -> None:
    """Whatever else the machine does meanwhile."""
    assert 0.2 < processors_together(0.3) < 4
