"""Reads JSON of any size value by value, and the items of a List one by one, in memory for the largest of them."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NoReturn

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError, Position
from harness.limits import MAX_BYTES, check_bounds
from harness.stored.lists import ITEMS, item_of

_CHUNK: Final = 1 << 18
_SPACE: Final = " \t\r\n"
_TORN: Final = 16
"""An error this close to the end of what was read may be one of a value that goes on. Units: characters."""


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number in JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("a number is too large for JSON")
    return value


class JsonStream:
    """The objects of a stream of JSON values: of each value, and of each item of a List or an array.

    Iterating raises InputError where the stream cannot be read on; what came before it stays read.
    """

    def __init__(self, stream: BinaryIO, name: str, most: int = MAX_BYTES) -> None:
        self._stream, self._name, self._most = stream, name, most
        self._decode_bytes = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
        self._text, self._at, self._line, self._counted = "", 0, 1, 0
        self._is_over = False

    def __iter__(self) -> Iterator[tuple[Json, Position]]:
        while self._peek():
            line = self._line_now()
            if self._peek() == "{":
                yield from self._object(line)
            elif self._peek() == "[":
                yield from self._array()
            else:
                yield self._value(), Position(self._name, line)

    def _object(self, line: int) -> Iterator[tuple[Json, Position]]:
        """Yield the items of a List, or the object itself. `items` of anything else is one of its members."""
        self._at += 1
        members: dict[str, Json] = {}
        is_list = False
        while self._peek() != "}":
            if members or is_list:
                self._expect(",")
            key = self._key()
            kind = members.get("kind")
            if key == ITEMS and self._peek() == "[" and (kind is None or str(kind).endswith("List")):
                is_list = True
                for item, position in self._array():
                    yield item_of(item, members), position
            else:
                members[key] = self._value()
        self._expect("}")
        if not is_list:
            check_bounds(members, self._name, line)
            yield members, Position(self._name, line)

    def _key(self) -> str:
        if self._peek() != '"':
            self._fail("a key in double quotes is expected")
        key = self._value()
        self._expect(":")
        return str(key)

    def _array(self) -> Iterator[tuple[Json, Position]]:
        self._expect("[")
        is_first = True
        while self._peek() != "]":
            if not is_first:
                self._expect(",")
                self._peek()
            is_first = False
            line = self._line_now()
            yield self._value(), Position(self._name, line)
        self._expect("]")

    def _expect(self, char: str) -> None:
        found = self._peek()
        if found != char:
            self._fail(f"the file ends where {char!r} is expected" if not found else f"{char!r} is expected")
        self._at += 1

    def _peek(self) -> str:
        """Return the next character that is no space, empty at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _SPACE:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._fill():
                return ""

    def _value(self) -> Json:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                problem, at = error.msg, error.pos
                # The decoder says where a text begins, and not where it is torn off.
                is_torn = at + _TORN >= len(self._text) or problem.startswith("Unterminated string")
                if is_torn and self._fill():
                    continue
                problem = "the file ends within a value" if is_torn else f"not JSON: {problem}"
            except ValueError as error:
                problem, at = f"not JSON: {error}", self._at
            except RecursionError:
                problem, at = "lists and objects stand in each other too deeply", self._at
            else:
                problem, at = "", 0
            if problem:
                self._fail(problem, at)
            if end == len(self._text) and self._fill():  # a number may go on
                continue
            self._at = end
            check_bounds(value, self._name, self._line_now())
            return value

    def _fill(self) -> bool:
        """Read on, at least as much again as is held. Returns: whether there was more."""
        if self._is_over:
            return False
        self._line = self._line_now()
        self._text, self._at, self._counted = self._text[self._at :], 0, 0
        if len(self._text) > self._most:
            self._fail(f"a value goes on after {self._most:,} characters")
        data = self._stream.read(max(_CHUNK, len(self._text)))
        self._is_over = not data
        try:
            more = self._decode_bytes(data, self._is_over)
        except UnicodeDecodeError:
            self._fail("not UTF-8", len(self._text))
        self._text += more
        return bool(more) or not self._is_over

    def _line_now(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _fail(self, message: str, at: int | None = None) -> NoReturn:
        line = self._line_now() + self._text.count("\n", self._at, at if at is not None else self._at)
        why, fix = "what follows it was not read", "make the dump again, or repair the file at this line"
        raise InputError([Diagnostic(Position(self._name, line), "dump-syntax", message, why, fix)])


def is_json(start: bytes) -> bool:
    """Whether a file that begins like this is JSON."""
    return start.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")


def objects_of(stream: BinaryIO, name: str) -> Iterator[tuple[Any, Position]]:
    """Yield the objects of a stream of JSON. Raises: InputError where it cannot be read on."""
    return iter(JsonStream(stream, name))
