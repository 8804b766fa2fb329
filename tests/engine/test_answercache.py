"""What was answered once is not asked again."""

from __future__ import annotations

import msgspec
import pytest

from harness.case import Answer, Case, Json, Operation
from harness.engine.answercache import AnswerCache
from harness.engine.explain import UNCACHED
from harness.engine.plan import Search


def case(number: int, value: Json, operation: Operation = Operation.CREATE) -> Case:
    """Make a case of this id and object."""
    return Case(number, "", "v1", "Widget", operation, {"spec": value})


def asked(search: Search) -> list[list[int]]:
    """Drive a search, every answer under the id of its case. Returns the ids that were asked, batch by batch."""
    batches = []
    try:
        cases = next(search)
        while True:
            batches.append([one.id for one in cases])
            cases = search.send([Answer(one.id) for one in cases])
    except StopIteration:
        return batches


def test_a_question_is_asked_once_whatever_its_id_and_everybody_gets_the_answer() -> None:
    """Within a batch as among batches, and a batch of known questions alone is no batch at all."""
    heard: list[list[int]] = []

    def search() -> Search:
        for batch in ([case(1, "a"), case(2, "b"), case(3, "a")], [case(4, "b"), case(5, "a")], [case(6, "c")]):
            heard.append([answer.id for answer in (yield batch)])

    assert asked(AnswerCache().drive(search())) == [[1, 2], [6]]
    assert heard == [[1, 2, 1], [2, 1], [6]]


def test_what_differs_in_anything_but_its_id_is_another_question() -> None:
    """Each part of a case may change the answer."""
    first = case(1, "a")
    others = [
        case(2, "b"),
        case(3, "a", Operation.UPDATE),
        msgspec.structs.replace(first, id=4, old={}),
        msgspec.structs.replace(first, id=5, subresource="status"),
        msgspec.structs.replace(first, id=6, options={"O": True}),
        msgspec.structs.replace(first, id=7, served=True),
        msgspec.structs.replace(first, id=8, versions=True),
    ]

    def search() -> Search:
        yield [first, *others]

    assert asked(AnswerCache().drive(search())) == [[1, 2, 3, 4, 5, 6, 7, 8]]


def test_what_was_forgotten_is_asked_again() -> None:
    """The memory is bounded: what others have asked in the meantime takes its path."""

    def search() -> Search:
        for number in (1, 2, 3, 4, 5, 6):
            yield [case(number, number)]
        yield [case(7, 6)]
        yield [case(8, 1)]

    assert asked(AnswerCache(2).drive(search())) == [[1], [2], [3], [4], [5], [6], [8]]


def test_the_search_returns_what_it_returned() -> None:
    """Nothing of a search is lost on the way."""

    def search() -> Search:
        yield [case(1, "a")]
        return "the end"

    def whole() -> Search:
        return (yield from AnswerCache().drive(search()))

    steps = whole()
    next(steps)
    with pytest.raises(StopIteration) as stop:
        steps.send([Answer(1)])
    assert stop.value.value == "the end"


def test_a_case_that_is_asked_anew_is_answered_anew() -> None:
    """Whether its answer changes is the question, which nothing remembered answers."""
    heard: list[int] = []

    def search() -> Search:
        (yield [case(1, "a")])
        again = [msgspec.structs.replace(case(1, "a"), id=UNCACHED)] * 2
        heard.extend(answer.id for answer in (yield [case(2, "b"), *again, case(3, "a")]))

    assert asked(AnswerCache().drive(search())) == [[1], [2, UNCACHED, UNCACHED]]
    assert heard == [2, UNCACHED, UNCACHED, 1]
