"""A search starts from few stored objects of each type, which differ in their fields."""

from __future__ import annotations

from typing import Any

from harness.stored.bases import MAX_OF_TYPE, choose_bases
from harness.stored.storedobject import StoredObject


def pod(name: str, **spec: Any) -> StoredObject:
    """A pod as a cluster stores it."""
    metadata = {"name": name, "uid": "5", "resourceVersion": "7", "managedFields": []}
    return StoredObject({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, f"dump:{name}")


def test_an_object_with_nothing_new_is_left_out() -> None:
    """Values do not count, fields do, also those of items."""
    found = choose_bases(
        [pod("a", x=1), pod("b", x=2), pod("c", y=[{"z": 1}]), pod("d", y=[{"z": 2}]), pod("e", y=[{"w": 1}])]
    )
    assert ["dump:a", "dump:c", "dump:e"] == [one.source for one in found]


def test_what_a_server_writes_is_left_out() -> None:
    """A search creates the object."""
    [found] = choose_bases([pod("a")])
    assert {"name": "a"} == found.object["metadata"]


def test_a_type_has_a_limit() -> None:
    """Whatever their number, and other types have theirs."""
    many = [pod(f"p{number}", **{f"f{number}": 1}) for number in range(50)]
    assert MAX_OF_TYPE == len(choose_bases(many))


def test_an_update_is_a_pair() -> None:
    """Beside the objects of its type."""
    held = pod("a")
    found = choose_bases([held, StoredObject(held.object, "log:1", held.object)])
    assert [False, True] == [one.old is not None for one in found]
