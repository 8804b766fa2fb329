"""Parses a comment line to a Tag, `+k8s:eachVal=+k8s:maxLength=5`, with the position of every part.

Knows only the syntax: names, scopes and payloads are checked in `registry.py`. Source: semantics.md#1.2, #1.3.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NoReturn, TypeAlias

from harness.diagnostics import Diagnostic, InputError, Position
from harness.gotypes.model import CommentLine

NOWHERE = Position("")

_MAX_DEPTH = 64
"""At most this many nested tags: more than any tag accepts, and few enough for Python's stack."""
_MAX_SHOWN = 200
"""At most this many characters of a tag's name in a message; the position has the line."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
"""The ASCII part of a name, usually the whole name. Letters of other scripts that follow are checked one by one."""

ScalarKind: TypeAlias = Literal["string", "int", "bool"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """An argument or payload. `text` is as written, quotes and escapes undone; `offset` counts from the `+`."""

    kind: ScalarKind
    text: str
    value: str | int | bool
    offset: int = 0

    def __str__(self) -> str:
        """The scalar as it can be written: in quotes where the bare text would be something else."""
        if self.kind != "string" or (self.text not in ("true", "false") and _is_ident(self.text)):
            return self.text
        return '"' + self.text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument of a tag; `name` is empty when it is positional."""

    name: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag with its payload, which may be another tag.

    `position` is that of this tag's `+`, `width` the length of its name with the `+`; `source` is the comment line.
    """

    name: str
    args: tuple[Arg, ...] = ()
    value: Tag | Scalar | None = None
    position: Position = NOWHERE
    source: str = ""

    @property
    def width(self) -> int:
        """How many characters a caret line marks."""
        return len(self.name) + 1

    @property
    def payload(self) -> Tag | None:
        """The tag that is this tag's value, if any."""
        return self.value if isinstance(self.value, Tag) else None

    @property
    def scalar(self) -> Scalar | None:
        """The scalar that is this tag's value, if any."""
        return self.value if isinstance(self.value, Scalar) else None

    def arg(self, name: str = "") -> Scalar | None:
        """Return a named argument, or the positional one."""
        return next((arg.value for arg in self.args if arg.name == name), None)

    def __str__(self) -> str:
        args = ", ".join(f"{a.name}: {a.value}" if a.name else str(a.value) for a in self.args)
        value = "" if self.value is None else f"={self.value}"
        return f"+{self.name}" + (f"({args})" if args else "") + value


@dataclass(frozen=True, slots=True)
class TagLine:
    """A comment line that starts with `+`: the tag's name, the text from the `+` on, and its position."""

    name: str
    text: str
    position: Position
    source: str


class TagSyntaxError(Exception):
    """Text that is not a tag. `offset` counts from the text's first character."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


def tag_lines(comments: Iterable[CommentLine]) -> Iterator[TagLine]:
    """Yield the lines of a block that hold a tag, in source order. A `+` within a line does not start a tag."""
    for line in comments:
        if "+" in line.text and (text := line.text.lstrip(" \t")).startswith("+"):
            column = line.position.column + len(line.text) - len(text) if line.position.column else 0
            yield TagLine(name_of(text), text, Position(line.position.file, line.position.line, column), line.text)


@lru_cache(maxsize=1 << 13)
def name_of(text: str) -> str:
    """Return the longest name after the `+`; empty when there is none."""
    return text[1 : _end_of_name(text, 1)]


def parse_line(line: TagLine, read: Callable[[TagLine], Tag] | None = None) -> Tag:
    """Parse a line's tag, with `read` where its syntax is another. Raises: InputError with one diagnostic."""
    try:
        return parse(line.text, line.position) if read is None else read(line)
    except TagSyntaxError as error:
        raise InputError([_syntax_diagnostic(line, error)]) from None


