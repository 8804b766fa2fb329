from __future__ import annotations

from collections.abc import Generator

from harness.case import Answer, Case, Json, Operation
from harness.fuzzers.lockstep import Steps, run_in_lockstep, yield_objects
from harness.targets.target import drive


class Counting:
    """A target that remembers how many questions came at once."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def ask(self, cases: list[Case]) -> list[Answer]:
        """Accept everything."""
        self.batches.append(len(cases))
        return [Answer(case.id) for case in cases]


def part(name: str, turns: int) -> Steps[str]:
    """Ask so many times, two objects each; say when the answers stopped."""
    for _ in range(turns):
        answers = yield from yield_objects([{}, {}])
        if len(answers) < 2:
            return f"{name} cut off"
    return name


def ask(objects: list[Json]) -> Generator[list[Case], list[Answer], list[Answer]]:
    """Ask about creates."""
    return (yield [Case(number, "", "v1", "A", Operation.CREATE, obj) for number, obj in enumerate(objects)])


def test_parts_ask_in_one_batch_and_end_on_their_own() -> None:
    """Three parts of one, three and no turns take three batches; the results stand in their order."""
    target = Counting()
    assert ["a", "b", "c"] == drive(
        run_in_lockstep([part("a", 1), part("b", 3), part("c", 0)], ask, lambda: 9), target.ask
    )
    assert [4, 2, 2] == target.batches


def test_parts_are_told_when_nothing_is_left() -> None:
    """After the first batch nothing is left: who still asks gets no answers, and ends."""
    target = Counting()
    left = iter([9, 0, 0])
    assert ["a", "b cut off"] == drive(
        run_in_lockstep([part("a", 1), part("b", 3)], ask, lambda: next(left)), target.ask
    )
    assert [4] == target.batches
