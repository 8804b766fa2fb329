from __future__ import annotations

from harness.case import Json
from harness.fuzzers.pathbits import PathBits, PathSet
from harness.jsonpath import put
from tests.fuzzers.toys import widget_shape


def names(obj: Json) -> set[str]:
    path_bits = PathBits(widget_shape())
    assert path_bits.of(obj) == path_bits.of_unshared(obj)
    return set(path_bits.names(path_bits.of(obj)))


def test_an_object_has_the_places_that_say_something() -> None:
    """A null is no value, an unknown member no path, and the second item counts apart."""
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
    path_bits = PathBits(widget_shape())
    obj = {"spec": {"title": "a", "ports": [{"name": "a"}], "parent": {"labels": {"a": "b"}}}}
    fuller = put(obj, ("spec", "ports", 0, "number"), 3)
    before = path_bits.of(obj)
    assert ["spec.ports[*].number"] == list(path_bits.names(path_bits.of(fuller) & ~before))
    assert not before & ~path_bits.of(fuller)


def test_what_was_reached_is_a_set_of_names() -> None:
    """It is asked and compared by name; a path that no object has had is not in it."""
    path_bits = PathBits(widget_shape())
    reached = PathSet(path_bits, path_bits.of({"spec": {"title": "a"}}))
    assert {"spec", "spec.title"} == set(reached)
    assert "spec.title" in reached
    assert "spec.labels" not in reached
    reached.bits |= path_bits.of({"spec": {"labels": {"a": "b"}}})
    assert 4 == len(reached)
    assert {"spec.ports"} == {"spec.labels[*]", "spec.ports"} - reached
