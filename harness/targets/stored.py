"""Old objects as they were read: most updates start from one that was read for another case.

Objects are known by identity: cases are never changed in place, and what is remembered stays alive. What a suite's code
is given it might change, though it must not. So what is kept is compared with what it was when it was read, each time
before it is given away again: that costs a tenth of reading it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from harness.case import Json

Way: TypeAlias = tuple[str, str, bool]
"""How an object is read: as which kind and version, and whether as a server reads it."""
Forms: TypeAlias = tuple[Json, Json]
"""An object in the form of the request's version, and in that of the handwritten validators."""

MOST = 256
_ENCODE = msgspec.json.Encoder().encode
_NO_JSON = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)


class Stored:
    """Remembers both forms of objects; those that are no JSON are not remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Way], tuple[Json, Forms, bytes]] = {}

    def find(self, value: Json, way: Way) -> Forms | None:
        """Return both forms of an object that was read in this way, when they are still what they were."""
        known = self._known.get((id(value), way))
        if known is None:
            return None
        _, forms, code = known
        return forms if _code(forms) == code else None

    def keep(self, value: Json, way: Way, forms: Forms) -> None:
        """Remember both forms of an object."""
        code = _code(forms)
        if not code:
            return
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[id(value), way] = value, forms, code


def _code(forms: Forms) -> bytes:
    """Write both forms down, once where they are the very same; nothing when they are no JSON."""
    try:
        return _ENCODE(forms[0] if forms[0] is forms[1] else forms)
    except _NO_JSON:
        return b""
