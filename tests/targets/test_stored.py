"""What is remembered of old objects, and when it is not given away."""

from __future__ import annotations

from typing import Any

from harness.targets.stored import MOST, Stored

SERVED, GIVEN = ("Thing", "v1", True), ("Thing", "v1", False)


def test_an_object_is_found_by_identity_and_by_how_it_was_read() -> None:
    """The very same object has the forms it had; read in another way it has others, and so has an equal object."""
    stored, forms, value = Stored(), ({"a": 1, "b": 2}, {"a": 1}), {"a": 1}
    stored.keep(value, SERVED, forms)
    assert forms is stored.find(value, SERVED)
    assert stored.find(value, GIVEN) is None
    assert stored.find({"a": 1}, SERVED) is None


def test_nothing_else_gets_the_identity_of_what_is_remembered() -> None:
    """An object stays alive as long as its forms are remembered: its identity is not given to a later one."""
    stored = Stored()
    stored.keep({"a": 1}, SERVED, ({"a": 1}, {"a": 1}))
    assert [None] * 100 == [stored.find({"a": number}, SERVED) for number in range(100)]


def test_what_somebody_changed_is_not_given_away_again() -> None:
    """A validator that changes the old object of one case does not change that of the next one."""
    stored, value = Stored(), {"a": {"b": 1}}
    forms: tuple[dict[str, Any], dict[str, Any]] = ({"a": {"b": 1}}, {"a": {"b": 1}})
    stored.keep(value, SERVED, forms)
    forms[1]["a"]["b"] = 2
    assert stored.find(value, SERVED) is None
    forms[1]["a"]["b"] = object()
    assert stored.find(value, SERVED) is None


def test_a_form_that_is_both_is_watched_too() -> None:
    """Most kinds have one form only: a change of it is seen as well."""
    stored, value, form = Stored(), {"a": 1}, {"a": 1}
    stored.keep(value, SERVED, (form, form))
    assert stored.find(value, SERVED) is not None
    form["a"] = 2
    assert stored.find(value, SERVED) is None


def test_what_is_no_json_is_not_remembered() -> None:
    """A form that cannot be written down cannot be compared later."""
    stored, value = Stored(), {"a": 1}
    stored.keep(value, SERVED, ({"a": object()}, {}))
    assert stored.find(value, SERVED) is None


def test_no_more_than_so_many_objects_are_remembered() -> None:
    """A long run does not keep all it has seen."""
    stored, values = Stored(), [{"a": number} for number in range(MOST + 1)]
    for value in values:
        stored.keep(value, SERVED, ({}, {}))
    assert stored.find(values[0], SERVED) is None
    assert stored.find(values[MOST], SERVED) is not None
