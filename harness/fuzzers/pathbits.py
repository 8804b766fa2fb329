"""The sets of paths that objects have, as bits of an integer, so that set operations are fast.

Growth computes the paths of every accepted object, about a thousand each, and consecutive objects share nearly all of
their parts. The paths of a part are therefore cached by its identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import compress

from harness.case import Json
from harness.fuzzers.shape import Shape
from harness.fuzzers.typepaths import members_of
from harness.memory import Memory, Room

_PARTS = Room(6_000)
"""For cached parts of objects, which stay alive as long as they are cached."""


class _PathNode:
    """A path in the tree of the paths of a type, created when an object has it. `bit` is 0 for the root."""

    __slots__ = ("_members", "bit", "is_container", "item", "items", "kind", "path", "second", "shape")

    def __init__(self, shape: Shape, path: str, bit: int = 0) -> None:
        self.shape, self.path, self.bit, self.kind = shape, path, bit, shape.kind
        self.is_container = self.kind in ("struct", "map", "list")
        self.items = self.second = 0
        self.item: _PathNode | None = None
        self._members: dict[str, _PathNode] | None = None

    def member_nodes(self, path_bits: PathBits) -> dict[str, _PathNode]:
        """Return the nodes of the members of a struct."""
        if self._members is None:
            prefix = f"{self.path}." if self.path else ""
            self._members = {
                name: _PathNode(shape, prefix + name, path_bits.assign_bit(prefix + name))
                for name, shape in members_of(self.shape)
            }
        return self._members

    def item_node(self, path_bits: PathBits) -> _PathNode:
        """Return the node of the items of a list or the values of a map."""
        if self.item is None:
            self.items = path_bits.assign_bit(f"{self.path}[*]")
            self.second = path_bits.assign_bit(f"{self.path}[1]") if self.kind == "list" else 0
            self.item = _PathNode(self.shape.elem, f"{self.path}[*]", self.items)
        return self.item


class PathBits:
    """The bits of the paths of one type. The bits of two `PathBits` cannot be compared."""

    def __init__(self, shape: Shape) -> None:
        self._paths: list[str] = []
        self._bits: dict[str, int] = {}
        self._root = _PathNode(shape, "")
        self._known: Memory[tuple[int, int], tuple[Json, int]] = Memory(_PARTS)

    def assign_bit(self, path: str) -> int:
        """Return the bit of a path; a new one when it has none."""
        bit = self._bits.get(path)
        if bit is None:
            bit = self._bits[path] = 1 << len(self._paths)
            self._paths.append(path)
        return bit

    def bit(self, path: str) -> int:
        """Return the bit of a path, 0 when no object had it so far."""
        return self._bits.get(path, 0)

    def of(self, obj: Json) -> int:
        """Return the bits of the paths of an object. A path with null or an empty list does not count."""
        return self._of(self._root, obj, True)

    def of_unshared(self, obj: Json) -> int:
        """Return the bits of the paths of an object that shares no part with others, without caching."""
        return self._of(self._root, obj, False)

    def names(self, bits: int) -> Iterator[str]:
        """Yield the paths of these bits, in the order in which objects first had them."""
        return compress(self._paths, map(int, reversed(f"{bits:b}")))

    def _of(self, node: _PathNode, value: Json, use_cache: bool) -> int:
        # Objects are never changed in place, and cached parts stay alive, so that no other part gets their identity.
        key = id(value), id(node)
        known = self._known.get(key) if use_cache else None
        if known is not None:
            return known[1]
        found, kind = 0, value.__class__
        if node.kind == "struct":
            if kind is dict:
                nodes = node.member_nodes(self)
                for name, value_part in value.items():
                    child = nodes.get(name)
                    if child is not None and value_part is not None and value_part != []:
                        found |= child.bit
                        if child.is_container:
                            found |= self._of(child, value_part, use_cache)
        elif value and kind is (list if node.kind == "list" else dict):
            item = node.item_node(self)
            found = node.items | (node.second if len(value) > 1 else 0)
            if item.is_container:
                for value_part in value if kind is list else value.values():
                    found |= self._of(item, value_part, use_cache)
        if use_cache:
            self._known.put(key, (value, found))
        return found


class PathSet(Set[str]):
    """A set of paths, by name and by the bits of `path_bits`."""

    def __init__(self, path_bits: PathBits, bits: int = 0) -> None:
        self.path_bits, self.bits = path_bits, bits

    @classmethod
    def _from_iterable(cls, it: Iterable[str]) -> set[str]:  # type: ignore[override]  # results are plain sets
        return set(it)

    def __contains__(self, path: object) -> bool:
        return bool(self.path_bits.bit(str(path)) & self.bits)

    def __iter__(self) -> Iterator[str]:
        return self.path_bits.names(self.bits)

    def __len__(self) -> int:
        return self.bits.bit_count()
