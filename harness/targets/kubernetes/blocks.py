"""Lists the blocks of code that a program with Go's coverage counters has, as the program itself describes them.

The program writes its meta-data to the folder that GOCOVERDIR names. Source of the format: internal/coverage/defs.go of
Go 1.26, version 1 since Go 1.20 (2026-11).
"""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.diagnostics import TargetError
from harness.limits import read_bounded
from harness.targets.kubernetes.build import COVERED, worker_for
from harness.targets.kubernetes.gomodule import MODULE
from harness.targets.kubernetes.release import Toolchain, find_release

_MAGIC, _VERSION = b"\0cvm", 1
_FILE = struct.Struct("<4sIQQ16sIIBB6x")
_PACKAGE = struct.Struct("<IIII16s4xII")
_TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Statements that run together. `number` is what answers call it; `file` begins with the path of its package.

    It starts and ends at a line and a column in bytes, both from 1.
    """

    number: int
    file: str
    function: str
    start: tuple[int, int]
    end: tuple[int, int]
    statements: int

    @property
    def package(self) -> str:
        """The import path of its package."""
        return self.file.rpartition("/")[0]


class CountedCode(NamedTuple):
    """The blocks that a program counts, and the folder and the import path of the module that has them."""

    blocks: tuple[CodeBlock, ...]
    root: Path
    module: str


def blocks_of_release(location: str) -> tuple[CodeBlock, ...]:
    """List the blocks of handwritten validators of a release or checkout. Raises: TargetError."""
    return list_blocks(worker_for(find_release(location), lambda text: None, COVERED))


def require_counters(toolchain: Toolchain) -> None:
    """Require that a Go builds programs with coverage counters. Raises: TargetError if it refuses."""
    command = [str(toolchain.go), "build", "-n", "-cover", "errors"]  # -n: nothing is built
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    except (OSError, subprocess.SubprocessError):
        return  # building says what is wrong
    if "-cover" in done.stderr and done.returncode != 0:
        said = done.stderr.strip().partition("\n")[0]
        raise TargetError(
            f"{toolchain.version} builds no programs that count their code",
            why=f"go build says: {said}",
            fix="install Go 1.20 or newer, without GOEXPERIMENT=nocoverageredesign",
        )


def list_blocks(binary: Path, own: str = MODULE, arguments: Sequence[str] = ("-check-gates",)) -> tuple[CodeBlock, ...]:
    """List the blocks of a program that was built with -cover, without those of its `own` package, which is ours.

    With `arguments` and without input it ends by itself. Raises: TargetError.
    """
    with tempfile.TemporaryDirectory(prefix="harness-blocks-") as folder:
        try:
            command = [str(binary), *arguments]
            environment = {**os.environ, "GOCOVERDIR": folder}
            subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT, env=environment, check=True
            )
            (file,) = Path(folder).glob("covmeta.*")
            return tuple(block for block in _blocks(read_bounded(file)) if block.package != own)
        except (OSError, ValueError, IndexError, struct.error, subprocess.SubprocessError) as error:
            raise TargetError(
                "the worker does not tell which code it has counters for",
                why=str(error),
                fix=f"delete {binary.parent}: it is built again; with another version of Go, update the harness",
            ) from error


def _blocks(data: bytes) -> Iterator[CodeBlock]:
    """Read the meta-data of a program. Raises: ValueError, IndexError, struct.error."""
    magic, version, _, packages, *_ = _FILE.unpack_from(data)
    if magic != _MAGIC or version != _VERSION:
        raise ValueError(f"its meta-data has version {version}, and {_VERSION} is known")
    places = struct.unpack_from(f"<{packages}Q", data, _FILE.size)
    for number, place in enumerate(places):
        yield from _blocks_of_package(data[place:], number)


def _blocks_of_package(data: bytes, package: int) -> Iterator[CodeBlock]:
    *_, functions = _PACKAGE.unpack_from(data)
    places = struct.unpack_from(f"<{functions}I", data, _PACKAGE.size)
    strings = list(_strings(_Numbers(data, _PACKAGE.size + 4 * functions)))
    for number, place in enumerate(places):
        numbers = _Numbers(data, place)
        blocks, function, file = numbers.next(), strings[numbers.next()], strings[numbers.next()]
        for block in range(blocks):
            line, column, end_line, end_column, statements = (numbers.next() for _ in range(5))
            yield CodeBlock(
                package << 40 | number << 20 | block, file, function, (line, column), (end_line, end_column), statements
            )


def _strings(numbers: _Numbers) -> Iterator[str]:
    for _ in range(numbers.next()):
        size = numbers.next()
        yield numbers.take(size).decode()


class _Numbers:
    """Reads numbers of variable length (ULEB128), one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    def next(self) -> int:
        """Return the next number."""
        value = shift = 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        self._at += size
        return self._data[self._at - size : self._at]
