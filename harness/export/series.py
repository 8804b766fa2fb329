"""Writes a long list as a Go loop, when its items are equal except for a number that counts up."""

from __future__ import annotations

import re

_MARK = "\x00"
_NUMBER = re.compile(r"\d+")
_QUOTED = re.compile(r'"([^"\\%]*)"')


class Inexpressible(Exception):
    """A value that cannot be written as a Go literal of its internal type."""


def series(items: list[str], type_name: str) -> str:
    """Return an expression for a list of written items. Raises: Inexpressible when they follow no pattern."""
    start, pattern = _pattern(items)
    first = "".join(f"items = append(items, {one})\n" for one in items[:start])
    index = "i := " if "fmt.Sprintf(" in pattern else ""
    loop = f"for {index}range {len(items) - start} {{\nitems = append(items, {pattern})\n}}\n"
    return f"func() []{type_name} {{\nvar items []{type_name}\n{first}{loop}return items\n}}()"


def _pattern(items: list[str]) -> tuple[int, str]:
    """Return how many first items are written one by one, and the Go pattern of the others, with `i` as the counter."""
    for start in (0, 1, 2):
        rest = items[start:]
        if len(set(rest)) == 1:
            return start, rest[0]
        made = _template(rest[0], rest[1])
        if made is not None:
            text, first = made
            if all(text.replace(_MARK, str(first + number)) == one for number, one in enumerate(rest)):
                counted = "i" if not first else f"i+{first}"
                written = "".join(
                    _formatted(part, counted) if number % 2 else part for number, part in enumerate(_QUOTED.split(text))
                )
                if _MARK not in written:
                    return start, written
    raise Inexpressible(f"a list of {len(items)} items that follow no pattern")


def _formatted(text: str, counted: str) -> str:
    if _MARK not in text:
        return f'"{text}"'
    times = text.count(_MARK)
    return f'fmt.Sprintf("{text.replace(_MARK, "%d")}"{f", {counted}" * times})'


def _template(one: str, other: str) -> tuple[str, int] | None:
    """Return the text with a mark in place of each number that counts up, and the first number."""
    pairs = list(zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=False))
    if _NUMBER.sub("", one) != _NUMBER.sub("", other) or len(_NUMBER.findall(one)) != len(_NUMBER.findall(other)):
        return None
    moving = {int(a) for a, b in pairs if a != b}
    if len(moving) != 1:
        return None
    turn = iter(pairs)

    def marked(found: re.Match[str]) -> str:
        before, after = next(turn)
        return _MARK if before != after else found[0]

    return _NUMBER.sub(marked, one), moving.pop()
