"""Filter repeated draws with little memory: random draws repeat, above all for types with few values."""

from __future__ import annotations

from zlib import crc32

import msgspec

from harness.case import Json

_ENCODE = msgspec.json.Encoder().encode
_NOT_JSON = (ValueError, TypeError, OverflowError)
"""Errors of values that JSON cannot express: half a surrogate pair, a number beyond 64 bits."""
_ENCODED: dict[int, Json] = {}
"""Values that were encoded lately, by identity, because a drawn value is checked by `is_json` soon after.

Objects are never changed in place, and cached values stay alive, so that no other value gets their identity.
"""
_MAX_ENCODED = 256
MIN_SIZE, MAX_SIZE = 1 << 13, 1 << 16
"""Size of the filter at first and at most: every kind has a search, and most draw few values. Units: bytes."""


class NoveltyFilter:
    """Recognises values that are drawn for the first time (a Bloom filter with one hash).

    Some new values are taken for known ones. The filter is emptied, and grows, when an eighth of its bits is set. Both
    depend on the drawn values only.
    """

    __slots__ = ("_known", "_left")

    def __init__(self) -> None:
        self._known, self._left = bytearray(MIN_SIZE), MIN_SIZE

    @property
    def room(self) -> int:
        """The size of the filter. Units: bytes."""
        return len(self._known)

    def is_new(self, code: int) -> bool:
        """Whether a code was not seen before; it counts as seen from now on."""
        index, bit = (code >> 3) % len(self._known), 1 << (code & 7)
        if self._known[index] & bit:
            return False
        self._known[index] |= bit
        self._left -= 1
        if not self._left:
            size = min(MAX_SIZE, len(self._known) * 4)
            self._known, self._left = bytearray(size), size
        return True


def code_of(value: Json, other_code: int = 0) -> int:
    """Return a hash of a value, combined with another hash."""
    other_code &= 0xFFFFFFFF
    try:
        code = crc32(_ENCODE(value), other_code)
    except _NOT_JSON:
        return crc32(repr(value).encode(errors="replace"), other_code)
    if len(_ENCODED) >= _MAX_ENCODED:
        _ENCODED.clear()
    _ENCODED[id(value)] = value
    return code


def is_json(value: Json) -> bool:
    """Whether a value can be encoded as JSON; for values that `code_of` has just encoded this is known."""
    if _ENCODED.pop(id(value), None) is not None:
        return True
    try:
        _ENCODE(value)
    except (*_NOT_JSON, RecursionError, msgspec.MsgspecError):  # a list that holds itself
        return False
    return True
