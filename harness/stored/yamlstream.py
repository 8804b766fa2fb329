"""Reads YAML of any size document by document, and the items of a List one by one, in memory for the largest of them.

A List is taken apart by its lines, as kubectl writes it: `items:` at the left, and each item at a dash. A List in any
other form is read whole.
"""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

import yaml

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError, Position
from harness.kubeyaml import UnusualYAMLError, read_plain
from harness.limits import DEEPEST, MAX_BYTES, lines_of
from harness.objectmodel import KIND
from harness.stored.lists import item_of, items_of
from harness.subject.manifests import documents_of

_ITEMS = re.compile(rb"items:\s*(?:#.*)?$")
_ITEM = re.compile(rb" *-(?=\s)")
_DOCUMENT = re.compile(rb"(?:---|\.\.\.)(?=\s|$)")
_HEADER = re.compile(rb"^(apiVersion|kind):\s*[\"']?([\w./-]+)", re.MULTILINE)

Fail = Callable[[Diagnostic], None]


class _Place(enum.Enum):
    """Where the next line stands: in a document, behind `items:`, in its items, or behind them."""

    DOCUMENT = enum.auto()
    BEFORE_ITEMS = enum.auto()
    ITEMS = enum.auto()
    AFTER_ITEMS = enum.auto()


class YamlStream:
    """The objects of a stream of YAML. `fail` is called with what cannot be read, and the rest is read on.

    Iterating raises InputError for a line that is too long.
    """

    def __init__(self, stream: BinaryIO, name: str, fail: Fail, most: int = MAX_BYTES) -> None:
        self._lines, self._name, self._fail, self._most = lines_of(stream, name, most), name, fail, most
        self._part: list[bytes] = []
        self._size = self._line = self._begin = self._indent = 0
        self._inside = b" "
        self._header: dict[str, Json] = {}
        self._state = _Place.DOCUMENT

    def __iter__(self) -> Iterator[tuple[Json, Position]]:
        for line in self._lines:
            self._line += 1
            # Most lines are inside of an item.
            if self._part and self._state is _Place.ITEMS and line.startswith(self._inside) and self._size < self._most:
                self._part.append(line)
                self._size += len(line)
                continue
            if self._line == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if _DOCUMENT.match(line):
                yield from self._take()
                self._state, self._header, line = _Place.DOCUMENT, {}, b"   " + line[3:]
            yield from self._step(line)
        if self._state is _Place.ITEMS and KIND not in self._header:  # kubectl writes it behind the items
            why = "the end of the list is missing, so its last object may be cut too, and is left out"
            self._tell(self._begin, "the file is cut", why)
            return
        yield from self._take()

    def _step(self, line: bytes) -> Iterator[tuple[Json, Position]]:
        """Take one line, and yield the item that ends before it."""
        content = line.lstrip(b" ")
        indent, is_blank = len(line) - len(content), not content.strip() or content.startswith(b"#")
        if self._state is _Place.DOCUMENT and _ITEMS.match(line.rstrip()):
            self._state = _Place.BEFORE_ITEMS
        elif self._state is _Place.DOCUMENT:
            self._keep(line)
        elif self._state is _Place.BEFORE_ITEMS and not is_blank:
            if not _ITEM.match(line):
                self._keep(b"items:\n")
                self._keep(line)
                self._state = _Place.DOCUMENT
                return
            head = b"".join(self._part)
            self._header = {found[1].decode(): found[2].decode() for found in _HEADER.finditer(head)}
            self._clear()
            self._state, self._indent, self._inside = _Place.ITEMS, indent, b" " * (indent + 1)
            self._keep(_without_dash(line, indent))
        elif self._state is _Place.ITEMS:
            starts = indent == self._indent and _ITEM.match(line) is not None
            if starts or (indent <= self._indent and not is_blank):
                yield from self._take()
            if not starts and indent <= self._indent and not is_blank:
                self._state = _Place.AFTER_ITEMS
            else:
                self._keep(_without_dash(line, indent) if starts else line)

    def _keep(self, line: bytes) -> None:
        if not self._part:
            self._begin = self._line
        self._size += len(line)
        if self._size <= self._most:
            self._part.append(line)

    def _clear(self) -> None:
        self._part, self._size = [], 0

    def _take(self) -> Iterator[tuple[Json, Position]]:
        """Yield what the lines that were kept stand for: an item, or a document."""
        data, size, begin = b"".join(self._part), self._size, self._begin
        self._clear()
        if size > self._most:
            self._tell(begin, f"an object has more than {self._most:,} bytes")
        elif data.strip() and self._state is not _Place.AFTER_ITEMS:
            for value in self._read(data, begin):
                yield (item_of(value, self._header) if self._state is _Place.ITEMS else value), self._position(begin)

    def _read(self, data: bytes, begin: int) -> Iterator[Json]:
        try:
            yield from items_of(read_plain(data, DEEPEST))
        except UnusualYAMLError:
            yield from self._read_unusual(data, begin)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self._tell(begin + (mark.line if mark else 0), f"not YAML: {error.problem}")
        except (yaml.YAMLError, UnicodeDecodeError, ValueError):
            self._tell(begin, "not YAML: it has a character that YAML does not have")

    def _read_unusual(self, data: bytes, begin: int) -> Iterator[Json]:
        try:
            for value, _ in documents_of(data, self._name):
                if value is not None:
                    yield value
        except InputError as error:
            for one in error.diagnostics:
                # What other messages quote may be the value of a Secret.
                message = one.message if one.code == "input-limit" else "it has a value or a tag that JSON cannot say"
                self._tell(begin + max(0, one.position.line - 1), message)

    def _tell(self, line: int, message: str, why: str = "this object is left out, the rest is read") -> None:
        fix = "make the dump again, or repair the file at this line"
        self._fail(Diagnostic(self._position(line), "dump-syntax", message, why, fix))

    def _position(self, line: int) -> Position:
        return Position(self._name, line)


def _without_dash(line: bytes, indent: int) -> bytes:
    """Return the first line of an item with a space in place of its dash."""
    return line[:indent] + b" " + line[indent + 1 :]
