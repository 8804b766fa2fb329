from __future__ import annotations

from typing import Any, ClassVar

from harness.fuzzers.shape import ANY, Shape, shape_of
from harness.fuzzers.versiondiff import differing_paths, is_within
from harness.gotypes.model import Struct
from tests.fuzzers.toys import PACKAGE, Toys, struct


class Old(Toys):
    """An older version of a widget: other names, another sort, a level less, and itself within itself."""

    structs: ClassVar[dict[str, Struct]] = {
        one.name: one
        for one in (
            struct("Widget", {"spec": "WidgetSpec"}),
            struct(
                "WidgetSpec",
                {"heading": "string", "replicas": "string", "items": "[]Item", "tags": "map[string]Item", "me": "*Me"},
            ),
            struct("Item", {"name": "string", "weight": "int32"}),
            struct("Me", {"me": "*Me", "a": "string"}),
        )
    }


class New(Old):
    """The newer one."""

    structs: ClassVar[dict[str, Struct]] = {
        **Old.structs,
        "WidgetSpec": struct(
            "WidgetSpec",
            {"title": "string", "replicas": "int32", "items": "[]Item", "tags": "map[string]Item", "me": "*Me"},
        ),
        "Item": struct("Item", {"name": "string", "exactly": "Exact"}),
        "Exact": struct("Exact", {"weight": "int32"}),
    }


def shape(universe: Any) -> Shape:
    """The shape of the widget of a version."""
    return shape_of(universe, f"{PACKAGE}.Widget")


OLD, NEW = shape(Old()), shape(New())


def test_members_that_another_version_lacks_or_has_as_something_else_are_named() -> None:
    """What both have alike is not."""
    below = {
        ("spec", "title"),
        ("spec", "replicas"),
        ("spec", "items", "*", "exactly"),
        ("spec", "tags", "*", "exactly"),
    }
    assert differing_paths(NEW, [OLD]) == below
    assert ("spec", "items", "*", "weight") in differing_paths(OLD, [NEW])


def test_alike_or_unknown_versions_differ_nowhere() -> None:
    """The same shape, a type within itself, and a version of which nothing is known."""
    assert (
        differing_paths(NEW, [NEW, ANY])
        == differing_paths(shape(Old()), [OLD])
        == differing_paths(NEW, [])
        == frozenset()
    )


def test_what_lies_below_a_difference_is_within_it() -> None:
    """Items and keys of any number and name."""
    paths = frozenset({("spec", "items", "*"), ("spec", "tags", "*", "exactly")})
    assert is_within(("spec", "items", 7, "name"), NEW, paths)
    assert is_within(("spec", "tags", "any", "exactly", "weight"), NEW, paths)
    assert not is_within(("spec", "tags", "any", "name"), NEW, paths)
    assert not is_within(("spec",), NEW, paths)
