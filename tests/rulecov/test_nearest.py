"""Which case of a run came nearest to a block of code that none reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.case import Answer, Case, Operation
from harness.gotypes.branches import GoSource
from harness.rulecov.blocks import KeptBatch
from harness.rulecov.nearest import NearestCases, reached_before
from harness.targets.kubernetes.blocks import CodeBlock

_SOURCE = b"""package validation

func Check(a, b int) int {
	if a > 1 {
		if b > 1 {
			return 1
		}
		return 2
	} else if a > 0 {
		return 3
	} else {
		return 4
	}
	switch b {
	case 1:
		return 5
	}
	return 6
}
"""
_FILE = "k8s.io/kubernetes/pkg/apis/x/validation/v.go"
BLOCKS = tuple(
    CodeBlock(number, _FILE, "Check", start, end, 1)
    for number, (start, end) in enumerate(
        [
            ((3, 26), (4, 11)), ((4, 11), (5, 12)), ((5, 12), (7, 4)), ((8, 3), (8, 11)), ((9, 9), (9, 18)),
            ((9, 18), (11, 3)), ((11, 9), (13, 3)), ((14, 2), (14, 11)), ((15, 9), (16, 11)), ((18, 2), (18, 10)),
        ]
    )
)  # fmt: skip


def before(*seen: int) -> dict[int, int]:
    """Return the number of the reached block before each that was not reached."""
    found = reached_before(GoSource(_SOURCE), BLOCKS, frozenset(seen))
    return {block.number: at.number for block, at in found}


def test_the_block_before_is_that_of_the_condition() -> None:
    """Of an if, of its else, of a chain, and of a switch; one before what is not reached either is above it."""
    assert {2: 1, 5: 4, 6: 4, 8: 7} == before(0, 1, 3, 4, 7, 9)
    assert {2: 0, 3: 0} == {number: at for number, at in before(0).items() if number in (2, 3)}
    assert 0 == before(0)[5]
    assert {} == before()


class Counting:
    """A target whose cases reach blocks by the name of their object, each told once."""

    def __init__(self, reached: Mapping[str, set[int]]) -> None:
        self._reached, self._told, self.asked = reached, set[int](), list[Any]()

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer, and tell the blocks that are new."""
        answers = []
        for case in cases:
            assert case.blocks
            new = self._reached.get(str(case.object), set()) - self._told
            self._told |= new
            self.asked.append(case.object)
            answers.append(Answer(case.id, blocks=tuple(new)))
        return answers


def batch(blocks: set[int], *objects: str) -> KeptBatch:
    """Return a batch that reached blocks."""
    return KeptBatch(frozenset(blocks), tuple(Case(7, "", "v1", "A", Operation.CREATE, one) for one in objects))


def test_the_case_that_reached_a_block_is_found() -> None:
    """Only batches that reached what is wanted are asked; those with most of it first."""
    target: Any = Counting({"b": {1}, "d": {2, 3}, "e": {9}})
    nearest = NearestCases(frozenset({1, 2, 3}), 100)
    batches = [batch({1}, "a", "b"), batch({9}, "e"), batch({2, 3}, "c", "d")]
    assert not nearest.is_complete(batches)
    nearest.ask("part", target, batches)
    assert ["c", "d", "a", "b"] == target.asked
    assert ({1: "b", 2: "d", 3: "d"}, 4) == (
        {block: case.object for block, (_, case) in nearest.found.items()}, nearest.asked,
    )  # fmt: skip
    assert {("part", 0, "")} == {(part, case.id, case.blocks) for part, case in nearest.found.values()}
    assert nearest.is_complete(batches)


def test_the_rest_of_a_batch_is_not_asked() -> None:
    """If its blocks are found, or if the budget is spent: what is not found is not told."""
    many = [f"o{number}" for number in range(200)]
    target: Any = Counting({"o5": {1}})
    nearest = NearestCases(frozenset({1}), 1000)
    nearest.ask("part", target, [batch({1}, *many)])
    assert ([1], 20) == (list(nearest.found), nearest.asked)
    target = Counting({"o105": {1}})
    nearest = NearestCases(frozenset({1}), 50)
    nearest.ask("part", target, [batch({1}, *many)])
    assert ([], 40) == (list(nearest.found), nearest.asked)
