"""Former names of causes: files with old names can be read, and ids that contain them do not change."""

from __future__ import annotations

from collections.abc import Mapping

_NOW: Mapping[str, str] = {"no-twin": "no-counterpart"}
_FIRST = {now: first for first, now in _NOW.items()}


def current_cause(name: str) -> str:
    """Return the present name of a cause in a file."""
    return _NOW.get(name, name)


def first_name(cause: str) -> str:
    """Return the first name of a cause. IDs are computed from it, so that renaming a cause does not change them."""
    return _FIRST.get(cause, cause)
