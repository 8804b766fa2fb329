"""Both validators of Workload give the same answer: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects, pairs

SUITE = Path(__file__).parent


@settings(max_examples=300, deadline=None)
@given(objects(SUITE, "Workload"))
def test_new_objects_get_the_same_answer(new: dict[str, Any]) -> None:
    """No object is judged differently when it is created."""
    assert differences(SUITE, "Workload", new) == []


@settings(max_examples=300, deadline=None)
@given(pairs(SUITE, "Workload"))
def test_changed_objects_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No change of an object is judged differently."""
    old, new = pair
    assert differences(SUITE, "Workload", new, old) == []


@settings(max_examples=100, deadline=None)
@given(pairs(SUITE, "Scale"))
def test_scaling_gets_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No number of copies is judged differently."""
    old, new = pair
    assert differences(SUITE, "Scale", new, old) == []


@settings(max_examples=200, deadline=None)
@given(pairs(SUITE, "Workload", subresource="status"))
def test_reported_states_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No status is judged differently."""
    old, new = pair
    assert differences(SUITE, "Workload", new, old, subresource="status") == []
