"""Pieces of a page, packed."""

from __future__ import annotations

import base64
import json
import zlib

from harness.reporting.details import CHUNK, Shelf, embedded


def test_every_piece_is_found_where_it_was_put() -> None:
    """The place names a chunk and a number in it; texts come back as they were."""
    shelf = Shelf()
    pieces = [f"<p>{number} \u2028 \ud800 </script></p>" for number in range(2 * CHUNK + 1)]
    places = [shelf.put(piece).split(":") for piece in pieces]
    chunks = [json.loads(zlib.decompress(base64.b64decode(chunk))) for chunk in shelf.chunks]
    assert 3 == len(chunks)
    assert pieces == [chunks[int(chunk)][int(number)] for chunk, number in places]


def test_embedded_json_cannot_leave_its_element() -> None:
    """No tag, no comment, no line separator; the value is the same."""
    value = ["</script><!--<script>", "\u2028\u2029", "a&b", "\ud800"]
    text = str(embedded(value))
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert value == json.loads(text)
