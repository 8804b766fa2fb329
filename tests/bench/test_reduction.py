"""What the benchmark of reductions counts."""

from __future__ import annotations

import pytest

from bench.reduction import leaves
from harness.case import Case, Json, Operation


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        ({"a": 1, "b": {"c": [1, 2], "d": {}}}, None, 4),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, 2),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": []}, 4),
        ({}, {"a": 1}, 2),
    ],
)
def test_a_pair_is_as_large_as_a_reader_finds_it(new: Json, old: Json, expected: int) -> None:
    """What old says like new is read once."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    assert expected == leaves(Case(1, "", "v1", "Thing", operation, new, old))
