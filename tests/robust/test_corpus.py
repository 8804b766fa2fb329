"""Kept inputs, replayed: each once showed something that was wrong, and is named by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.robust.oracle import TARGETS
from tests.robust.run import check
from tests.robust.seeds import corpus


@pytest.mark.parametrize(
    ("target", "path"),
    [(target, path) for target in TARGETS for path in corpus(target)],
    ids=lambda part: str(part)[-40:],
)
def test_kept_inputs(target: str, path: Path) -> None:
    """An input that once broke a promise keeps it now, and gives the same result each time."""
    check(target, path.read_bytes(), repeats=True)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_a_corpus(target: str) -> None:
    """Fuzzing starts from something."""
    assert corpus(target)
