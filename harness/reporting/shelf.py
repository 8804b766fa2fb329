"""What a page with thousands of findings keeps folded away until somebody opens it.

The first findings stand on the page as they are, so that a page with few of them is whole without a script. The details
of all others are packed in chunks, which a browser unpacks by itself (`DecompressionStream`): a page of 5,000 findings
stays small, and what nobody opens costs nothing.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from markupsafe import Markup

CHUNK = 40
"""Findings of one chunk."""


class Shelf:
    """Takes pieces of a page, which were escaped before, and hands them out in packed chunks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def put(self, piece: str) -> str:
        """Keep a piece. Returns: where it lies, `chunk:number`."""
        self._pieces.append(piece)
        return "{}:{}".format(*divmod(len(self._pieces) - 1, CHUNK))

    @property
    def chunks(self) -> list[str]:
        """Every chunk: a JSON list of pieces, deflated, in base64."""
        return [_packed(self._pieces[start : start + CHUNK]) for start in range(0, len(self._pieces), CHUNK)]


def _packed(pieces: list[str]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(pieces).encode(), 9)).decode()


def embedded(value: Mapping[str, Any] | Iterable[Any]) -> Markup:
    """Write JSON that is safe inside a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))
