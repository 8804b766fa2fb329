"""Compressed pieces of a page."""

from __future__ import annotations

import base64
import json
import zlib

from harness.report.formats.html.details import CHUNK_SIZE, PackedPieces, embed_json


def test_every_piece_is_at_the_location_that_put_returned() -> None:
    """The location is a chunk and an index in it; unpacking restores the texts."""
    packed_pieces = PackedPieces()
    pieces = [f"<p>{number} \u2028 \ud800 </script></p>" for number in range(2 * CHUNK_SIZE + 1)]
    places = [packed_pieces.put(piece).split(":") for piece in pieces]
    chunks = [json.loads(zlib.decompress(base64.b64decode(chunk))) for chunk in packed_pieces.chunks]
    assert 3 == len(chunks)
    assert pieces == [chunks[int(chunk)][int(number)] for chunk, number in places]


def test_embedded_json_cannot_leave_its_element() -> None:
    """It contains no tag, comment or line separator, and decodes to the same value."""
    value = ["</script><!--<script>", "\u2028\u2029", "a&b", "\ud800"]
    text = str(embed_json(value))
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert value == json.loads(text)
