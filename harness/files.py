"""Writing a file in one step: a reader sees the old one or the new one, never a half. Folders that stay small."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


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


def forget_old(folder: Path, pattern: str, most: int) -> None:
    """Delete all but so many files of a folder that match a pattern: those go that were touched least recently.

    Raises: OSError, such as when somebody else deletes one at the same time.
    """
    entries = sorted(folder.glob(pattern), key=lambda place: place.stat().st_mtime, reverse=True)
    for old in entries[most:]:
        old.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
