"""Both validators of Policy give the same answer: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects, pairs

SUITE = Path(__file__).parent


@settings(max_examples=300, deadline=None)
@given(objects(SUITE, "Policy"))
def test_new_objects_get_the_same_answer(new: dict[str, Any]) -> None:
    """No object is judged differently when it is created."""
    assert differences(SUITE, "Policy", new) == []


@settings(max_examples=300, deadline=None)
@given(pairs(SUITE, "Policy"))
def test_changed_objects_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No change of an object is judged differently."""
    old, new = pair
    assert differences(SUITE, "Policy", new, old) == []


@settings(max_examples=300, deadline=None)
@given(pairs(SUITE, "Policy", version="v1beta1"))
def test_the_old_version_gets_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No change is judged differently when it comes through v1beta1."""
    old, new = pair
    assert differences(SUITE, "Policy", new, old, version="v1beta1") == []
