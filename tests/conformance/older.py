"""Releases before 1.36 are judged as the newer ones are. `tox -e older` asks them: each builds a worker of its own."""

from __future__ import annotations

import pytest

from tests.conformance import test_release as newer
from tests.conformance.conftest import Tell


@pytest.mark.kubernetes
@pytest.mark.older
@pytest.mark.parametrize(("release", "count"), [("1.35.4", 27), ("1.34.2", 7), ("1.33.13", 1)])
def test_compiled_validators_equal_the_generated_ones(release: str, count: int, tell: Tell) -> None:
    """Every kind with rules: the same errors in all parts and in order, for every case; every rule that can fires."""
    tally = newer.judge(release, count, tell)
    assert tally.cannot == tally.declared - tally.fired
