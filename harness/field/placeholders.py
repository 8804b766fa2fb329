"""Fills the placeholders of sentences that code and tags declare for fixes: `+k8s:maxLength=<limit>`, `<origin>`.

A name in angle brackets is a placeholder. There is one way to fill it, so that no sentence is told with a gap in it.
"""

from __future__ import annotations

import re

_PLACEHOLDER = re.compile(r"<([a-z ]+)>")


def fill(text: str, **values: str | int) -> str:
    """Return a text with the placeholders of these names filled; others are left, see `has_gaps`."""
    return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), text)


def has_gaps(text: str) -> bool:
    """Whether a text has a placeholder that nothing filled."""
    return _PLACEHOLDER.search(text) is not None
