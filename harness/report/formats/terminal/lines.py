"""Prints lines, wrapped between words to the width of the terminal, with a hanging indent.

Terminals that wrap lines themselves cut words and have no indent. A word longer than a line, such as an object or a
path, is broken after a comma, colon or bracket; only without any of these, it is broken anywhere. Commands are not
wrapped, so that they can be copied.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

_HANG = re.compile(r" *(?:\S+(?: \S+)* {2,}|(?:tried|written|timings): )?")
_COMMAND = re.compile(r" +(?:replay|fix) +(?:harness|pytest) ")
_JOINTS = (",", ";:/]}")
"""Characters after which a word that is longer than a line may be broken, the preferred ones first."""
MAX_INDENT = 20
"""At most this many columns of hanging indent."""
MIN_LABELLED_INDENT = 12
"""A line with this indent or more continues a labelled line, so its hanging indent is its own indent."""


def fold(row: Text, width: int) -> Iterator[Text]:
    """Yield a line in pieces that are not wider than the terminal."""
    plain = row.plain
    if cell_len(plain) <= width or _COMMAND.match(plain) or width < 2 * MAX_INDENT:
        yield row
        return
    hang = _hanging_indent(plain)
    ends = list(_break_positions(plain, width, hang))
    for number, piece in enumerate(row.divide(ends)):
        piece.rstrip()
        yield Text(" " * hang).append_text(piece) if number else piece


def _hanging_indent(plain: str) -> int:
    """Return the column where the text of a line begins: after its label, or two columns after its own indent."""
    match = _HANG.match(plain)
    text = match.end() if match is not None else 0
    indent = len(plain) - len(plain.lstrip(" "))
    if indent < text <= MAX_INDENT:
        return text
    return min(indent if indent >= MIN_LABELLED_INDENT else indent + 2, MAX_INDENT)


def _break_positions(plain: str, width: int, hang: int) -> Iterator[int]:
    """Yield the positions at which a line is broken."""
    begin, text, room = 0, hang, width  # the first line does not end before its text begins
    while cell_len(plain[begin:]) > room:
        begin = text = _find_break(plain, begin, text, room, width - hang)
        yield begin
        room = width - hang


def _find_break(plain: str, begin: int, text: int, room: int, later: int) -> int:
    """Return the last position that fits: after a word, else after a joint of a long word, else anywhere.

    `begin` is the position of the line, `text` that of its text after the indent, `room` its width, and `later` the
    width of the following lines.
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
    """Return the word that begins at a position."""
    return plain[begin:].split(" ", 1)[0]


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that uses colours on a terminal only, and does not interpret text as markup."""
    return Console(file=stream or sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def show(rows: Iterable[Text], stream: IO[str] | None = None) -> None:
    """Print lines, wrapped on a terminal, and unwrapped elsewhere, so that programs can search for them."""
    out = console(stream)
    for row in rows:
        for line in fold(row, out.width) if out.is_terminal else (row,):
            out.print(line, soft_wrap=True)
