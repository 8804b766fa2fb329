"""Standard streams that do not end a command: one that is closed, or a full disk behind it, loses words and no finding.

What cannot be printed is told at the end, on the other stream, and the exit code says so. A reader that leaves
(`harness run | head -1`) has seen enough: the command goes on, writes its files, and ends with the code it would have.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, Final, TextIO

_NUMBERS: Final = {"stdin": 0, "stdout": 1, "stderr": 2}


class Steady(io.RawIOBase):
    """The writing end of a standard stream. `trouble` says why something could not be written, empty while all was."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.trouble = ""

    def writable(self) -> bool:
        """It is for writing."""
        return True

    def fileno(self) -> int:
        """The number of the stream, which child processes take over."""
        return self._number

    def isatty(self) -> bool:
        """Whether a person watches."""
        try:
            return os.isatty(self._number)
        except OSError:
            return False

    def write(self, data: Any, /) -> int:
        """Write, or remember why that was not possible."""
        size = memoryview(data).nbytes
        if self.trouble:
            return size
        try:
            return os.write(self._number, data)
        except OSError as error:
            if error.errno == errno.EPIPE:  # who left has seen enough, which says nothing about what was found
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._number)
                os.close(nowhere)
            else:
                self.trouble = error.strerror or str(error)
            return size


def open_missing() -> bool:
    """Open streams that were closed before we came, so that no file gets their number. Returns: whether output was."""
    lost = False
    for name, number in _NUMBERS.items():
        try:
            os.fstat(number)
        except OSError:
            lost = lost or name == "stdout"
            found = os.open(os.devnull, os.O_RDWR)
            if found != number:
                os.dup2(found, number)
                os.close(found)
        if getattr(sys, name) is None:
            stream = io.FileIO(number, "r" if number == 0 else "w", closefd=False)
            setattr(
                sys, name, io.TextIOWrapper(io.BufferedReader(stream) if number == 0 else io.BufferedWriter(stream))
            )
    return lost


def steady_streams() -> Steady:
    """Put steady streams in the place of standard output and standard error. Returns: that of standard output."""
    lost = open_missing()
    out = Steady(1)
    if lost:
        out.trouble = "it was closed"
    sys.stdout = _text(out, sys.stdout)
    sys.stderr = _text(Steady(2), sys.stderr)
    return out


def _text(raw: Steady, like: TextIO) -> io.TextIOWrapper:
    buffer = io.BufferedWriter(raw)
    watched = raw.isatty() or raw.fileno() == 2
    return io.TextIOWrapper(buffer, like.encoding, "backslashreplace", line_buffering=watched)
