"""Kept inputs: one file per case, named by its content, replayed before anything is drawn.

Beside them, in the folder `seeds`, one file per type with the seed objects that were found for it: found once, and only
asked about again in later runs. A file that cannot be read is told about and left alone; it never stops a run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from harness.case import Case
from harness.diagnostics import InputError
from harness.limits import check_bounds, messages_of, read_bounded

_DECODER = msgspec.json.Decoder(Case)
SEEDS = "seeds"
"""The folder of seed objects."""
OLDER_SEEDS = "bases"
"""What that folder was called before; it is read where there is no newer file, and not written."""
MOST_BYTES = 8 << 20
"""Bytes of one case; a cluster takes objects of 3 MB at most, and an update has two."""
MOST_OF_ALL = 256 << 20
"""Bytes of all cases of a folder."""


class KeptSeed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question that was answered without an error, and the part of the object that no other has."""

    case: Case
    focus: tuple[str | int, ...] = ()


class KeptSeeds(msgspec.Struct, frozen=True):
    """What was found for one type. `rejected` has the error of every path that no object has.

    `tried` are those that no repair brought in either. `done` says that the search for more had come to its end; else
    it goes on from here.
    """

    seeds: tuple[KeptSeed, ...]
    rejected: dict[str, str] = {}
    tried: tuple[str, ...] = ()
    done: bool = False


class _OlderSeeds(msgspec.Struct, frozen=True):
    """The form of the files in `OLDER_SEEDS`, field by field that of `KeptSeeds`."""

    bases: tuple[KeptSeed, ...]
    refused: dict[str, str] = {}
    tried: tuple[str, ...] = ()
    done: bool = False


_SEEDS = msgspec.json.Decoder(KeptSeeds)
_OLDER = msgspec.json.Decoder(_OlderSeeds)


def content_name(case: Case) -> str:
    """Name a case by its content, whatever its id."""
    plain = msgspec.structs.replace(case, id=0, served=False, versions=False, repeat=False)
    return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:16] + ".json"


def load(folder: Path | None, note: Callable[[str], None]) -> list[Case]:
    """Read every case below a folder, in order of names. Tells `note` about everything that is left out.

    That is what is no case, no regular file, larger than `MOST_BYTES`, or a link that leads out of the folder; and the
    rest of a folder that holds more than `MOST_OF_ALL` bytes.
    """
    if folder is None or not folder.is_dir():
        return []
    left, cases = MOST_OF_ALL, list[Case]()
    for path in sorted(_files(folder, note)):
        data = _data_of(path, folder, note)
        if data is None:
            continue
        left -= len(data)
        if left < 0:
            note(f"{path}: corpus-file: left out with all that follow: the folder has more than {MOST_OF_ALL:,} bytes")
            break
        if (case := _case_of(path, data, note)) is not None:
            cases.append(case)
    return cases


def _files(folder: Path, note: Callable[[str], None]) -> Iterator[Path]:
    """Yield what may be a case; a folder behind a link is not entered, as it may lead anywhere or in a circle."""
    for top, inner, names in os.walk(folder):
        here = Path(top)
        if here == folder:
            inner[:] = [name for name in inner if name not in (SEEDS, OLDER_SEEDS)]
        for name in inner:
            if (here / name).is_symlink():
                note(f"{here / name}: corpus-file: a link to a folder, left out")
        yield from (here / name for name in names if name.endswith(".json"))


def _data_of(path: Path, folder: Path, note: Callable[[str], None]) -> bytes | None:
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            note(f"{path}: corpus-file: a link that leads out of {folder}, left out")
            return None
        return read_bounded(path, MOST_BYTES, is_regular=True)
    except InputError as error:
        note(f"{path}: corpus-file: left out: {messages_of(error)}")
    except (OSError, RuntimeError) as error:  # before Python 3.13 links in a circle are a RuntimeError
        note(f"{path}: corpus-file: left out: {getattr(error, 'strerror', None) or error}")
    return None


def _case_of(path: Path, data: bytes, note: Callable[[str], None]) -> Case | None:
    try:
        case = _DECODER.decode(data)
        check_bounds([case.object, case.old], str(path))
        return case
    except InputError as error:
        note(f"{path}: corpus-file: left out: {messages_of(error)}")
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
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


def seeds_file(folder: Path, name: str) -> Path:
    """Name the file of seed objects of a type: `name` says whose they are, with the part of the run."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return folder / SEEDS / f"{plain}.{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


def load_seeds(path: Path, note: Callable[[str], None]) -> KeptSeeds | None:
    """Read seed objects, those of an older corpus too. Tells `note` about a file that cannot be read."""
    older = path.parent.parent / OLDER_SEEDS / path.name
    try:
        if path.is_file():
            kept = _SEEDS.decode(read_bounded(path, MOST_OF_ALL, is_regular=True))
        elif older.is_file():
            path = older
            kept = KeptSeeds(*msgspec.structs.astuple(_OLDER.decode(read_bounded(path, MOST_OF_ALL, is_regular=True))))
        else:
            return None
        check_bounds([[seed.case.object, seed.case.old] for seed in kept.seeds], str(path))
        return kept
    except InputError as error:
        note(f"{path}: corpus-file: no seed objects, left out: {messages_of(error)}")
        return None
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        note(f"{path}: corpus-file: no seed objects, left out: {error}")
        return None


def keep_seeds(path: Path, kept: KeptSeeds, note: Callable[[str], None]) -> None:
    """Write seed objects in the place of what is there. Tells `note` when they cannot be written."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(kept, order="deterministic") + b"\n")
        part.replace(path)
    except OSError as error:
        note(f"{path}: corpus-file: cannot be written: {error}")
