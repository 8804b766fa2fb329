"""Reads one Go source file as text: lines, comment groups and build constraints, but not declarations.

Comment groups are those of Go's own parser: neighbouring comments without code or a blank line between them; a comment
behind code on the same line is a group of its own. Source of the rules: semantics.md#1.1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from stat import S_ISREG
from sys import intern

from harness.diagnostics import Diagnostic, Position
from harness.gotypes.model import CommentLine, Comments

LARGEST = 4 << 20
"""At most this many bytes of a file are read; the largest types.go of Kubernetes has a tenth of that."""

_TOKEN = re.compile(
    # Loops are unrolled, so that none can go back: possessive ones match a line too many in Python before 3.11.5.
    # So many lines at once bound what a match remembers. A group matches where a token has no end.
    rb"""//[^\n]*(?:\n[ \t]*//[^\n]*){0,1000}              # comments to the end of the line, one below the other
       | /\*(?s:.*?)(?:\*/|(?P<comment>\Z))              # a comment in slashes and stars
       | "[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|(?P<string>))  # a string
       | `[^`]*(?:`|(?P<raw>\Z))                         # a raw string
       | '[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'?                 # a rune, or an open one
    """,
    re.VERBOSE,
)
_OPEN = {"comment": ("comment", "*/"), "string": ("string", '"'), "raw": ("raw string", "`")}
"""The message about an unterminated token, and its terminator, by the group of the pattern."""
_DIRECTIVE = re.compile(r"(?:line |extern |export |[a-z0-9]+:[a-z0-9])")
_CONSTRAINT = re.compile(r"//go:build\s+(.*)|//\s*\+build\s+(ignore)\s*$")
_SYSTEMS = "aix|android|darwin|dragonfly|freebsd|illumos|ios|js|netbsd|openbsd|plan9|solaris|wasip1|windows"
_OTHER_SYSTEM = re.compile(rf"_(?:{_SYSTEMS})(?:_[a-z0-9]+)?\.go$")
# Rewriting turns a constraint into T or F; and binds closer than or because it is rewritten first.
_TRUTH = {"&&": "&", "||": "|", "!": "!", "(": "(", ")": ")"}
_REDUCTIONS = (
    (re.compile(r"!T|\(F\)"), "F"),
    (re.compile(r"!F|\(T\)"), "T"),
    (re.compile(r"T&T"), "T"),
    (re.compile(r"F&[TF]|T&F"), "F"),
    (re.compile(r"(?<![&!])(?:T\|[TF]|F\|T)(?!&)"), "T"),
    (re.compile(r"(?<![&!])F\|F(?!&)"), "F"),
)
_TRUE_TAGS = frozenset({"linux", "unix", "amd64", "gc", "cgo"})


@dataclass(frozen=True, slots=True)
class CommentGroup:
    """Comments that Go's parser keeps together. Units: lines count from 1; `end` is the line of the last character."""

    start: int
    end: int
    lines: Comments


@dataclass(frozen=True)
class SourceText:
    """The text of one file. `data` is valid UTF-8; `trouble` says what kept it from being read as it stands."""

    file: str
    data: bytes
    trouble: tuple[Diagnostic, ...] = ()

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the text; comments and strings that do not end, when nothing worse."""
        return self.trouble or tuple(_open_tokens(self))

    @cached_property
    def _tokens(self) -> tuple[list[tuple[int, bytes]], list[tuple[int, str]]]:
        """Where comments begin, with their text, and where tokens without end do, with their kind."""
        comments, unended = [], []
        for found in _TOKEN.finditer(self.data):
            if found.lastgroup:
                unended.append((found.start(), found.lastgroup))
            if found[0][:1] == b"/":
                comments.append((found.start(), found[0]))
        return comments, unended

    @property
    def comments(self) -> list[tuple[int, bytes]]:
        """The start and text, with markers, of each comment; adjacent line comments count as one."""
        return self._tokens[0]

    @property
    def unended(self) -> list[tuple[int, str]]:
        """The start and kind of each unterminated token."""
        return self._tokens[1]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *map(re.Match.end, re.finditer(b"\n", self.data))]

    def line_of(self, offset: int) -> int:
        """Return the line of a byte, from 1."""
        return bisect_right(self._line_starts, offset)

    def line_text(self, line: int) -> str:
        """Return the text of a line without its line end."""
        starts = self._line_starts
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] if line < len(starts) else len(self.data)
        return self.data[starts[line - 1] : end].decode("utf-8", "replace").rstrip("\r\n")

    def position(self, offset: int) -> Position:
        """Return the position of a byte. Units: columns are characters."""
        line = self.line_of(offset)
        before = self.data[self._line_starts[line - 1] : offset]
        return Position(self.file, line, len(before.decode("utf-8", "replace")) + 1)

    def diagnose(self, offset: int, code: str, message: str, why: str, fix: str, width: int = 1) -> Diagnostic:
        """Make a diagnostic about the text at a byte."""
        position = self.position(min(offset, len(self.data)))
        text = self.line_text(position.line)
        if len(text) > 200:  # a line that long helps nobody; the position says where
            text = ""
        return Diagnostic(position, code, message, why, fix, text, max(1, min(width, len(text) + 1)))

    @cached_property
    def groups(self) -> tuple[CommentGroup, ...]:
        """The comment groups, in order."""
        return tuple(_groups(self))

    @cached_property
    def groups_by_end(self) -> dict[int, CommentGroup]:
        """The last group that ends on a line, by that line."""
        return {group.end: group for group in self.groups}

    def comments_above(self, line: int) -> tuple[Comments, Comments]:
        """The closest and the second closest block of what stands on a line (semantics.md#1.1)."""
        closest = self.groups_by_end.get(line - 1)
        start = closest.start if closest else line
        second = self.groups_by_end.get(start - 2)
        return closest.lines if closest else (), second.lines if second else ()


def read_source(path: Path) -> SourceText:
    """Read a file. An unreadable file results in a source without data, with a diagnostic of the reason."""
    file = str(path)
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):  # a pipe would be waited for
            return _refused(file, "go-unreadable", "this is no file", "name a file that ends in .go")
        if found.st_size > LARGEST:
            return _refused(file, "go-too-large", f"the file has more than {LARGEST >> 20} MiB", "split the file")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        message = f"cannot read the file: {getattr(error, 'strerror', None) or error}"
        return _refused(file, "go-unreadable", message, "check the path and its permissions")
    return source_of(file, data)


def source_of(file: str, data: bytes) -> SourceText:
    """Take the content of a file."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if len(data) > LARGEST:
        return _refused(file, "go-too-large", f"the file has more than {LARGEST >> 20} MiB", "split the file")
    if not data.strip():
        return _refused(file, "go-empty", "the file is empty", "write a package clause, such as: package v1")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        good = SourceText(file, data[: error.start])
        position = good.position(error.start)
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        why = "Go source is UTF-8; the rest of the file was read with the byte replaced"
        found = Diagnostic(position, "go-encoding", message, why, "save the file as UTF-8")
        return SourceText(file, data.decode("utf-8", "replace").encode(), (found,))
    return SourceText(file, data)


def is_left_out(source: SourceText) -> bool:
    """Whether build constraints or the name of a file exclude it from a build on Linux."""
    if _OTHER_SYSTEM.search(source.file):
        return True
    head = source.data[: _package_offset(source.data)].decode("utf-8", "replace")
    for line in head.splitlines():
        if found := _CONSTRAINT.match(line.strip()):
            return bool(found[2]) or not _holds(found[1])
    return False


def _package_offset(data: bytes) -> int:
    """Return the start of the package clause, after comments."""
    for found in re.finditer(rb"^package\b", data, re.MULTILINE):
        return found.start()
    return len(data)


def _holds(constraint: str) -> bool:
    """Evaluate `//go:build`. An invalid expression counts as true, so that a typo does not exclude a file."""
    words = re.findall(r"[\w.]+|&&|\|\||\S", constraint)[:100]
    text = "".join(_TRUTH.get(word) or "FT"[word in _TRUE_TAGS or word.startswith("go1.")] for word in words)
    for _ in range(len(words)):
        for pattern, result in _REDUCTIONS:
            text = pattern.sub(result, text)
    return text != "F"


def _refused(file: str, code: str, message: str, fix: str) -> SourceText:
    """Make a source without text."""
    return SourceText(file, b"", (Diagnostic(Position(file), code, message, "no types were read from it", fix),))


def ended(source: SourceText) -> bytes:
    """Return the text before an unterminated comment or raw string, which contains the rest of the file."""
    return source.data[: next((start for start, kind in source.unended if kind != "string"), None)]


def _open_tokens(source: SourceText) -> Iterator[Diagnostic]:
    """Yield diagnostics for unterminated comments and strings."""
    for start, kind in source.unended:
        what, end = _OPEN[kind]
        why = f"the {what} that begins here has no end"
        yield source.diagnose(start, "go-unterminated", f"{what} not terminated", why, f"add {end}")


def _groups(source: SourceText) -> Iterator[CommentGroup]:
    """Group the comments of a file, as Go's parser does."""
    data = source.data
    group: list[tuple[int, bytes]] = []
    end_line = end = 0
    trailing = False
    for start, text in source.comments:
        line = source.line_of(start)
        code_between = bool(data[end:start].strip())
        if group and (code_between or line > end_line + (0 if trailing else 1)):
            yield _group(source, group, end_line)
            group = []
        if not group:
            line_start = data.rfind(b"\n", 0, start) + 1
            trailing = bool(data[max(line_start, end) : start].strip())
        end = start + len(text)
        if trailing and text.startswith(b"//") and b"\n" in text:  # only the first line stands behind code
            first, _, text = text.partition(b"\n")
            yield _group(source, [*group, (start, first)], line)
            group, start, trailing = [], start + len(first) + 1, False
        group.append((start, text))
        end_line = source.line_of(max(start, end - 1))
    if group:
        yield _group(source, group, end_line)


def _group(source: SourceText, comments: list[tuple[int, bytes]], end: int) -> CommentGroup:
    """Strip markers, directives and blank lines around and between, as Go does."""
    kept: list[CommentLine] = []
    for start, raw in comments:
        for line in _lines_of(source.position(start), raw.decode("utf-8", "replace")):
            if line.text or (kept and kept[-1].text):
                kept.append(line)
    while kept and not kept[-1].text:
        kept.pop()
    return CommentGroup(source.line_of(comments[0][0]), end, tuple(kept))


def _shared(text: str) -> str:
    """Return a line without blanks at its end; two of three stand in other versions of the types as well."""
    return intern(text.rstrip())


def _lines_of(position: Position, raw: str) -> Iterator[CommentLine]:
    """The lines of a comment without its markers."""
    line, column = position.line, position.column
    if raw.startswith("/*"):
        for text in raw[2:].removesuffix("*/").split("\n"):
            yield CommentLine(_shared(text), Position(position.file, line, column + 2 if line == position.line else 1))
            line += 1
        return
    for text in raw.split("\n"):
        before, _, text = text.partition("//")
        column += len(before) + 2
        if text.startswith(" "):
            yield CommentLine(_shared(text[1:]), Position(position.file, line, column + 1))
        elif not _DIRECTIVE.match(text):
            yield CommentLine(_shared(text), Position(position.file, line, column))
        line, column = line + 1, 1
