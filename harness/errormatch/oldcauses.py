"""Causes that once had another name: files that have the old one are read, and ids that were made of it stay."""

from __future__ import annotations

from collections.abc import Mapping

_NOW: Mapping[str, str] = {"no-twin": "no-counterpart"}
_FIRST = {now: first for first, now in _NOW.items()}


def current_cause(name: str) -> str:
    """Return what a cause that stands in a file is called now."""
    return _NOW.get(name, name)


def first_name(cause: str) -> str:
    """Return what a cause was called first: ids are made of that, so that they outlive a change of its name."""
    return _FIRST.get(cause, cause)
