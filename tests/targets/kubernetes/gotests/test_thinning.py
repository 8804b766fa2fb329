"""A corpus is thinned to the cases that reach code alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from harness.case import Answer, Case, Operation
from harness.targets.kubernetes.gotests.thinning import thin
from harness.targets.target import Target


class CountingTarget:
    """Reaches the blocks that an object names, and tells each once, as the worker does."""

    def __init__(self) -> None:
        self.told: set[int] = set()

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer with the blocks that nobody was told."""
        answers = []
        for case in cases:
            new = {block for block in case.object["blocks"] if block not in self.told} if case.blocks else set()
            self.told |= new
            answers.append(Answer(case.id, blocks=tuple(sorted(new))))
        return answers


def case_of(*blocks: int, size: int = 0) -> Case:
    """A case whose object reaches these blocks."""
    object_: dict[str, Any] = {"blocks": list(blocks), "size": "x" * size}
    return Case(0, "", "v1", "Thing", Operation.CREATE, object_)


def test_what_reaches_nothing_alone_is_left_out() -> None:
    """The small one is kept of two that reach the same, in whatever order they stand, and over many batches."""
    large, small, other, many = case_of(1, 2, size=9), case_of(1, 2), case_of(3), [case_of(n) for n in range(10, 500)]
    kept = thin([large, *many, other, small, *many], cast(Target, CountingTarget()))
    assert {str(case.object) for case in (small, other, *many)} == {str(case.object) for case in kept}
    assert len(kept) == 2 + len(many)
