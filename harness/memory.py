"""What is remembered to save time, bounded for the whole process: however many remember, and however long a run is.

Nothing may depend on whether something is still remembered: only what can be made again, the same, belongs here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K")
V = TypeVar("V")


def give_back() -> None:
    """Give memory that is free but held back to the system, where the C library can: that takes milliseconds."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):  # no glibc
        return


class Room:
    """What memories of one sort may hold together: twice `most`, in whatever unit they weigh in.

    When as much as `most` was taken up, all of them forget what was not asked for since the last time.
    """

    def __init__(self, most: int) -> None:
        self.most, self.taken = most, 0
        self.memories: WeakSet[Memory[object, object]] = WeakSet()

    def take(self, weight: int) -> None:
        """Count what a memory takes up."""
        self.taken += weight
        if self.taken > self.most:
            self.taken = weight
            for memory in self.memories:
                memory.age()


class Memory(Generic[K, V]):
    """Values by key, in a room that is shared with other memories. A memory that nobody holds any more is gone."""

    __slots__ = ("__weakref__", "_old", "_room", "_young")

    def __init__(self, room: Room) -> None:
        self._room = room
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}
        room.memories.add(self)  # type: ignore[arg-type]  # a room looks at no key and no value

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def get(self, key: K) -> V | None:
        """Return what is remembered under a key, None when nothing is."""
        held = self._young.get(key)
        if held is None:
            held = self._old.pop(key, None)
            if held is None:
                return None
            self.put(key, *held)
        return held[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        """Remember a value under a key."""
        self._room.take(weight)
        self._young[key] = value, weight

    def age(self) -> None:
        """Forget what nobody has asked for since the last time."""
        self._old, self._young = self._young, {}


class Pool(Generic[K]):
    """Equal things as one thing, as long as that is remembered: for what comes again and again, made anew each time."""

    __slots__ = ("_known",)

    def __init__(self, room: Room) -> None:
        self._known: Memory[K, K] = Memory(room)

    def shared(self, things: Iterable[K]) -> tuple[K, ...]:
        """Return these things, each as the equal one that was handed in first."""
        found = []
        for thing in things:
            known = self._known.get(thing)
            if known is None:
                self._known.put(thing, thing)
                known = thing
            found.append(known)
        return tuple(found)
