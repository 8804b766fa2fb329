"""A check that looks up the items of a list by another member than the rules is told with both members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from harness.case import Answer, Case
from tests.compare.builders import answer, case, errors
from tests.compare.explaining import causes

Items = Sequence[dict[str, Any]]


def items_of(obj: Any) -> Items:
    """The items of an object; none of none."""
    return [] if obj is None else obj["spec"].get("items", [])


def wrong(new: Items, old: Items, key: str) -> list[int]:
    """The items with a bad size that was not there in the old item of the same key."""
    found = []
    for index, item in enumerate(new):
        before = next((one for one in old if one.get(key) == item.get(key)), None)
        is_same = before is not None and before.get("size") == item.get("size")
        found += [index] if item.get("size") == 0 and not is_same else []
    return found


def asked_by(check: str, rule: str) -> Any:
    """A target whose sides look up items by these keys; a side without one ratchets nothing."""

    def ask(asked: Case) -> Answer:
        new, old = items_of(asked.object), items_of(asked.old)
        said = [
            errors(*(f"Invalid@spec.items[{index}].size/o {mark}" for index in wrong(new, old if key else (), key)))
            for key, mark in ((check, "covered"), (rule, "beta"))
        ]
        return answer(*said)

    return ask


def explained(check: str, rule: str, new: Items, old: Items, side: str) -> Any:
    """The explanation of what one side alone reports."""
    found = causes(case({"spec": {"items": new}}, {"spec": {"items": old}}), asked_by(check, rule))
    return found[f"{side}spec.items[0].size"]


NEW = [{"name": "a", "uid": "x", "size": 0}]


@pytest.mark.parametrize(
    ("old", "side", "told"),
    [
        (
            [{"name": "a", "uid": "y", "size": 0}],
            "+",
            "the handwritten side looks up the item of spec.items in the old object by name, and the declarative side "
            "by uid: with another name both sides report it",
        ),
        (
            [{"name": "b", "uid": "x", "size": 0}],
            "",
            "the declarative side looks up the item of spec.items in the old object by uid, and the handwritten side "
            "by name: with another uid both sides report it",
        ),
    ],
)
def test_both_members_are_told(old: Items, side: str, told: str) -> None:
    """Whichever side has found an old item; the check is to look it up as the rule does."""
    found = explained("name", "uid", NEW, old, side)
    assert ("item-key", "experiment") == (found.cause, found.certainty)
    assert told in found.detail
    assert found.fix.endswith("look up the item of spec.items in the old object by uid, not by name")


def test_a_side_that_looks_at_no_old_item_does_not_ratchet() -> None:
    """It is told as such, and not as one that looks for another item."""
    same = [{"name": "a", "uid": "x", "size": 0}]
    assert "ratcheting" == explained("", "uid", NEW, same, "").cause
    assert "ratcheting" == explained("name", "", NEW, same, "+").cause


def test_an_item_whose_key_has_the_error_is_looked_up_by_the_member_that_is_left() -> None:
    """Another value of that key is another error, so only the side that reports it is known."""

    def ask(asked: Case) -> Answer:
        new, old = items_of(asked.object), items_of(asked.old)
        known, names = [one.get("uid") for one in old], [one.get("name") for one in old]
        without = [index for index, one in enumerate(new) if "uid" not in one]
        check = [index for index in without if new[index].get("name") not in names]
        rule = [index for index in without if None not in known]
        return answer(
            errors(*(f"Required@spec.items[{index}].uid covered" for index in check)),
            errors(*(f"Required@spec.items[{index}].uid beta" for index in rule)),
        )

    given = case({"spec": {"items": [{"name": "a"}]}}, {"spec": {"items": [{"name": "b"}]}})
    found = causes(given, ask)["spec.items[0].uid"]
    assert "item-key" == found.cause
    assert "the handwritten side looks up the item of spec.items in the old object by name" in found.detail
    assert "the declarative side has found one with another name: without any both sides report it" in found.detail


@pytest.mark.parametrize("key", ["name", "uid"])
def test_sides_that_look_for_one_member_do_not_differ(key: str) -> None:
    """So that there is nothing to explain."""
    found = causes(case({"spec": {"items": NEW}}, {"spec": {"items": NEW}}), asked_by(key, key))
    assert {} == found
