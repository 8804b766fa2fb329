"""Which places of a type objects hold, every place a bit of a number: what one has and another lacks costs no time.

Growth asks that of every object that is accepted, a thousand places each, and nearly all of one is the very same as in
the one before. What a part holds is therefore remembered by its identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import compress

from harness.case import Json
from harness.fuzzers.census import members_of
from harness.fuzzers.shape import Shape
from harness.memory import Memory, Room

_PARTS = Room(6_000)
"""For parts of objects, which stay alive as long."""


class _Way:
    """A place of a type and what lies below it, made when an object has it. `bit` is its own, 0 for the root."""

    __slots__ = ("_below", "bit", "is_deep", "item", "items", "kind", "path", "second", "shape")

    def __init__(self, shape: Shape, path: str, bit: int = 0) -> None:
        self.shape, self.path, self.bit, self.kind = shape, path, bit, shape.kind
        self.is_deep = self.kind in ("struct", "map", "list")
        self.items = self.second = 0
        self.item: _Way | None = None
        self._below: dict[str, _Way] | None = None

    def members(self, holding: Holding) -> dict[str, _Way]:
        """Return the ways of the members of a struct."""
        if self._below is None:
            at = f"{self.path}." if self.path else ""
            self._below = {
                name: _Way(shape, at + name, holding.number(at + name)) for name, shape in members_of(self.shape)
            }
        return self._below

    def each(self, holding: Holding) -> _Way:
        """Return the way of the items of a list or the values of a map."""
        if self.item is None:
            self.items = holding.number(f"{self.path}[*]")
            self.second = holding.number(f"{self.path}[1]") if self.kind == "list" else 0
            self.item = _Way(self.shape.elem, f"{self.path}[*]", self.items)
        return self.item


class Holding:
    """What objects of one type hold. Bits of one holding mean nothing to another."""

    def __init__(self, shape: Shape) -> None:
        self._paths: list[str] = []
        self._bits: dict[str, int] = {}
        self._root = _Way(shape, "")
        self._known: Memory[tuple[int, int], tuple[Json, int]] = Memory(_PARTS)

    def number(self, path: str) -> int:
        """Return the bit of a place; a new one when it has none."""
        bit = self._bits.get(path)
        if bit is None:
            bit = self._bits[path] = 1 << len(self._paths)
            self._paths.append(path)
        return bit

    def bit(self, path: str) -> int:
        """Return the bit of a place, 0 when no object was met that holds it."""
        return self._bits.get(path, 0)

    def of(self, obj: Json) -> int:
        """Return the places that an object holds. A null or an empty list is no value."""
        return self._of(self._root, obj, True)

    def of_stranger(self, obj: Json) -> int:
        """Return the places of an object that shares no part with others: there is no use in remembering it."""
        return self._of(self._root, obj, False)

    def names(self, bits: int) -> Iterator[str]:
        """Yield the places of these bits, in the order in which they were met."""
        return compress(self._paths, map(int, reversed(f"{bits:b}")))

    def _of(self, way: _Way, value: Json, remember: bool) -> int:
        # Objects are never changed in place, and what is remembered stays alive: no other part gets its identity.
        key = id(value), id(way)
        known = self._known.get(key) if remember else None
        if known is not None:
            return known[1]
        found, kind = 0, value.__class__
        if way.kind == "struct":
            if kind is dict:
                ways = way.members(self)
                for name, held in value.items():
                    below = ways.get(name)
                    if below is not None and held is not None and held != []:
                        found |= below.bit
                        if below.is_deep:
                            found |= self._of(below, held, remember)
        elif value and kind is (list if way.kind == "list" else dict):
            item = way.each(self)
            found = way.items | (way.second if len(value) > 1 else 0)
            if item.is_deep:
                for held in value if kind is list else value.values():
                    found |= self._of(item, held, remember)
        if remember:
            self._known.put(key, (value, found))
        return found


class Reached(Set[str]):
    """The places that were reached, by name and by the bits of `holding`."""

    def __init__(self, holding: Holding, bits: int = 0) -> None:
        self.holding, self.bits = holding, bits

    @classmethod
    def _from_iterable(cls, it: Iterable[str]) -> set[str]:  # type: ignore[override]  # what is computed is a plain set
        return set(it)

    def __contains__(self, path: object) -> bool:
        return bool(self.holding.bit(str(path)) & self.bits)

    def __iter__(self) -> Iterator[str]:
        return self.holding.names(self.bits)

    def __len__(self) -> int:
        return self.bits.bit_count()
