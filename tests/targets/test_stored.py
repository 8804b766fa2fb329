from __future__ import annotations

from typing import Any

from harness.targets.stored import MOST, Stored


def test_an_object_is_found_by_what_it_says_and_how_it_was_read() -> None:
    """Equal objects are one; another version is another object."""
    stored, forms = Stored(), ({"a": 1, "b": 2}, {"a": 1})
    stored.keep(stored.key({"a": 1}, "v1"), forms)
    assert forms is stored.find(stored.key({"a": 1}, "v1"))
    assert stored.find(stored.key({"a": 1}, "v2")) is None
    assert stored.find(stored.key({"a": 2}, "v1")) is None


def test_what_somebody_changed_is_not_given_away_again() -> None:
    """A validator that changes the old object of one case does not change that of the next one."""
    stored = Stored()
    forms: tuple[dict[str, Any], dict[str, Any]] = ({"a": {"b": 1}}, {"a": {"b": 1}})
    key = stored.key({"a": {"b": 1}})
    stored.keep(key, forms)
    forms[1]["a"]["b"] = 2
    assert stored.find(key) is None
    forms[1]["a"]["b"] = object()
    assert stored.find(key) is None


def test_what_is_no_json_is_not_remembered() -> None:
    """Neither as a key nor as a form."""
    stored = Stored()
    assert stored.key({"a": "\ud800"}) is None
    key = stored.key({"a": 1})
    stored.keep(key, ({"a": object()}, {}))
    assert stored.find(key) is None
    stored.keep(None, ({}, {}))
    assert stored.find(None) is None


def test_no_more_than_so_many_objects_are_remembered() -> None:
    """A long run does not keep all it has seen."""
    stored = Stored()
    for number in range(MOST + 1):
        stored.keep(stored.key({"a": number}), ({}, {}))
    assert stored.find(stored.key({"a": 0})) is None
    assert stored.find(stored.key({"a": MOST})) is not None
