"""Reading files of others within limits: bytes, nodes and depth, each told with where, what and what to do.

Whatever a person hands in is read here: manifests, cases, reports, settings, lists of exceptions, types. A file that
never ends, a list in a list ten thousand deep, or a few lines of YAML that stand for gigabytes end in a message.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from harness.diagnostics import Diagnostic, InputError, Position

MOST_BYTES: Final = 64 << 20
"""Bytes of a manifest, a list of exceptions, or anything else that people write."""
MOST_REPORT: Final = 1 << 30
"""Bytes of what a run wrote: reports and recordings."""
MOST_SOURCE: Final = 32 << 20
"""Bytes of a source file; the largest of Kubernetes has 5 MB."""
MOST_NODES: Final = 2_000_000
"""Values of a document, those that its aliases stand for included; the largest object of a cluster has some 50,000."""
DEEPEST: Final = 200
"""Lists and objects in each other. What judges, reduces and prints objects calls itself for each of them."""
_CHUNK: Final = 1 << 20


def read_bounded(path: Path | str, most: int = MOST_BYTES, is_regular: bool = False) -> bytes:
    """Read a file of at most so many bytes; `is_regular` refuses pipes and devices, whose reading may never end.

    Raises: OSError, InputError for a file that is too large.
    """
    try:
        # A pipe that nobody writes to must not hold us before we know that it is one.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | (_NO_WAIT if is_regular else 0))
    except ValueError:  # a NUL in the name
        raise OSError(errno.EINVAL, "its name is no name of a file") from None
    with os.fdopen(number, "rb") as stream:
        found = os.fstat(number)
        if is_regular and not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if found.st_size > most and stat.S_ISREG(found.st_mode):
            raise _too_large(str(path), most, found.st_size)
        # What is no file has no size and may have no end; a pipe of our own has one.
        return drained(stream, str(path), min(most, MOST_BYTES) if stat.S_ISCHR(found.st_mode) else most)


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def drained(stream: BinaryIO, name: str, most: int = MOST_BYTES) -> bytes:
    """Read a stream to its end, which must come. Raises: OSError, InputError."""
    pieces, left = list[bytes](), most
    while piece := stream.read(min(_CHUNK, left + 1)):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            raise _too_large(name, most)
    return b"".join(pieces)


def lines_of(stream: BinaryIO, name: str, most: int = MOST_BYTES) -> Iterator[bytes]:
    """Yield the lines of a stream, which may go on for ever; a line may not. Raises: OSError, InputError."""
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise _too_large(name, most)
        yield line


def read_bounded_text(path: Path | str, most: int = MOST_BYTES, encoding: str = "utf-8") -> str:
    """Read a file of text, with line ends as `\\n`. Raises: OSError, UnicodeDecodeError, InputError."""
    text = read_bounded(path, most).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_checkout(path: Path | str) -> bytes:
    """Read a source file of a checkout, which may hold pipes, devices, links to them, and files without an end.

    Raises: OSError when it cannot be read, InputError when it is no regular file or too large.
    """
    try:
        return read_bounded(path, MOST_SOURCE, is_regular=True)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        why, fix = "reading a pipe or a device may never end", "take it out of the checkout, or put a file in its place"
        raise _limit(str(path), 0, "it is no regular file", why, fix) from None


def read_checkout_text(path: Path | str) -> str:
    """Read such a file as text, whatever bytes it has. Raises: OSError, InputError."""
    text = read_checkout(path).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_bounded(data: bytes, name: str, line: int = 0, most_nodes: int = MOST_NODES) -> Any:
    """Decode JSON that is neither too deep nor too large. Raises: InputError, msgspec.DecodeError, UnicodeError."""
    try:
        value = msgspec.json.decode(data)
    except RecursionError:
        raise _too_deep(name, line) from None
    check_bounds(value, name, line, most_nodes)
    return value


def check_bounds(value: Any, name: str, line: int = 0, most_nodes: int = MOST_NODES) -> None:
    """Hold a value of JSON to the limits, one level after the other. Raises: InputError."""
    level, nodes, depth = [value] if isinstance(value, dict | list) else [], 0, 0
    while level:
        depth += 1
        if depth > DEEPEST:
            raise _too_deep(name, line)
        nodes += sum(map(len, level))
        if nodes > most_nodes:
            raise _too_many(name, line, most_nodes)
        inner = [child for one in level for child in (one.values() if one.__class__ is dict else one)]
        level = [child for child in inner if child.__class__ is dict or child.__class__ is list]


def check_yaml(text: bytes | str, name: str) -> None:
    """Hold YAML to the limits before anything is built of it: an alias counts as all that it stands for.

    What is no YAML is left to whoever reads it. Raises: InputError.
    """
    import yaml  # which takes its time, and most commands read none

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    counter = _Counter(name)
    try:
        for event in yaml.parse(text, Loader=loader):
            counter.take(event)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return
    except RecursionError:
        raise _too_deep(name, counter.line) from None


class _Counter:
    """Counts the values of YAML, event by event. `sizes` are of what an alias may stand for."""

    def __init__(self, name: str) -> None:
        self.name, self.line = name, 0
        self._sizes: dict[str, int] = {}
        self._open: list[tuple[str | None, int]] = []
        self._nodes = 0
        self._kinds: Mapping[str, Callable[[Any], None]] = {
            "ScalarEvent": self._scalar,
            "AliasEvent": self._alias,
            "SequenceStartEvent": self._start,
            "MappingStartEvent": self._start,
            "SequenceEndEvent": self._end,
            "MappingEndEvent": self._end,
        }

    def take(self, event: Any) -> None:
        """Count one event. Raises: InputError."""
        self.line = event.start_mark.line + 1
        count = self._kinds.get(event.__class__.__name__)
        if count is not None:
            count(event)
        if self._nodes > MOST_NODES:
            raise _too_many(self.name, self.line, MOST_NODES)

    def _scalar(self, event: Any) -> None:
        self._nodes += 1
        if event.anchor is not None:
            self._sizes[event.anchor] = 1

    def _alias(self, event: Any) -> None:
        if any(anchor == event.anchor for anchor, _ in self._open):
            message, fix = f"*{event.anchor} stands inside of what it names", "write the value without the alias"
            raise _limit(self.name, self.line, message, "it would never end", fix)
        self._nodes += self._sizes.get(event.anchor, 1)

    def _start(self, event: Any) -> None:
        self._open.append((event.anchor, self._nodes))
        self._nodes += 1
        if len(self._open) > DEEPEST:
            raise _too_deep(self.name, self.line)

    def _end(self, event: Any) -> None:
        anchor, before = self._open.pop()
        if anchor is not None:
            self._sizes[anchor] = self._nodes - before


def _too_large(name: str, most: int, size: int = 0) -> InputError:
    message = f"it has {size:,} bytes, and at most {most:,} are read" if size else f"it goes on after {most:,} bytes"
    return _limit(name, 0, message, "a file that never ends would take all memory", "split it, or name another file")


def _too_deep(name: str, line: int) -> InputError:
    message = f"lists and objects stand in each other, more than {DEEPEST} deep"
    return _limit(name, line, message, "no object of an API needs that many", "take the inner ones out")


def _too_many(name: str, line: int, most: int) -> InputError:
    message = f"it stands for more than {most:,} values"
    return _limit(name, line, message, "aliases count as what they stand for", "split it, or write fewer aliases")


def _limit(name: str, line: int, message: str, why: str, fix: str) -> InputError:
    return InputError([Diagnostic(Position(name, line), "input-limit", message, why, fix)])


def messages_of(error: InputError) -> str:
    """Say on one line what was too much, for a note about a file that is left out."""
    return "; ".join(one.message for one in error.diagnostics)
