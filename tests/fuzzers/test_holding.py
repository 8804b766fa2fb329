from __future__ import annotations

from harness.case import Json
from harness.fuzzers.holding import Holding, Reached
from harness.jsonpath import put
from tests.fuzzers.toys import widget_shape


def names(obj: Json) -> set[str]:
    holding = Holding(widget_shape())
    assert holding.of(obj) == holding.of_stranger(obj)
    return set(holding.names(holding.of(obj)))


def test_an_object_has_the_places_that_say_something() -> None:
    """A null is no value, an unknown member no place, and the second item counts apart."""
    spec = {"title": None, "what": 1, "ports": [{"name": "a"}, {"number": 1}], "labels": {"a.b/c": "d"}}
    wanted = {
        "spec", "spec.ports", "spec.ports[*]", "spec.ports[*].name", "spec.ports[1]", "spec.ports[*].number",
        "spec.labels", "spec.labels[*]",
    }  # fmt: skip
    assert wanted == names({"apiVersion": "v1", "spec": spec})


def test_an_empty_list_is_no_value() -> None:
    """A list without items holds nothing to look at, and does not occur; an empty map or struct is a value."""
    assert {"spec", "spec.title"} == names({"spec": {"title": "a", "ports": []}})
    assert {"spec", "spec.labels", "spec.parent"} == names({"spec": {"labels": {}, "parent": {}}})


def test_a_value_of_another_sort_holds_nothing() -> None:
    """What no decoder would take is there, and nothing in it."""
    assert {"spec", "spec.ports", "spec.labels"} == names({"spec": {"ports": {"name": "a"}, "labels": ["a"]}})
    assert set() == names("spec")


def test_the_same_part_at_two_places_holds_what_it_does_at_each() -> None:
    """A part is remembered together with where it stands."""
    part = {"title": "a"}
    assert {"spec", "spec.title", "spec.parent", "spec.parent.title"} == names({"spec": {**part, "parent": part}})


def test_a_changed_copy_shares_all_but_what_was_changed() -> None:
    """What only one of two objects holds is the difference of their bits, though most of both is one and the same."""
    holding = Holding(widget_shape())
    obj = {"spec": {"title": "a", "ports": [{"name": "a"}], "parent": {"labels": {"a": "b"}}}}
    fuller = put(obj, ("spec", "ports", 0, "number"), 3)
    before = holding.of(obj)
    assert ["spec.ports[*].number"] == list(holding.names(holding.of(fuller) & ~before))
    assert not before & ~holding.of(fuller)


def test_what_was_reached_is_a_set_of_names() -> None:
    """It is asked and compared by name; a place that no object has had is not in it."""
    holding = Holding(widget_shape())
    reached = Reached(holding, holding.of({"spec": {"title": "a"}}))
    assert {"spec", "spec.title"} == set(reached)
    assert "spec.title" in reached
    assert "spec.labels" not in reached
    reached.bits |= holding.of({"spec": {"labels": {"a": "b"}}})
    assert 4 == len(reached)
    assert {"spec.ports"} == {"spec.labels[*]", "spec.ports"} - reached
