"""Standard streams whose write errors do not end a command, so that its files are written and no finding is lost.

* Closed standard output, or a full disk: the text is lost, the error is printed to standard error at the end, and the
  exit code is 2.
* A closed pipe (`harness run | head -1`): the text is dropped, and the exit code stays as it would have been.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, Final, TextIO

_DESCRIPTORS: Final = {"stdin": 0, "stdout": 1, "stderr": 2}


class SafeStream(io.RawIOBase):
    """The writing end of a standard stream. `error` is why a write failed, empty while none did."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.error = ""

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor, which child processes inherit."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        try:
            return os.isatty(self._descriptor)
        except OSError:
            return False

    def write(self, data: Any, /) -> int:
        """Write, or record the error. Later writes are dropped once one failed."""
        size = memoryview(data).nbytes
        if self.error:
            return size
        try:
            return os.write(self._descriptor, data)
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader of a pipe closed it: not an error
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, self._descriptor)
                os.close(null)
            else:
                self.error = error.strerror or str(error)
            return size


def open_closed_streams() -> bool:
    """Open the null device for each closed standard stream, because else the next file would get its descriptor.

    Returns: whether standard output was closed.
    """
    was_closed = False
    for name, number in _DESCRIPTORS.items():
        try:
            os.fstat(number)
        except OSError:
            was_closed = was_closed or name == "stdout"
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
        if getattr(sys, name) is None:
            stream = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
            setattr(
                sys, name, io.TextIOWrapper(io.BufferedReader(stream) if number == 0 else io.BufferedWriter(stream))
            )
    return was_closed


def install_safe_streams() -> SafeStream:
    """Replace standard output and standard error by safe streams. Returns: that of standard output."""
    was_closed = open_closed_streams()
    out = SafeStream(1)
    if was_closed:
        out.error = "it was closed"
    sys.stdout = _text_stream(out, sys.stdout)
    sys.stderr = _text_stream(SafeStream(2), sys.stderr)
    return out


def _text_stream(raw: SafeStream, replaced: TextIO) -> io.TextIOWrapper:
    by_line = raw.isatty() or raw.fileno() == 2
    return io.TextIOWrapper(io.BufferedWriter(raw), replaced.encoding, "backslashreplace", line_buffering=by_line)
