"""An object, or an old and a new one, as lines for a page: what differs and what an error names are marked.

Texts are bounded: a long string or list says how much of it is shown. Whatever is left out stands in the document.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, NamedTuple

from harness.jsonpath import JsonPath, path_of
from harness.reporting.changes import FieldEdit
from harness.reporting.text import visible

LONGEST = 2_000
"""Characters of one string or key."""
MOST = 1_500
"""Lines of one object."""
DEEPEST = 60
"""Levels of one object; what lies deeper is not shown."""


class Line(NamedTuple):
    """One line of an object. `steps` lead to the value that it shows; None for a line that only fills a gap."""

    text: str
    steps: JsonPath | None
    differs: bool = False
    named: bool = False


class Hunk(NamedTuple):
    """Lines that stand together. `far` ones are far from everything that is marked, and are folded."""

    lines: list[Line]
    far: bool


class View(NamedTuple):
    """One object. `size` is how many lines it has in all, `shown` how many of them are shown."""

    blocks: list[Hunk]
    size: int
    shown: int

    @property
    def text(self) -> str:
        """The object without marks, as it is copied."""
        return "\n".join(line.text for block in self.blocks for line in block.lines if line.steps is not None)


NEAR = 4
"""Lines around one that is marked that are never folded."""
FOLDED = 8
"""The least number of lines that are folded."""


def view(value: Any, named: Sequence[str] = ()) -> View:
    """Write one object as lines; those of a field in `named`, the fields of errors, are marked."""
    made = _Writer(value, named)
    return View(_blocks(made.lines, _near(made.lines)), made.size, len(made.lines))


def _near(*columns: list[Line]) -> list[bool]:
    """Say which lines stand near a marked one, on either side; all do when none is marked."""
    marked = [
        number
        for number, row in enumerate(zip(*columns, strict=True))
        if any(line.named or line.differs or line.steps is None for line in row)
    ]
    near = [not marked] * len(columns[0])
    for number in marked:
        near[max(0, number - NEAR) : number + NEAR + 1] = [True] * len(near[max(0, number - NEAR) : number + NEAR + 1])
    return near


def _blocks(lines: list[Line], near: list[bool]) -> list[Hunk]:
    runs = [(is_near, [line for _, line in run]) for is_near, run in groupby(zip(near, lines, strict=True), _first)]
    return [Hunk(run, not is_near and len(run) >= FOLDED) for is_near, run in runs]


def _first(pair: tuple[bool, Line]) -> bool:
    return pair[0]


def beside(old: Any, new: Any, rows: Sequence[FieldEdit], named: Sequence[str] = ()) -> tuple[View, View]:
    """Write two objects so that equal lines stand at the same height, and mark what differs."""
    before = _Writer(old, named, {change.in_old for change in rows})
    after = _Writer(new, named, {change.in_new for change in rows})
    left, right = before.lines, after.lines
    matcher = SequenceMatcher(None, [line.text for line in left], [line.text for line in right], autojunk=False)
    filled: tuple[list[Line], list[Line]] = ([], [])
    for _, a, b, c, d in matcher.get_opcodes():
        height = max(b - a, d - c)
        filled[0].extend(left[a:b] + [Line("", None)] * (height - (b - a)))
        filled[1].extend(right[c:d] + [Line("", None)] * (height - (d - c)))
    near = _near(*filled)
    return (
        View(_blocks(filled[0], near), before.size, len(left)),
        View(_blocks(filled[1], near), after.size, len(right)),
    )


class _Writer:
    """Writes an object as lines of indented JSON: the first ones, and how many there are in all.

    The first line of a field in `named` is marked, and every line at or below one of `places`.
    """

    def __init__(self, value: Any, named: Sequence[str], places: Collection[JsonPath | None] = ()) -> None:
        self.lines: list[Line] = []
        self.size = 0
        self._fields = {path_of(field) for field in named if field}
        self._places = places
        self._write(value, (), "", "", False)

    def _write(self, value: Any, steps: JsonPath, key: str, comma: str, differs: bool) -> None:
        indent, differs = "  " * len(steps), differs or steps in self._places
        items: Iterable[tuple[str | int, Any]] = ()
        if isinstance(value, dict):
            items, opening, closing = value.items(), "{", "}"
        elif isinstance(value, list | tuple):
            items, opening, closing = enumerate(value), "[", "]"
        else:
            opening, closing = _scalar(value), ""
        if not closing or not value:
            self._add(f"{indent}{key}{opening}{closing}{comma}", steps, differs)
            return
        if len(steps) >= DEEPEST:
            text = f"{indent}{key}{opening} … deeper than {DEEPEST} levels … {closing}{comma}"
            self._add(text, steps, differs)
            return
        self._add(f"{indent}{key}{opening}", steps, differs)
        last = len(value) - 1
        for number, (name, inside) in enumerate(items):
            label = "" if isinstance(name, int) else f"{_scalar(name)}: "
            self._write(inside, (*steps, name), label, "," if number < last else "", differs)
        self._add(f"{indent}{closing}{comma}", steps, differs)

    def _add(self, text: str, steps: JsonPath, differs: bool) -> None:
        self.size += 1
        if self.size <= MOST:
            self.lines.append(Line(text, steps, differs, bool(self._fields) and self._is_named(steps)))

    def _is_named(self, steps: JsonPath) -> bool:
        place = tuple(map(str, steps))
        if not place or place not in self._fields:
            return False
        self._fields.discard(place)  # the line that closes an object is not marked again
        return True


_JSON = json.JSONEncoder(ensure_ascii=False)


def _scalar(value: Any) -> str:
    if isinstance(value, str) and len(value) > LONGEST:
        note = f" (shown: the first {LONGEST:,} of {len(value):,} characters)"
        return visible(_JSON.encode(value[:LONGEST])) + note
    try:
        return visible(_JSON.encode(value))
    except (TypeError, ValueError, RecursionError):
        return visible(repr(value))[:LONGEST]
