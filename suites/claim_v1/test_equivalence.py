"""Both validators of Claim give the same answer: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects, pairs

SUITE = Path(__file__).parent


@settings(max_examples=300, deadline=None)
@given(objects(SUITE, "Claim"))
def test_new_objects_get_the_same_answer(new: dict[str, Any]) -> None:
    """No object is judged differently when it is created."""
    assert differences(SUITE, "Claim", new) == []


@settings(max_examples=300, deadline=None)
@given(pairs(SUITE, "Claim"))
def test_changed_objects_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No change of an object is judged differently."""
    old, new = pair
    assert differences(SUITE, "Claim", new, old) == []


@settings(max_examples=200, deadline=None)
@given(pairs(SUITE, "Claim", subresource="status"))
def test_reported_states_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No status is judged differently."""
    old, new = pair
    assert differences(SUITE, "Claim", new, old, subresource="status") == []
