"""Which old value a value of a new object had, where the schema says so: by member, and by the keys of a list.

Source: k8s.io/apiserver pkg/cel/common/equality.go and maplist.go v0.37.1 (2026-11).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.case import Json
from harness.pyschemas.crds.schema import Node


class Correlated:
    """A value and its old value; children are those that have an old value too."""

    __slots__ = ("_equal", "_items", "new", "node", "old")

    def __init__(self, new: Json, old: Json, node: Node) -> None:
        self.new, self.old, self.node = new, old, node
        self._equal: bool | None = None
        self._items: dict[Any, Json] | None = None

    def key(self, name: str) -> Correlated | None:
        """Return the member of this name, if both objects have it and the schema knows it."""
        if not (isinstance(self.new, dict) and isinstance(self.old, dict) and name in self.new and name in self.old):
            return None
        below = self.node.properties.get(name) or self.node.values
        return None if below is None else Correlated(self.new[name], self.old[name], below)

    def index(self, at: int) -> Correlated | None:
        """Return the item at an index of a list with keys, if there was one with its keys."""
        if not (isinstance(self.new, list) and isinstance(self.old, list) and self.node.items is not None):
            return None
        if self._items is None:
            self._items = keyed(self.node, self.old)
        key = key_of(self.node, self.new[at])
        old = None if key is None else self._items.get(key)
        return None if old is None else Correlated(self.new[at], old, self.node.items)

    @property
    def is_equal(self) -> bool:
        """Whether nothing changed; the items of a list with keys may have changed their order."""
        if self._equal is None:
            self._equal = self._compare()
        return self._equal

    def _compare(self) -> bool:
        new, old = self.new, self.old
        if isinstance(new, list) and isinstance(old, list):
            if len(new) != len(old):
                return False
            if self.node.list_type == "map" and self.node.list_keys and old:
                return all(one is not None and one.is_equal for one in map(self.index, range(len(new))))
            return is_same(new, old)
        if isinstance(new, dict) and isinstance(old, dict):
            return len(new) == len(old) and all(one is not None and one.is_equal for one in map(self.key, new))
        return is_same(new, old)


def keyed(node: Node, items: Sequence[Json]) -> dict[Any, Json]:
    """Return the items of a list by their keys, the first of several; empty unless the list has keys."""
    found: dict[Any, Json] = {}
    for one in items if node.list_type == "map" and node.list_keys else ():
        key = key_of(node, one)
        if key is not None:
            found.setdefault(key, one)
    return found


def key_of(node: Node, item: Json) -> tuple[Any, ...] | None:
    """Return the values of the keys of an item, None where one is absent or no scalar."""
    if not isinstance(item, dict) or node.list_type != "map":
        return None
    values = [item.get(name) for name in node.list_keys]
    if any(one is None or isinstance(one, dict | list) for one in values):
        return None
    return tuple((type(one), one) for one in values)


def is_same(one: Json, other: Json) -> bool:
    """Whether two values are equal as values of Go are: `1`, `1.0` and `true` differ."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(name in other and is_same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)
