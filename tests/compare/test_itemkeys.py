"""The member by which a check tells items apart is found by changing one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.case import Answer, Case
from harness.compare.cause import Hints, ListWithoutKeys
from tests.compare.builders import answer, case, errors
from tests.compare.explaining import causes

ITEM: dict[str, Any] = {"name": "a", "port": 1, "spare": True}


def _duplicates(asked: Case, key: Callable[[Any], Any], mark: str) -> tuple[str, ...]:
    items = [key(one) for one in asked.object["l"]]
    return tuple(f"Duplicate@l[{at}]{mark}" for at, one in enumerate(items) if one in items[:at])


def explained(key: Callable[[Any], Any], mark: str = "", path: str = "l[0].name") -> Any:
    """Explain a check that skips what an update leaves as it was, below a list that a rule compares as a whole."""

    def ask(asked: Case) -> Answer:
        before = asked.old["l"] if asked.old else []
        check = errors(f"Required@{path} covered") if asked.object["l"][:1] != before[:1] else ()
        rule = errors(f"Required@{path} beta") if asked.object["l"] != before else ()
        return answer((*check, *errors(*_duplicates(asked, key, mark))), rule)

    known = ListWithoutKeys("l", "+k8s:unique=map", "v1/types.go:7", "+k8s:listMapKey")
    new = {"l": [ITEM, {"name": "z"}]}
    return causes(case(new, {"l": [ITEM]}), ask, hints=Hints(unkeyed_list=lambda at: known))[f"+{path}"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (lambda one: one["name"], "+k8s:listMapKey=name on l"),
        (lambda one: one.get("port"), "+k8s:listMapKey=port on l"),
        (str, "+k8s:listMapKey for the key of its items on l"),
        (lambda one: id(one), "+k8s:listMapKey for the key of its items on l"),
    ],
)
def test_the_key_of_items_is_the_member_that_alone_tells_them_apart(key: Callable[[Any], Any], told: str) -> None:
    """Where every member does, or none, no key is named."""
    assert told in explained(key).fix


@pytest.mark.parametrize(("mark", "is_unmarked"), [("", True), (" covered", False)])
def test_an_error_about_equal_items_has_to_be_marked_only_if_it_is_not(mark: str, is_unmarked: bool) -> None:
    """The case that shows it goes with the explanation, so that the line is found."""
    found = explained(lambda one: one["name"], mark)
    assert is_unmarked == ("mark Duplicate errors of its items as covered" in found.fix)
    assert is_unmarked == (found.marked is not None)
    if found.marked is not None:
        asked, type = found.marked
        assert ([ITEM, ITEM], "FieldValueDuplicate") == (asked.object["l"], type)


def test_a_list_of_texts_needs_no_key() -> None:
    """Its tag says all; that equal items are reported without a mark is seen all the same."""

    def ask(asked: Case) -> Answer:
        before = asked.old["l"] if asked.old else []
        check = errors("Required@l[0] covered") if asked.object["l"][:1] != before[:1] else ()
        rule = errors("Required@l[0] beta") if asked.object["l"] != before else ()
        return answer((*check, *errors(*_duplicates(asked, str, ""))), rule)

    hints = Hints(unkeyed_list=lambda at: ListWithoutKeys("l", "+k8s:unique=set", "v1/types.go:7"))
    found = causes(case({"l": ["", "z"]}, {"l": [""]}), ask, hints=hints)["+l[0]"]
    assert found.fix.startswith("declare +k8s:unique=set on l, so that")
    assert "the other rules below" not in found.fix
    assert found.marked is not None
    assert ["", ""] == found.marked[0].object["l"]
