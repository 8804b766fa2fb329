"""Saves reports so that a full disk or a read-only folder loses nothing.

If a file cannot be written, it is written to the temporary folder; if that fails too, the result tells the caller to
print it.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.files import write_atomically

MAX_FILE_NAME_BYTES = 100
"""At most this many bytes of a file name, so that every file system accepts it with the suffix of an atomic write."""


@dataclass(frozen=True, slots=True)
class Saved:
    """The result of writing a file: its path, None if it was not written, and why it is not the wanted path."""

    wanted: Path
    path: Path | None
    error: str = ""


def save(path: Path, data: bytes) -> Saved:
    """Write a file; when that fails, write it to the temporary folder instead."""
    try:
        write_atomically(path, data)
        return Saved(path, path)
    except OSError as problem:
        error = f"{path} could not be written: {problem.strerror or problem}"
    return _save_to_temporary_folder(path, data, error)


def _save_to_temporary_folder(path: Path, data: bytes, error: str) -> Saved:
    # The write may have failed because the name is too long.
    length = len(path.name.encode(errors="surrogateescape"))
    name = path.name if 0 < length <= MAX_FILE_NAME_BYTES else f"report{path.suffix[:9]}"
    try:
        folder = Path(tempfile.mkdtemp(prefix="harness-"))
    except OSError as problem:
        return Saved(path, None, f"{error}; nor could the temporary folder: {problem.strerror or problem}")
    try:
        write_atomically(folder / name, data)
    except OSError as problem:
        shutil.rmtree(folder, ignore_errors=True)
        return Saved(path, None, f"{error}; nor could a file in the temporary folder: {problem.strerror or problem}")
    return Saved(path, folder / name, error)


def append(path: Path, data: bytes) -> Saved:
    """Append to a file, starting a new line; when that fails, write to the temporary folder instead."""
    try:
        with open(path, "ab") as stream:
            stream.write((b"\n" if stream.tell() else b"") + data)
        return Saved(path, path)
    except OSError as problem:
        error = f"{path} could not be written: {problem.strerror or problem}"
    return _save_to_temporary_folder(path, data, error)
