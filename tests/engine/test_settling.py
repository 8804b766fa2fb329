"""What is new is reduced and explained side by side."""

from __future__ import annotations

from harness.case import Answer, Case, Operation
from harness.engine.plan import Search
from harness.engine.settling import abreast


def case(number: int) -> Case:
    """Make a case that is told by its number."""
    return Case(number, "", "v1", "Widget", Operation.CREATE, {})


def test_searches_side_by_side_share_batches_and_get_their_own_answers() -> None:
    """Questions of all go out together, answers come back to who asked, and who is done drops out."""
    heard: dict[str, list[list[int]]] = {"a": [], "b": [], "none": []}

    def search(name: str, *batches: list[int]) -> Search:
        for batch in batches:
            answers = yield [case(number) for number in batch]
            heard[name].append([answer.id for answer in answers])

    steps = abreast([search("a", [1, 2], [3]), search("none"), search("b", [4], [], [5, 6])])
    asked, batch = [], next(steps)
    try:
        while True:
            asked.append([one.id for one in batch])
            batch = steps.send([Answer(one.id) for one in batch])
    except StopIteration:
        pass
    assert asked == [[1, 2, 4], [3], [5, 6]]
    assert heard == {"a": [[1, 2], [3]], "b": [[4], [], [5, 6]], "none": []}
