from __future__ import annotations

import pytest

from harness.fuzzers import typepaths
from harness.fuzzers.shape import shape_of
from harness.fuzzers.typepaths import measure, nesting_of, path_of, type_paths
from tests.fuzzers.toys import PACKAGE, UNIVERSE, widget_shape


def test_a_type_has_a_place_for_every_member_item_and_value() -> None:
    """Members, items, values, and the second item of every list are paths; a map has no second value."""
    selector = shape_of(UNIVERSE, f"{PACKAGE}.Port")
    assert ["name", "number"] == list(type_paths(selector))
    found = type_paths(widget_shape())
    wanted = {"spec.ports", "spec.ports[*]", "spec.ports[1]", "spec.ports[*].name", "spec.labels[*]", "spec.ceiling"}
    assert set() == wanted - set(found)
    assert "spec.labels[1]" not in found


def test_types_are_told_apart_by_the_number_and_checksum_of_their_places() -> None:
    """How many paths a type has is known without a list of them, and another type has another checksum."""
    widget, port = measure(widget_shape()), measure(shape_of(UNIVERSE, f"{PACKAGE}.Port"))
    assert (len(type_paths(widget_shape())), 2) == (widget[0], port[0])
    assert widget[1] != port[1]


def test_a_type_with_too_many_places_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more paths than the bound are counted, and these are the first."""
    every = list(type_paths(widget_shape()))
    type_paths.cache_clear()
    monkeypatch.setattr(typepaths, "MAX_PATHS", 7)
    few = list(type_paths(widget_shape()))
    type_paths.cache_clear()
    assert few == every[:7]


def test_a_type_that_holds_itself_is_counted_one_level_deep() -> None:
    """A parent's parent is no path; the count ends."""
    found = type_paths(widget_shape())
    assert "spec.parent.replicas" in found
    assert "spec.parent.parent" in found
    assert "spec.parent.parent.replicas" not in found
    assert 2 == nesting_of(("spec", "parent"), widget_shape())


def test_what_only_a_server_writes_is_no_place() -> None:
    """Managed fields and times of creation and deletion are left out of metadata."""
    found = type_paths(widget_shape())
    assert "metadata.labels[*]" in found
    assert [] == [path for path in found if "managedFields" in path or "Timestamp" in path]


def test_places_of_objects_are_written_as_places_of_types() -> None:
    """Keys of maps and indices become `[*]`; a second item is itself only where the path ends."""
    shape = widget_shape()
    assert "spec.labels[*]" == path_of(("spec", "labels", "a.b/c"), shape)
    assert "spec.ports[1]" == path_of(("spec", "ports", 1), shape)
    assert "spec.ports[*].name" == path_of(("spec", "ports", 1, "name"), shape)
