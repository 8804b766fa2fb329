"""What is remembered to save time has a bound that all who remember share."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import pytest

from harness.memory import Memory, Pool, Room, give_back


def held(room: Room) -> int:
    """Count what all memories of a room hold."""
    return sum(len(memory) for memory in room.memories)


def test_memories_of_a_room_never_hold_more_than_twice_its_measure() -> None:
    """However many memories there are and however much they are told, together they stay below the bound."""
    room = Room(50)
    memories: list[Memory[int, int]] = [Memory(room) for _ in range(7)]
    most = 0
    for number in range(2000):
        memories[number % 7].put(number, number)
        memories[number % 3].get(number // 2)
        most = max(most, held(room))
    assert 50 < most <= 100


def test_what_is_heavy_counts_for_more() -> None:
    """The measure of a room is in weights, not in things."""
    room = Room(100)
    memory: Memory[int, str] = Memory(room)
    for number in range(50):
        memory.put(number, "large", weight=30)
    assert held(room) <= 6


def test_what_is_asked_for_is_remembered_longest() -> None:
    """A value in use stays while thousands of others come and go; one that nobody asks for is forgotten."""
    memory: Memory[int, str] = Memory(Room(10))
    memory.put(-1, "used")
    memory.put(-2, "unused")
    for number in range(1000):
        memory.put(number, "another")
        assert memory.get(-1) == "used"
    assert memory.get(-2) is None


def test_a_memory_that_nobody_holds_is_gone() -> None:
    """A room keeps no memory alive."""
    room = Room(10)
    memory: Memory[int, int] = Memory(room)
    memory.put(1, 1)
    assert held(room) == 1
    del memory
    gc.collect()
    assert held(room) == 0


def test_equal_things_become_one_thing_within_the_bound() -> None:
    """What is equal to something handed in lately is given back as that, and few are remembered."""
    room = Room(20)
    pool: Pool[str] = Pool(room)
    first, again = pool.shared("x" * number for number in (3, 4)), pool.shared("x" * number for number in (3, 4))
    assert first == again == ("xxx", "xxxx")
    assert all(one is other for one, other in zip(first, again, strict=True))
    for number in range(500):
        pool.shared([str(number)])
    assert held(room) <= 40


@pytest.mark.parametrize("library", [None, SimpleNamespace(malloc_trim=lambda pad: 1), SimpleNamespace()])
def test_memory_is_given_back_where_the_c_library_can(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With this system's library, with one that can, with one that cannot: nobody notices."""
    if library is not None:
        monkeypatch.setattr("ctypes.CDLL", lambda name: library)
    give_back()