def _syntax_diagnostic(line: TagLine, error: TagSyntaxError) -> Diagnostic:
    start = line.position
    column = start.column + error.offset if start.column else 0
    source = " " * (start.column - 1) + line.text if start.column else line.text
    name = line.name if len(line.name) <= _MAX_SHOWN else line.name[:_MAX_SHOWN] + "..."
    return Diagnostic(
        Position(start.file, start.line, column),
        "tag-syntax",
        f"+{name} does not parse: {error.message}",
        why="a tag is +name, +name(argument), +name(name: value, ...), each perhaps with =value or =+another-tag",
        fix=_syntax_fix(line.text),
        source=source if len(source) <= 2 * _MAX_SHOWN else "",
    )


def _syntax_fix(text: str) -> str:
    if "//" in text:
        return "a remark after a tag starts with #"
    if "," in text and "(" not in text:
        return "one tag per value: repeat the tag instead of listing values with commas"
    return "no spaces around = and inside (); quote a value that is not a plain word or number"


@lru_cache(maxsize=1 << 14)
def parse(text: str, position: Position = NOWHERE) -> Tag:
    """Parse the text of one tag, `+` included. Raises: TagSyntaxError."""
    return _Parser(text, position).parse()


def _end_of_name(text: str, start: int) -> int:
    """Return where the name ends that begins at `start`: there, when there is none."""
    found = _NAME.match(text, start)
    end = found.end() if found else start
    while end < len(text) and _in_name(text[end], end == start):
        end += 1
    return end


def _in_name(char: str, first: bool) -> bool:
    return char == "_" or char.isalpha() or (not first and (char.isdigit() or char in ".-:"))


def _end_of_ident(text: str, start: int) -> int:
    """Return where the word ends that begins at `start`: a name without colons."""
    end = _end_of_name(text, start)
    colon = text.find(":", start, end)
    return end if colon < 0 else colon


def _is_ident(text: str) -> bool:
    return bool(text) and _end_of_ident(text, 0) == len(text)


