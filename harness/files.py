"""Writing a file in one step: a reader sees the old one or the new one, never a half.

And what folders need that several processes share: they stay small, belong to one user, and are changed by one at a
time.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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


def check_writable(path: Path) -> None:
    """Try whether a file can be written, before hours are spent on what will stand in it. Raises: OSError."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        with open(path, "wb"):
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=path.resolve().parent):
        return


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


def is_private(path: Path) -> bool:
    """Whether nobody but this user, and root, could have written a file or folder; False where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextlib.contextmanager
def locked(path: Path, wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a lock file, or a folder, so that two processes do not do the same at once; `wait` hears of another holder.

    Folders are not locked on Windows. Raises: OSError when it cannot be opened.
    """
    if path.is_dir() and sys.platform == "win32":
        yield
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _try_lock(number):
            wait()
            while not _try_lock(number):
                time.sleep(0.05)
        yield
    finally:
        os.close(number)  # which frees the lock


if sys.platform == "win32":
    import msvcrt

    def _try_lock(number: int) -> bool:
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(number: int) -> bool:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def from_here(path: Path) -> str:
    """Name a path from where the user stands, when it is below: what is written down is true elsewhere too."""
    with contextlib.suppress(ValueError, OSError):
        return str(path.resolve().relative_to(Path.cwd()))
    return str(path)
