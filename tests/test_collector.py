"""Looking for cycles seldom while searches run."""

from __future__ import annotations

import gc

import pytest

from harness.collector import RARE_THRESHOLDS, rare_collections


def test_all_is_as_it_was_afterwards() -> None:
    """A program that runs a search keeps its own settings, also when the search fails."""
    before = gc.get_threshold(), gc.get_freeze_count()

    def failing() -> None:
        with rare_collections():
            assert gc.get_threshold() == RARE_THRESHOLDS
            assert gc.get_freeze_count() > before[1]
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        failing()
    assert before == (gc.get_threshold(), gc.get_freeze_count())


def test_what_somebody_froze_stays_frozen() -> None:
    """A program that has frozen its own objects keeps them so."""
    gc.freeze()
    try:
        with rare_collections():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_cycles_are_collected_still() -> None:
    """What holds itself goes away while a search runs."""
    with rare_collections():
        before = gc.get_stats()[0]["collections"]
        for _ in range(2 * RARE_THRESHOLDS[0]):
            loop: list[object] = []
            loop.append(loop)
        assert gc.get_stats()[0]["collections"] > before
