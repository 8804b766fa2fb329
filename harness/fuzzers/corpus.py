"""Kept inputs: one file per case, named by its content, replayed before anything is drawn.

A file that cannot be read is told about and left alone; it never stops a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec

from harness.case import Case

_DECODER = msgspec.json.Decoder(Case)


def content_name(case: Case) -> str:
    """Name a case by its content, whatever its id."""
    plain = msgspec.structs.replace(case, id=0, served=False, versions=False, repeat=False)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:16] + ".json"


def load(folder: Path | None, note: Callable[[str], None]) -> list[Case]:
    """Read every case below a folder, in order of names. Tells `note` about files that are no case."""
    if folder is None or not folder.is_dir():
        return []
    return [case for path in sorted(folder.rglob("*.json")) if (case := _read(path, note)) is not None]


def _read(path: Path, note: Callable[[str], None]) -> Case | None:
    try:
        return _DECODER.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        note(f"{path}: corpus-file: not a case, left out: {error}")
        return None


def keep(folder: Path, case: Case, note: Callable[[str], None]) -> None:
    """Write a case into a folder, unless it is there. Tells `note` when it cannot be written."""
    path = folder / content_name(case)
    plain = msgspec.structs.replace(case, id=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n")
    except OSError as error:
        note(f"{path}: corpus-file: cannot be written: {error}")
