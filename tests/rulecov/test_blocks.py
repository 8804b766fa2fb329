"""What the observer of code coverage keeps of answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from harness.case import Answer, Case, Operation
from harness.rulecov.blocks import BlockObserverFactory, Reached

CASE = Case(1, "", "v1", "Pod", Operation.CREATE, {})


def subject(abilities: tuple[str, ...], part: str = "kubernetes") -> Any:
    """Return a subject whose target has abilities."""
    return SimpleNamespace(part=part, target=SimpleNamespace(info=SimpleNamespace(abilities=abilities)))


def unit(index: int) -> Any:
    """Return a unit."""
    return SimpleNamespace(name=f"v1 {index}", index=index)


@pytest.mark.parametrize("abilities", [("served", "blocks"), ("served",)])
def test_blocks_are_collected(abilities: tuple[str, ...]) -> None:
    """Of all answers, for the unit; whether the target could count at all is told apart from nothing reached."""
    observer = BlockObserverFactory().observer(subject(abilities), unit(0))
    observer.examine([], [Answer(1, blocks=(1, 5)), Answer(2)], 0.0)
    observer.examine([], [Answer(3, blocks=(5, 7))], 1.0)
    outcome = observer.outcome()
    assert Reached("v1 0", frozenset({1, 5, 7}), "blocks" in abilities, outcome.batches) == outcome
    assert () == observer.aims()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_batch_is_kept_by_the_first_unit(order: tuple[int, int]) -> None:
    """In whatever order they are searched; another part of the run keeps its own."""
    factory = BlockObserverFactory()
    observers = [factory.observer(subject(("blocks",)), unit(index)) for index in (0, 1)]
    cases = [[CASE, CASE], [CASE]]
    blocks = [(1, 2), (2, 3)]
    for index in order:
        observers[index].examine(cases[index], [Answer(1, blocks=blocks[index])], 0.0)
    kept = [[(set(one.blocks), len(one.cases)) for one in observer.outcome().batches] for observer in observers]
    assert [[({1, 2}, 2)], [({3}, 1)]] == kept
    other = factory.observer(subject(("blocks",), "other"), unit(1))
    other.examine(cases[1], [Answer(1, blocks=(2,))], 0.0)
    assert [{2}] == [set(one.blocks) for one in other.outcome().batches]
