"""Values that rules check are found once for all rules, each with its old value."""

from __future__ import annotations

from typing import Any

from harness.graduate.values import ValueTree
from harness.jsonpath import ABSENT
from harness.rulecov.accepting import CREATED


def values(steps: list[Any], new: Any, old: Any = CREATED) -> list[tuple[Any, Any]]:
    """The values behind some steps, with their old values."""
    tree = ValueTree()
    tree.add(0, steps)
    return [(value, was) for _, value, was in tree.values(new, old)]


def test_a_member_that_is_absent_is_found_where_its_struct_is() -> None:
    """So a required field counts as asked without a value, but not without the struct around it."""
    assert [(ABSENT, CREATED)] == values(["spec", "name"], {"spec": {}})
    assert [] == values(["spec", "name"], {})
    assert [("a", "b")] == values(["spec", "name"], {"spec": {"name": "a"}}, {"spec": {"name": "b"}})


def test_items_are_found_with_the_old_item_that_equals_them() -> None:
    """An item that moved is unchanged; a new one has that of its index, or none."""
    assert [(1, 1), (2, 2)] == values(["[*]"], [1, 2], [2, 1])
    assert [(3, 2), (4, ABSENT)] == values(["[*]"], [3, 4], [2])
    assert [("a", "b")] == values(["x", "[*]"], {"x": {"k": "a"}}, {"x": {"k": "b"}})


def test_one_item_is_found_by_its_keys() -> None:
    """As a rule on one item of a list selects it."""
    assert [({"type": "A", "n": 1}, CREATED)] == values([{"type": "A"}], [{"type": "B"}, {"type": "A", "n": 1}])


def test_nothing_is_found_in_a_value_of_another_shape() -> None:
    """Objects are drawn, and may have a text where a list belongs."""
    assert [] == values(["spec", "[*]"], {"spec": "text"})
    assert [("a", ABSENT)] == values(["spec", "[*]"], {"spec": ["a"]}, {"spec": "text"})
