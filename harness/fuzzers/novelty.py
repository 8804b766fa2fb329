"""What was drawn before, in little room: random draws repeat themselves, most of all where little can be drawn."""

from __future__ import annotations

from zlib import crc32

import msgspec

from harness.case import Json

_ENCODE = msgspec.json.Encoder().encode
_NO_JSON = (ValueError, TypeError, OverflowError)
"""Half a surrogate pair, a number beyond 64 bits."""
_WRITTEN: dict[int, Json] = {}
"""What was written down lately, by identity: what is drawn is read as JSON soon after.

Objects are never changed in place, and what is remembered stays alive, so that nothing else gets its identity.
"""
_MOST_WRITTEN = 256
SMALLEST, LARGEST = 1 << 13, 1 << 16
"""Bytes of room, at first and at most: there is a search for each kind, and most draw little."""


class NoveltyFilter:
    """Tells what is drawn for the first time.

    Only a hint: one in so many is taken for known though it is new, and all is forgotten when an eighth of the room is
    taken, which then grows. That depends on nothing but what was drawn.
    """

    __slots__ = ("_known", "_left")

    def __init__(self) -> None:
        self._known, self._left = bytearray(SMALLEST), SMALLEST

    @property
    def room(self) -> int:
        """What it takes up. Units: bytes."""
        return len(self._known)

    def is_new(self, code: int) -> bool:
        """Whether a code did not come before; from now on it did."""
        at, bit = (code >> 3) % len(self._known), 1 << (code & 7)
        if self._known[at] & bit:
            return False
        self._known[at] |= bit
        self._left -= 1
        if not self._left:
            size = min(LARGEST, len(self._known) * 4)
            self._known, self._left = bytearray(size), size
        return True


def code_of(value: Json, beside: int = 0) -> int:
    """Return a number that tells a value from most others, together with what a number beside it stands for."""
    beside &= 0xFFFFFFFF
    try:
        code = crc32(_ENCODE(value), beside)
    except _NO_JSON:
        return crc32(repr(value).encode(errors="replace"), beside)
    if len(_WRITTEN) >= _MOST_WRITTEN:
        _WRITTEN.clear()
    _WRITTEN[id(value)] = value
    return code


def is_json(value: Json) -> bool:
    """Whether a value can be written down as JSON; of what was drawn just before that is known, once."""
    if _WRITTEN.pop(id(value), None) is not None:
        return True
    try:
        _ENCODE(value)
    except (*_NO_JSON, RecursionError, msgspec.MsgspecError):  # a list that holds itself
        return False
    return True
