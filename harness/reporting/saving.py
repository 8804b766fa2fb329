"""Writing what was found, so that a full disk or a read-only folder loses nothing.

When a file cannot be written in its place the temporary folder is tried, and when that fails too the caller is told to
print.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness.files import write_atomically


@dataclass(frozen=True, slots=True)
class Saved:
    """Where something was written: `path` is None when nowhere, `trouble` says why not in the wanted place."""

    wanted: Path
    path: Path | None
    trouble: str = ""


def save(path: Path, data: bytes) -> Saved:
    """Write a file, or the same under the temporary folder, or say that neither was possible."""
    try:
        write_atomically(path, data)
        return Saved(path, path)
    except OSError as error:
        trouble = f"{path} could not be written: {error.strerror or error}"
    return _elsewhere(path, data, trouble)


def _elsewhere(path: Path, data: bytes, trouble: str) -> Saved:
    try:
        folder = Path(tempfile.mkdtemp(prefix="harness-"))
        write_atomically(folder / (path.name or "report"), data)
        return Saved(path, folder / (path.name or "report"), trouble)
    except OSError as error:
        return Saved(path, None, f"{trouble}; nor could the temporary folder: {error.strerror or error}")


def append(path: Path, data: bytes) -> Saved:
    """Add to the end of a file, on a line of its own; elsewhere when that is not possible, as `save` does."""
    try:
        with open(path, "ab") as stream:
            stream.write((b"\n" if stream.tell() else b"") + data)
        return Saved(path, path)
    except OSError as error:
        trouble = f"{path} could not be written: {error.strerror or error}"
    return _elsewhere(path, data, trouble)
