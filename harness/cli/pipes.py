"""What becomes of output that nobody reads any more: `harness run | head -1`.

A reader that leaves has seen enough, and says nothing about what was found. The command goes on to its end, writes its
files, and ends with the exit code it would have had; what it still prints is dropped.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from typing import Any, TextIO


class _Outlasting(io.RawIOBase):
    """A pipe to write to. Once its reader has left, all that is written goes nowhere."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        try:
            return os.write(self._descriptor, data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._descriptor)
            os.close(nowhere)
            return memoryview(data).nbytes


def outlast_readers() -> None:
    """Let this process go on when whoever reads its output leaves."""
    sys.stdout = _outlasting(sys.stdout)
    sys.stderr = _outlasting(sys.stderr)


def _outlasting(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or not _is_pipe(stream):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Outlasting(stream.fileno())), stream.encoding, stream.errors,
        line_buffering=stream.line_buffering, write_through=stream.write_through,
    )  # fmt: skip


def _is_pipe(stream: TextIO) -> bool:
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
