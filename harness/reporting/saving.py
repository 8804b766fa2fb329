"""Writing what was found, so that a full disk or a read-only folder loses nothing.

A file is written next to its place and moved there in one step: a reader sees the old file or the new one. When that
fails the temporary folder is tried, and when that fails too the caller is told to print.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Saved:
    """Where something was written: `path` is None when nowhere, `trouble` says why not in the wanted place."""

    wanted: Path
    path: Path | None
    trouble: str = ""


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file in one step. What is no ordinary file (a pipe, a device) is written as it is.

    Raises: OSError; then nothing is left behind.
    """
    if path.exists() and not path.is_file():
        with open(path, "wb") as stream:
            stream.write(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    target = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def save(path: Path, data: bytes) -> Saved:
    """Write a file, or the same under the temporary folder, or say that neither was possible."""
    try:
        write_atomically(path, data)
        return Saved(path, path)
    except OSError as error:
        trouble = f"{path} could not be written: {error.strerror or error}"
    try:
        folder = Path(tempfile.mkdtemp(prefix="harness-"))
        write_atomically(folder / (path.name or "report"), data)
        return Saved(path, folder / (path.name or "report"), trouble)
    except OSError as error:
        return Saved(path, None, f"{trouble}; nor could the temporary folder: {error.strerror or error}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
