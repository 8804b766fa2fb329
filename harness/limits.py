"""Reads input files within limits on bytes, nodes and depth, and reports each violation as a diagnostic.

All user input is read here: manifests, cases, reports, settings, lists of exceptions, types. An endless file, a list
nested ten thousand deep, or a few lines of YAML whose aliases expand to gigabytes result in a message.
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

MAX_BYTES: Final = 64 << 20
"""At most this many bytes of a manifest, a list of exceptions, or another file written by hand."""
MAX_REPORT: Final = 1 << 30
"""At most this many bytes of a report or a recording, which a run wrote."""
MAX_SOURCE: Final = 32 << 20
"""At most this many bytes of a source file; the largest of Kubernetes has 5 MB."""
MAX_NODES: Final = 2_000_000
"""At most this many values of a document, with its aliases expanded; the largest object of a cluster has 50,000."""
DEEPEST: Final = 200
"""At most this many nested lists and objects, because the functions that process objects are recursive."""
_CHUNK: Final = 1 << 20


def read_bounded(path: Path | str, most: int = MAX_BYTES, is_regular: bool = False) -> bytes:
    """Read a file of at most `most` bytes. `is_regular` rejects pipes and devices, whose reading may never end.

    Raises: OSError, InputError for a file that is too large.
    """
    try:
        # Opening a pipe without a writer must not block before its type is known.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | (_NO_WAIT if is_regular else 0))
    except ValueError:  # a NUL in the name
        raise OSError(errno.EINVAL, "its name is no name of a file") from None
    with os.fdopen(number, "rb") as stream:
        found = os.fstat(number)
        if is_regular and not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if found.st_size > most and stat.S_ISREG(found.st_mode):
            raise _too_large(str(path), most, found.st_size)
        # A device may be endless, so its limit is lower; a pipe from a shell ends.
        return read_stream(stream, str(path), min(most, MAX_BYTES) if stat.S_ISCHR(found.st_mode) else most)


_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def read_stream(stream: BinaryIO, name: str, most: int = MAX_BYTES) -> bytes:
    """Read a stream to its end. Raises: OSError, InputError when it is longer than `most` bytes."""
    pieces, left = list[bytes](), most
    while piece := stream.read(min(_CHUNK, left + 1)):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            raise _too_large(name, most)
    return b"".join(pieces)


def lines_of(stream: BinaryIO, name: str, most: int = MAX_BYTES) -> Iterator[bytes]:
    """Yield the lines of a stream, which may be endless. Raises: OSError, InputError for a line that is too long."""
    while line := stream.readline(most + 1):
        if len(line) > most:
            raise _too_large(name, most)
        yield line


def read_bounded_text(path: Path | str, most: int = MAX_BYTES, encoding: str = "utf-8") -> str:
    """Read a text file, with line ends as `\\n`. Raises: OSError, UnicodeDecodeError, InputError."""
    text = read_bounded(path, most).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_checkout(path: Path | str) -> bytes:
    """Read a source file of a checkout, which may contain pipes, devices, and links to them.

    Raises: OSError when it cannot be read, InputError when it is not a regular file or too large.
    """
    try:
        return read_bounded(path, MAX_SOURCE, is_regular=True)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        why, fix = "reading a pipe or a device may never end", "take it out of the checkout, or put a file in its place"
        raise _limit(str(path), 0, "it is no regular file", why, fix) from None


def read_checkout_text(path: Path | str) -> str:
    """Read a source file of a checkout as text, replacing invalid bytes. Raises: OSError, InputError."""
    text = read_checkout(path).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_bounded(data: bytes, name: str, line: int = 0, most_nodes: int = MAX_NODES) -> Any:
    """Decode JSON within the limits on depth and values. Raises: InputError, msgspec.DecodeError, UnicodeError."""
    try:
        value = msgspec.json.decode(data)
    except RecursionError:
        raise _too_deep(name, line) from None
    check_bounds(value, name, line, most_nodes)
    return value


def check_bounds(value: Any, name: str, line: int = 0, most_nodes: int = MAX_NODES) -> None:
    """Check the depth and the number of values of JSON, level by level. Raises: InputError."""
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
    """Check the limits of YAML before it is loaded. An alias counts as all values of its anchor.

    Invalid YAML passes: its loader reports it. Raises: InputError.
    """
    import yaml  # slow to import, and most commands do not read YAML

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    counter = _Counter(name)
    try:
        for event in yaml.parse(text, Loader=loader):
            counter.take(event)
    except yaml.MarkedYAMLError as error:
        # libyaml has a limit too, and reads 1,024 characters ahead: it can complain before the first list is counted.
        if "nesting depth" in (error.problem or ""):
            raise _too_deep(name, error.problem_mark.line + 1 if error.problem_mark else counter.line) from None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return
    except RecursionError:
        raise _too_deep(name, counter.line) from None


class _Counter:
    """Counts the values of YAML, event by event, and the values of each anchor."""

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
        if self._nodes > MAX_NODES:
            raise _too_many(self.name, self.line, MAX_NODES)

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
    """Join the messages of an error on one line, for a note about a skipped file."""
    return "; ".join(one.message for one in error.diagnostics)
