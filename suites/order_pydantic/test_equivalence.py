"""The model gives the verdict of the handwritten function: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects

SUITE = Path(__file__).parent


@settings(max_examples=300, deadline=None)
@given(objects(SUITE, "Order"))
def test_orders_get_the_same_verdict(order: dict[str, Any]) -> None:
    """No order is accepted by one of them alone."""
    assert differences(SUITE, "Order", order) == []
