"""Formats an object, or an old and a new object, as lines for the HTML page, and lists the edits between the two.

Lines of fields that an error names, and lines that differ, are marked. Long strings, lists and objects are shortened,
with a remark on how much is shown; the report document has all of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, NamedTuple

from deepdiff import DeepDiff

from harness.jsonpath import JsonPath, path_of, write
from harness.report.escaping import compact, visible

MAX_STRING = 2_000
"""At most this many characters of a string or key are shown."""
MAX_LINES = 1_500
"""At most this many lines of an object are shown."""
MAX_DEPTH = 60
"""At most this many levels of an object are shown."""


class Line(NamedTuple):
    """A line of an object.

    `steps` is the path of its value; None for an empty line next to a line that only the other object has. `differs`:
    the old and the new object differ in it. `named`: an error names its field.
    """

    text: str
    steps: JsonPath | None
    differs: bool = False
    named: bool = False


class Hunk(NamedTuple):
    """Consecutive lines. They are folded if they are many, and far from all marked lines."""

    lines: list[Line]
    is_folded: bool


class View(NamedTuple):
    """An object as lines. `size` is the number of its lines, `shown` the number of those that are shown."""

    blocks: list[Hunk]
    size: int
    shown: int

    @property
    def text(self) -> str:
        """The text of the object without marks, for the copy button."""
        return "\n".join(line.text for block in self.blocks for line in block.lines if line.steps is not None)


CONTEXT_LINES = 4
"""Lines before and after a marked line that are never folded."""
MIN_FOLDED_LINES = 8
"""At least this many lines are folded together."""


def show_object(value: Any, named: Sequence[str] = ()) -> View:
    """Return the lines of an object. `named` are the fields of errors, whose lines are marked."""
    writer = _Writer(value, named)
    return View(_blocks(writer.lines, _lines_near_marks(writer.lines)), writer.size, len(writer.lines))


def _lines_near_marks(*columns: list[Line]) -> list[bool]:
    """Return for each line whether it is near a marked line of any column; true for all if no line is marked."""
    marked = [
        number
        for number, row in enumerate(zip(*columns, strict=True))
        if any(line.named or line.differs or line.steps is None for line in row)
    ]
    near = [not marked] * len(columns[0])
    for number in marked:
        context = slice(max(0, number - CONTEXT_LINES), number + CONTEXT_LINES + 1)
        near[context] = [True] * len(near[context])
    return near


def _blocks(lines: list[Line], near: list[bool]) -> list[Hunk]:
    runs = [(is_near, [line for _, line in run]) for is_near, run in groupby(zip(near, lines, strict=True), _nearness)]
    return [Hunk(run, not is_near and len(run) >= MIN_FOLDED_LINES) for is_near, run in runs]


def _nearness(pair: tuple[bool, Line]) -> bool:
    return pair[0]


def show_both(old: Any, new: Any, rows: Sequence[FieldEdit], named: Sequence[str] = ()) -> tuple[View, View]:
    """Return the lines of two objects, aligned so that equal lines are next to each other, with differences marked.

    `rows` are the edits between the two objects.
    """
    before = _Writer(old, named, {change.in_old for change in rows})
    after = _Writer(new, named, {change.in_new for change in rows})
    left, right = before.lines, after.lines
    matcher = SequenceMatcher(None, [line.text for line in left], [line.text for line in right], autojunk=False)
    filled: tuple[list[Line], list[Line]] = ([], [])
    for _, a, b, c, d in matcher.get_opcodes():
        height = max(b - a, d - c)
        filled[0].extend(left[a:b] + [Line("", None)] * (height - (b - a)))
        filled[1].extend(right[c:d] + [Line("", None)] * (height - (d - c)))
    near = _lines_near_marks(*filled)
    return (
        View(_blocks(filled[0], near), before.size, len(left)),
        View(_blocks(filled[1], near), after.size, len(right)),
    )


class _Writer:
    """Writes an object as lines of indented JSON. Keeps the first `MAX_LINES` of them, and counts all.

    The first line of a field in `named` is marked, and so are all lines of the values at the paths `changed_paths`.
    """

    def __init__(self, value: Any, named: Sequence[str], changed_paths: Collection[JsonPath | None] = ()) -> None:
        self.lines: list[Line] = []
        self.size = 0
        self._fields = {path_of(field) for field in named if field}
        self._changed_paths = changed_paths
        self._write(value, (), "", "", False)

    def _write(self, value: Any, steps: JsonPath, key: str, comma: str, differs: bool) -> None:
        indent, differs = "  " * len(steps), differs or steps in self._changed_paths
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
        if len(steps) >= MAX_DEPTH:
            text = f"{indent}{key}{opening} … deeper than {MAX_DEPTH} levels … {closing}{comma}"
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
        if self.size <= MAX_LINES:
            self.lines.append(Line(text, steps, differs, bool(self._fields) and self._is_named(steps)))

    def _is_named(self, steps: JsonPath) -> bool:
        path = tuple(map(str, steps))
        if not path or path not in self._fields:
            return False
        self._fields.discard(path)  # the closing line of an object has the same path, and is not marked
        return True


_JSON = json.JSONEncoder(ensure_ascii=False)


def _scalar(value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_STRING:
        note = f" (shown: the first {MAX_STRING:,} of {len(value):,} characters)"
        return visible(_JSON.encode(value[:MAX_STRING])) + note
    try:
        return visible(_JSON.encode(value))
    except (TypeError, ValueError, RecursionError):
        return visible(repr(value))[:MAX_STRING]


_MAX_VALUE = 300
"""At most this many characters of the old and the new value of an edit are shown."""
MAX_COMPARED = 50_000
"""Two objects with more characters of JSON than this are not compared, because that would take too long."""


_WORDS = (
    ("values_changed", "changed"), ("type_changes", "changed"), ("dictionary_item_added", "set"),
    ("dictionary_item_removed", "unset"), ("iterable_item_added", "added"), ("iterable_item_removed", "removed"),
)  # fmt: skip


class FieldEdit(NamedTuple):
    """An edit between two objects: what was done, the field, its old and new value, and its path in each object.

    The path in the old object is None if the field was added, that in the new object if it was removed.
    """

    word: str
    path: str
    old: str
    new: str
    in_old: JsonPath | None
    in_new: JsonPath | None


def find_edits(old: Any, new: Any) -> list[FieldEdit] | None:
    """Return the edits from an old to a new object, by path; None if the objects are too large or too deep."""
    try:
        before, after = compact(old), compact(new)
        if before == after:
            return []
        if len(before) + len(after) > MAX_COMPARED:
            return None
        tree = DeepDiff(old, new, view="tree", ignore_numeric_type_changes=False)
        return sorted(
            (_edit(word, level) for key, word in _WORDS for level in tree.get(key, ())),
            key=lambda change: change.path,
        )
    except (RecursionError, ValueError, TypeError, OverflowError):
        return None


def _edit(word: str, level: Any) -> FieldEdit:
    steps = tuple(level.path(output_format="list"))
    is_removed, is_added = word in ("unset", "removed"), word in ("set", "added")
    return FieldEdit(
        word,
        visible(write(steps)) or "(the object itself)",
        "" if is_added else compact(level.t1, _MAX_VALUE),
        "" if is_removed else compact(level.t2, _MAX_VALUE),
        None if is_added else steps,
        None if is_removed else tuple(level.path(output_format="list", use_t2=True)),
    )
