"""Old objects as they were read: most updates start from one that was read for another case.

What a suite's code is given it might change, though it must not. So what is kept is compared with what it was when it
was read, each time before it is given away again: that costs a tenth of reading it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from harness.case import Json

Key: TypeAlias = tuple[Any, ...]
Forms: TypeAlias = tuple[Json, Json]
"""An object in the form of the request's version, and in that of the handwritten validators."""

MOST = 256
_ENCODE = msgspec.json.Encoder().encode
_NO_JSON = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)


class Stored:
    """Remembers both forms of objects by what names them; those that are no JSON are not remembered."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[Forms, bytes]] = {}

    def key(self, value: Json, *rest: object) -> Key | None:
        """Return what names an object read in this way; None when it cannot be remembered."""
        try:
            return _ENCODE(value), *rest
        except _NO_JSON:
            return None

    def find(self, key: Key | None) -> Forms | None:
        """Return both forms, when they are still what they were."""
        known = self._known.get(key) if key is not None else None
        if known is None:
            return None
        try:
            unchanged = _ENCODE(known[0]) == known[1]
        except _NO_JSON:
            unchanged = False
        return known[0] if unchanged else None

    def keep(self, key: Key | None, forms: Forms) -> None:
        """Remember both forms of an object."""
        if key is None:
            return
        try:
            code = _ENCODE(forms)
        except _NO_JSON:
            return
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = forms, code
