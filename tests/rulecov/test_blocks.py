"""What the observer of code coverage keeps of answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.case import Answer
from harness.rulecov.blocks import BlockObserverFactory, Reached


@pytest.mark.parametrize("abilities", [("served", "blocks"), ("served",)])
def test_blocks_are_collected(abilities: tuple[str, ...]) -> None:
    """Of all answers, for the unit; whether the target could count at all is told apart from nothing reached."""
    subject: Any = SimpleNamespace(target=SimpleNamespace(info=SimpleNamespace(abilities=abilities)))
    unit: Any = SimpleNamespace(name="v1 pods")
    observer = BlockObserverFactory().observer(subject, unit)
    observer.examine([], [Answer(1, blocks=(1, 5)), Answer(2)], 0.0)
    observer.examine([], [Answer(3, blocks=(5, 7))], 1.0)
    assert Reached("v1 pods", frozenset({1, 5, 7}), "blocks" in abilities) == observer.outcome()
    assert () == observer.aims()
