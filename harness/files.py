"""Writes files atomically, so that a reader sees the old or the new content, never a part of it.

It also has the helpers for folders that processes share: limiting their size, checking their owner, and locking them;
and the digest of the harness's own files.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path


@cache
def code_digest() -> str:
    """Return the digest of the harness's own code: what other code computed is no part of a result."""
    root, digest = Path(__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".go") and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:20]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically. A pipe or a device is written directly.

    Raises: OSError; then no temporary file remains.
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
    """Check that a file can be written, before a long run computes its content. Raises: OSError."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        with open(path, "wb"):
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=path.resolve().parent):
        return


def delete_oldest(folder: Path, pattern: str, most: int) -> None:
    """Keep at most `most` files of a folder that match a pattern, and delete the least recently modified ones.

    Raises: OSError, such as when another process deletes one at the same time.
    """
    entries = sorted(folder.glob(pattern), key=lambda place: place.stat().st_mtime, reverse=True)
    for old in entries[most:]:
        old.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def is_private(path: Path) -> bool:
    """Whether only this user and root can have written a file or folder; False for a missing one."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid in (os.getuid(), 0) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextlib.contextmanager
def locked(path: Path, wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold an exclusive lock on a file or folder. `wait` is called once when another process holds it.

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


def relative_to_cwd(path: Path) -> str:
    """Return a path relative to the current folder when it is below it, so that it is valid on other machines too."""
    with contextlib.suppress(ValueError, OSError):
        return str(path.resolve().relative_to(Path.cwd()))
    return str(path)
