"""Steps at alike paths: all at once, then parts, then few alone."""

from __future__ import annotations

from collections.abc import Collection

from harness.case import Json
from harness.fuzzers.alike import ANY_ITEM, MAX_SINGLES, MIN_ALIKE, has_long_list, join_alike_steps
from harness.fuzzers.pairs import Pair
from harness.fuzzers.steps import Key, Step, apply_steps, other_scalars, plainest_values, removals

NOTHING = frozenset[tuple[str | int, ...]]()


def items(count: int) -> Json:
    """Make a list with so many different items."""
    return {"items": [{"name": f"n{index}", "uid": index} for index in range(count)]}


def offered(pair: Pair, refused: Collection[str]) -> tuple[list[Step], set[Key]]:
    """Return the removals that are offered when all fail that touch a member of these names, and all of items."""
    failed: set[Key] = set()
    found = []
    for step in join_alike_steps(removals(pair, None, NOTHING), failed):
        found.append(step)
        if step.path[-1] in refused or not isinstance(step.path[-1], str):
            failed.add(step.key)
    return found, failed


def test_all_items_lose_a_member_at_once() -> None:
    """In new as in old, in one step that is as sure to make both smaller as each of its parts."""
    pair = items(9), items(9)
    step = next(one for one in offered(pair, ())[0] if one.path == ("items", ANY_ITEM, "uid"))
    new, old = apply_steps(pair, [step])
    assert new == old == {"items": [{"name": f"n{index}"} for index in range(9)]}
    assert step.is_sure


def test_parts_and_few_alone_follow_what_fails() -> None:
    """First all, then halves and quarters, then single ones until so many have failed; the rest is never asked."""
    pair = items(100), None
    found, failed = offered(pair, ("name",))
    names = [step for step in found if step.path[-1] == "name"]
    assert [len(step.new) for step in names] == [100, 50, 50, 25, 25, 25, 25, *[1] * MAX_SINGLES]
    again = [step for step in join_alike_steps(removals(pair, None, NOTHING), failed) if step.path[-1] == "name"]
    assert not again


def test_what_succeeds_is_not_divided() -> None:
    """Its parts are offered when it has failed, not before."""
    found, _ = offered((items(100), None), ("items", "name"))
    assert [step.path for step in found].count(("items", ANY_ITEM, "uid")) == 1
    assert not [step for step in found if step.path == ("items", 0, "uid")]


def test_a_list_loses_its_last_few_items_at_once() -> None:
    """Where no quarter can go, fewer and fewer of the last ones are offered: a list may be a few too long."""
    found, _ = offered((items(64), None), ("name", "uid", "items"))
    counts = [len(step.new) for step in found if step.path == ("items", ANY_ITEM)]
    assert counts == [64, 32, 32, 16, 16, 16, 16, 8, 4, 2]


def test_values_at_alike_places_become_plain_together() -> None:
    """Every name to the same plain one."""
    pair = items(5), items(5)
    steps = join_alike_steps(other_scalars(plainest_values, pair, None, NOTHING), set())
    found = [apply_steps(pair, [step]) for step in steps if step.path == ("items", ANY_ITEM, "name")]
    plain: Json = {"items": [{"name": "a", "uid": index} for index in range(5)]}
    assert (plain, plain) in found


def test_few_alike_steps_stay_as_they_are() -> None:
    """What is protected is in no part, and fewer than many are offered one by one."""
    pair = items(MIN_ALIKE - 1), None
    single = sorted(removals(pair, None, NOTHING), key=str)
    assert sorted(join_alike_steps(removals(pair, None, NOTHING), set()), key=str) == single
    kept = frozenset({("items", 2, "uid")})
    steps = list(join_alike_steps(removals((items(9), None), None, kept), set()))
    assert [len(step.new) for step in steps if step.path == ("items", ANY_ITEM, "uid")] == [8]


def test_long_lists_are_seen_wherever_they_are() -> None:
    """Within members and within items; an object with many members is none."""
    assert has_long_list({"a": [{"b": list(range(MIN_ALIKE))}]})
    assert not has_long_list({"a": [{"b": list(range(MIN_ALIKE - 1))}], **{f"m{index}": index for index in range(99)}})
