"""What was drawn before, in little room."""

from __future__ import annotations

from random import Random

from harness.fuzzers.novelty import MAX_SIZE, MIN_SIZE, NoveltyFilter, code_of, is_json


def test_what_came_before_is_known() -> None:
    """A code is new once."""
    tried, codes = NoveltyFilter(), [code_of({"a": number}) for number in range(500)]
    assert sum(tried.is_new(code) for code in codes) > 490
    assert not any(tried.is_new(code) for code in codes)


def test_a_value_is_told_from_others_and_beside_others() -> None:
    """Codes differ by value, by what stands beside it, and by type."""
    values = [{"a": 1}, {"a": "1"}, {"a": 1, "b": None}, [1], "\ud800", 1 << 70, None]
    codes = {code_of(value, beside) for value in values for beside in (-1, 0, 1, 1 << 40 | 5)}
    assert len(codes) == 4 * len(values)
    assert code_of({"a": 1}, 3) == code_of({"a": 1}, 3)


def test_little_is_held_for_few_and_never_more_than_so_much() -> None:
    """Room grows with what is drawn up to a bound; new codes are taken for known now and then, never often."""
    random, tried = Random(1), NoveltyFilter()
    codes = [random.getrandbits(32) for _ in range(4 * MAX_SIZE)]
    new = [tried.is_new(code) for code in codes]
    assert sum(new) > 0.9 * len(codes)
    assert tried.room == MAX_SIZE
    assert NoveltyFilter().room == MIN_SIZE


def test_what_cannot_be_written_as_json_is_no_json() -> None:
    """Neither before nor after somebody asked for its code; what can be is, however often it is asked."""
    loop: list[object] = []
    loop.append(loop)
    for value in ("\ud800", {"a": ["\udfff"]}, object()):
        code_of(value)
        assert not is_json(value)
    assert not is_json(loop)
    for value in ({"a": 1}, [None], "é"):
        code_of(value)
        assert [True] * 3 == [is_json(value) for _ in range(3)]
