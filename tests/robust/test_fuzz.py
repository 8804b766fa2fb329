"""A short search with fixed random numbers; `python -m tests.robust` searches for as long as one likes."""

from __future__ import annotations

import random

import pytest

from tests.robust.mutate import Mutator
from tests.robust.run import check
from tests.robust.seeds import seeds, words


@pytest.mark.parametrize(
    ("target", "count"), [("scanner", 60), ("constants", 60), ("jsontag", 500), ("grammar", 500), ("compiler", 60)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_input_breaks_a_promise(target: str, count: int, seed: int) -> None:
    """Inputs that are drawn give diagnostics or a result, in time, twice the same."""
    mutator = Mutator(seeds(target), words(target), random.Random(seed))
    for _ in range(count):
        data = mutator.draw()
        check(target, data, repeats=len(data) % 16 == 0)