class _Parser:
    """Reads one tag from left to right; `at` is the index of the next character."""

    def __init__(self, text: str, position: Position) -> None:
        self.text = text.rstrip()
        self.at = len(text) - len(text.lstrip())
        self.position = position
        self.depth = 0

    def parse(self) -> Tag:
        tag = self._tag()
        while self._peek() in (" ", "\t"):
            self.at += 1
        if self._peek() not in ("", "#"):
            self._unexpected()
        return tag

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _accept(self, char: str) -> bool:
        if self._peek() != char:
            return False
        self.at += 1
        return True

    def _fail(self, message: str, offset: int | None = None) -> NoReturn:
        raise TagSyntaxError(message, self.at if offset is None else offset)

    def _unexpected(self) -> NoReturn:
        char = self._peek()
        self._fail(f"unexpected character {char!r} at position {self.at}" if char else "unexpected end of input")

    def _tag(self) -> Tag:
        start = self.at
        if not self._accept("+"):
            self._unexpected()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self._fail("tags are nested too deeply", start)
        name = self._word(_end_of_name(self.text, self.at))
        empty_args = False
        args: tuple[Arg, ...] = ()
        if self._accept("("):
            args = self._args()
            empty_args = not args
        value = self._value(empty_args) if self._accept("=") else None
        column = self.position.column + start if self.position.column else 0
        where = Position(self.position.file, self.position.line, column)
        return Tag(name, args, value, where, " " * (self.position.column - 1) + self.text)

    def _word(self, end: int) -> str:
        if end == self.at:
            self._unexpected()
        start, self.at = self.at, end
        return self.text[start:end]

    def _value(self, empty_args: bool) -> Tag | Scalar | None:
        if self._peek() == "" and empty_args:
            return None  # `a()=` is accepted as "no value"; `a=` is not
        if self._peek() == "+" and not self.text[self.at + 1 : self.at + 2].isdigit():
            return self._tag()
        return self._scalar()

    def _args(self) -> tuple[Arg, ...]:
        if self._accept(")"):
            return ()
        first = self._arg()
        if first is None or not first.name:
            return self._close_positional(first)
        args = [first]
        while self._accept(","):
            self._spaces()
            if self._peek() == ")":
                break  # a dangling comma is dropped
            if (arg := self._arg()) is not None:
                if not arg.name:
                    self._fail("can't mix named and positional arguments", arg.value.offset)
                args.append(arg)
        if not self._accept(")"):
            self._unexpected()
        return tuple(args)

    def _close_positional(self, arg: Arg | None) -> tuple[Arg, ...]:
        if self._peek() == ",":
            after = self.text[self.at + 1 :].lstrip()
            word = name_of("+" + after)
            mixed = arg is not None and ":" in after.partition(")")[0] and bool(word)
            self._fail(
                "can't mix named and positional arguments"
                if mixed
                else "multiple arguments must use 'name: value' syntax"
            )
        if not self._accept(")"):
            self._unexpected()
        return (arg,) if arg is not None else ()

    def _arg(self) -> Arg | None:
        """Read one argument; None for a dangling `name:`."""
        value = self._scalar()
        if value.kind == "int" or self.text[value.offset : value.offset + 1] in ('"', "`") or not self._accept(":"):
            return Arg("", value)
        self._spaces()
        if self._peek() == ")":
            return None
        return Arg(value.text, self._scalar())

    def _spaces(self) -> None:
        while self._accept(" "):
            pass

    def _scalar(self) -> Scalar:
        start, char = self.at, self._peek()
        if char in ('"', "`") and char:
            text = self._string(char)
            return Scalar("string", text, text, start)
        if char.isdigit() or (char and char in "+-"):
            return self._number(start)
        text = self._word(_end_of_ident(self.text, self.at))
        if text in ("true", "false"):
            return Scalar("bool", text, text == "true", start)
        return Scalar("string", text, text, start)

    def _string(self, quote: str) -> str:
        self.at += 1
        out: list[str] = []
        while not self._accept(quote):
            char = self._peek()
            if not char:
                self._fail("unterminated string")
            self.at += 1
            if char == "\\":
                char = self._peek()
                if char not in (quote, "\\"):
                    self._fail(f"unhandled escaped character {char!r}")
                self.at += 1
            out.append(char)
        return "".join(out)

    def _number(self, start: int) -> Scalar:
        self.at += 1
        while self._peek().isascii() and self._peek().isalnum():
            self.at += 1
        text = self.text[start : self.at]
        value = go_int(text)
        if value is None:
            self._fail(f"invalid number {text!r}", start)
        return Scalar("int", text, value, start)


def go_int(text: str) -> int | None:
    """Read an int64 as Go does with base 0; None if it is not an int64."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    try:
        value = int(digits, 8) if len(digits) > 1 and digits[0] == "0" and digits.isdigit() else int(digits, 0)
    except ValueError:
        return None
    value = -value if text.startswith("-") else value
    return value if digits[:1].isdigit() and "_" not in digits and -(2**63) <= value < 2**63 else None


def int_error(scalar: Scalar, what: str = "int", function: str = "Atoi") -> str:
    """Return Go's error for an integer that is not in canonical decimal form (semantics.md#1.3); empty if it is."""
    text = scalar.text
    if canonical_int(scalar) is not None and (what == "int" or not text.startswith("-")):
        return ""
    digits = text if what == "uint" else text.removeprefix("-").removeprefix("+")
    if digits.isascii() and digits.isdigit():
        return f'"{text}" is not a valid {what} value'
    return f'parsing "{text}" as {what}: strconv.{function}: parsing "{text}": invalid syntax'


def canonical_int(scalar: Scalar) -> int | None:
    """Return the integer of a scalar in canonical decimal form; None for `0x3`, `+5`, `007`.

    Source: semantics.md#1.3.
    """
    try:
        value = int(scalar.text, 10)
    except ValueError:
        return None
    return value if str(value) == scalar.text else None
