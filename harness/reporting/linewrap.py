"""Folds lines to the width of a terminal: between words, below where a text began, never inside of an id.

A terminal that folds by itself cuts words, and begins the next line at its edge. What is longer than a line without a
space, such as an object or a path, is folded behind a comma, a colon or a bracket, and only where there is none
anywhere. A command is left as it is: it must stay one line for whoever copies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

_HANG = re.compile(r" *(?:\S+(?: \S+)* {2,}|(?:tried|written|timings): )?")
_COMMAND = re.compile(r" +(?:replay|fix) +(?:harness|pytest) ")
_JOINTS = (",", ";:/]}")
"""What a line may end behind within a word that is longer than a line, the better first."""
DEEPEST = 20
"""Columns that a folded line begins behind, at most."""
BELOW = 12
"""A line that begins so far in stands below a labelled one already."""


def fold(row: Text, width: int) -> Iterator[Text]:
    """Yield a line in pieces that are no wider than a terminal."""
    plain = row.plain
    if cell_len(plain) <= width or _COMMAND.match(plain) or width < 2 * DEEPEST:
        yield row
        return
    hang = _hang(plain)
    ends = list(_ends(plain, width, hang))
    for number, piece in enumerate(row.divide(ends)):
        piece.rstrip()
        yield Text(" " * hang).append_text(piece) if number else piece


def _hang(plain: str) -> int:
    """Say where the text of a line begins: behind its label, or two columns further in than the line."""
    match = _HANG.match(plain)
    begin = match.end() if match is not None else 0
    bare = len(plain) - len(plain.lstrip(" "))
    if bare < begin <= DEEPEST:
        return begin
    return min(bare if bare >= BELOW else bare + 2, DEEPEST)


def _ends(plain: str, width: int, hang: int) -> Iterator[int]:
    """Yield the places where a line ends."""
    begin, text, room = 0, hang, width  # the first line does not end before its text begins
    while cell_len(plain[begin:]) > room:
        begin = text = _end(plain, begin, text, room, width - hang)
        yield begin
        room = width - hang


def _end(plain: str, begin: int, text: int, room: int, later: int) -> int:
    """Find the last place that still fits: behind a word, else behind a joint of a long one, else anywhere.

    `text` is where the text of the line begins, `later` the room of the lines below.
    """
    fits = begin
    used = 0
    while used + cell_len(plain[fits]) <= room:
        used += cell_len(plain[fits])
        fits += 1
    space = plain.rfind(" ", text, fits + 1)
    least = max(text, space + 1)
    if space >= text and cell_len(_word(plain, least)) <= later:
        return least
    for joints in _JOINTS:
        joint = max(plain.rfind(char, least, fits) for char in joints)
        if joint > least:
            return joint + 1
    return least if space >= text else max(fits, begin + 1)


def _word(plain: str, begin: int) -> str:
    """The word that begins somewhere."""
    return plain[begin:].split(" ", 1)[0]
