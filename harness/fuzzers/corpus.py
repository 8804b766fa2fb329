"""Kept inputs: one file per case, named by its content, replayed before anything is drawn.

Beside them, in the folder `bases`, one file per type with the accepted objects that were found for it: found once, and
only asked about again in later runs. A file that cannot be read is told about and left alone; it never stops a run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from harness.case import Case

_DECODER = msgspec.json.Decoder(Case)
BASES = "bases"
"""The folder of accepted objects."""


class KeptBase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question that was answered without an error, and the part of the object that no other has."""

    case: Case
    focus: tuple[str | int, ...] = ()


class KeptBases(msgspec.Struct, frozen=True):
    """What was found for one type. `refused` has the error of every place that no object has.

    `tried` are those that no repair brought in either. `done` says that the search for more had come to its end; else
    it goes on from here.
    """

    bases: tuple[KeptBase, ...]
    refused: dict[str, str] = {}
    tried: tuple[str, ...] = ()
    done: bool = False


_BASES = msgspec.json.Decoder(KeptBases)


def content_name(case: Case) -> str:
    """Name a case by its content, whatever its id."""
    plain = msgspec.structs.replace(case, id=0, served=False, versions=False, repeat=False)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:16] + ".json"


def load(folder: Path | None, note: Callable[[str], None]) -> list[Case]:
    """Read every case below a folder, in order of names. Tells `note` about files that are no case."""
    if folder is None or not folder.is_dir():
        return []
    files = (path for path in sorted(folder.rglob("*.json")) if path.parent != folder / BASES)
    return [case for path in files if (case := _read(path, note)) is not None]


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


def bases_file(folder: Path, name: str) -> Path:
    """Name the file of accepted objects of a type: `name` says whose they are, with the part of the run."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return folder / BASES / f"{plain}.{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


def load_bases(path: Path, note: Callable[[str], None]) -> KeptBases | None:
    """Read accepted objects. Tells `note` about a file that cannot be read."""
    try:
        return _BASES.decode(path.read_bytes()) if path.is_file() else None
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        note(f"{path}: corpus-file: no accepted objects, left out: {error}")
        return None


def keep_bases(path: Path, kept: KeptBases, note: Callable[[str], None]) -> None:
    """Write accepted objects in the place of what is there. Tells `note` when they cannot be written."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(kept, order="deterministic") + b"\n")
        part.replace(path)
    except OSError as error:
        note(f"{path}: corpus-file: cannot be written: {error}")
