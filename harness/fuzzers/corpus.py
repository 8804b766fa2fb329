"""The corpus folder: one file per case, named by its content, replayed before any case is drawn.

Its folder `seeds` has one file per type with the seed objects of earlier runs, which a run only has to confirm, and
`reaching` one with the cases that were the first to reach a rule or a block of code, and `explained` one with what was
found out about findings. A file that cannot be read is reported and left unchanged; it never stops a run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from harness.case import Case
from harness.diagnostics import InputError
from harness.limits import check_bounds, messages_of, read_bounded

_Kept = TypeVar("_Kept")
_DECODER = msgspec.json.Decoder(Case)
SEEDS = "seeds"
"""The folder of seed objects."""
REACHING = "reaching"
"""The folder of cases that reach a rule or a block."""
EXPLAINED = "explained"
"""The folder of findings that are explained."""
OLDER_SEEDS = "bases"
"""The former name of that folder; it is read where there is no newer file, and never written."""
MAX_CASE_BYTES = 8 << 20
"""At most this many bytes of one case: a cluster accepts objects of at most 3 MB, and an update has two."""
MAX_FOLDER_BYTES = 256 << 20
"""At most this many bytes of all cases of a folder."""


class KeptSeed(msgspec.Struct, frozen=True, omit_defaults=True):
    """An accepted case, and the path of the part of its object that no other one has."""

    case: Case
    focus: tuple[str | int, ...] = ()


class KeptSeeds(msgspec.Struct, frozen=True):
    """The seed objects of one type. `rejected` has the error of every path that no object has.

    `tried` are the paths that repair could not add either. `done` means that growth had ended; else the next run
    continues it.
    """

    seeds: tuple[KeptSeed, ...]
    rejected: dict[str, str] = {}
    tried: tuple[str, ...] = ()
    done: bool = False


class ReachingCase(msgspec.Struct, frozen=True):
    """A case, and what no case before it reached: names of rules and blocks that no other meaning is read from."""

    case: Case
    reaches: tuple[str, ...]


class ReachingCases(msgspec.Struct, frozen=True):
    """The cases of one type that reach something, ordered by content."""

    cases: tuple[ReachingCase, ...] = ()


class _OlderSeeds(msgspec.Struct, frozen=True):
    """The form of the files in `OLDER_SEEDS`, field by field that of `KeptSeeds`."""

    bases: tuple[KeptSeed, ...]
    refused: dict[str, str] = {}
    tried: tuple[str, ...] = ()
    done: bool = False


_SEEDS = msgspec.json.Decoder(KeptSeeds)
_OLDER = msgspec.json.Decoder(_OlderSeeds)
_REACHING = msgspec.json.Decoder(ReachingCases)


def plain_case(case: Case) -> Case:
    """Return what a case asks to validate, without a number and without the extras of its answer."""
    return msgspec.structs.replace(
        case, id=0, versions=False, served=False, repeat=False, validated=False, brief=False, trace=False, blocks="",
        compiled=False, round_trip=False,
    )  # fmt: skip


def content_name(case: Case) -> str:
    """Name a case by its content, whatever its id, and by what shows only in an answer that is asked for it.

    That are the lists of other versions, what converting leaves of the object, and the list of the tags.
    """
    asked = msgspec.structs.replace(
        plain_case(case), versions=case.versions, round_trip=case.round_trip, compiled=case.compiled
    )
    return hashlib.sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()[:16] + ".json"


def load(folder: Path | None, note: Callable[[str], None]) -> list[Case]:
    """Read every case in a folder and its subfolders, in order of names. Reports everything left out to `note`.

    Left out are files that are not cases, not regular, or larger than `MAX_CASE_BYTES`, links that lead out of the
    folder, and the rest of a folder with more than `MAX_FOLDER_BYTES` bytes.
    """
    if folder is None or not folder.is_dir():
        return []
    left, cases = MAX_FOLDER_BYTES, list[Case]()
    for path in sorted(_files(folder, note)):
        data = _data_of(path, folder, note)
        if data is None:
            continue
        left -= len(data)
        if left < 0:
            note(
                f"{path}: corpus-file: left out with all that follow: "
                f"the folder has more than {MAX_FOLDER_BYTES:,} bytes"
            )
            break
        if (case := _case_of(path, data, note)) is not None:
            cases.append(case)
    return cases


def _files(folder: Path, note: Callable[[str], None]) -> Iterator[Path]:
    """Yield the JSON files; linked folders are not entered, because they may lead anywhere or in a circle."""
    for top, inner, names in os.walk(folder):
        current = Path(top)
        if current == folder:
            inner[:] = [name for name in inner if name not in (SEEDS, OLDER_SEEDS, REACHING, EXPLAINED)]
        for name in inner:
            if (current / name).is_symlink():
                note(f"{current / name}: corpus-file: a link to a folder, left out")
        yield from (current / name for name in names if name.endswith(".json"))


def _data_of(path: Path, folder: Path, note: Callable[[str], None]) -> bytes | None:
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            note(f"{path}: corpus-file: a link that leads out of {folder}, left out")
            return None
        return read_bounded(path, MAX_CASE_BYTES, is_regular=True)
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
    """Write a case into a folder, unless it exists. Reports a failure to `note`."""
    path = folder / content_name(case)
    plain = msgspec.structs.replace(case, id=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n")
    except OSError as error:
        note(f"{path}: corpus-file: cannot be written: {error}")


def seeds_file(folder: Path, name: str) -> Path:
    """Return the file of the seed objects of a type; `name` identifies the type and the part of the run."""
    return _file_of(folder / SEEDS, name)


def reaching_file(folder: Path, name: str) -> Path:
    """Return the file of the cases of a type that reach something."""
    return _file_of(folder / REACHING, name)


def explained_file(folder: Path, name: str) -> Path:
    """Return the file of the explained findings of a type."""
    return _file_of(folder / EXPLAINED, name)


def _file_of(folder: Path, name: str) -> Path:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower())
    return folder / f"{plain}.{hashlib.sha256(name.encode()).hexdigest()[:8]}.json"


def load_seeds(path: Path, note: Callable[[str], None]) -> KeptSeeds | None:
    """Read seed objects, also of an older corpus. Reports a file that cannot be read to `note`."""
    older = path.parent.parent / OLDER_SEEDS / path.name

    def read_older(data: bytes) -> KeptSeeds:
        return KeptSeeds(*msgspec.structs.astuple(_OLDER.decode(data)))

    read, path = (read_older, older) if older.is_file() and not path.is_file() else (_SEEDS.decode, path)
    return load_file(path, read, lambda kept: [one.case for one in kept.seeds], "no seed objects", note)


def load_reaching(path: Path, note: Callable[[str], None]) -> ReachingCases | None:
    """Read the cases of a file that reach something. Reports a file that cannot be read to `note`."""
    return load_file(path, _REACHING.decode, lambda kept: [one.case for one in kept.cases], "no cases", note)


def load_file(
    path: Path, read: Callable[[bytes], _Kept], cases: Callable[[_Kept], list[Case]], words: str,
    note: Callable[[str], None],
) -> _Kept | None:  # fmt: skip
    """Read a file of the corpus, whose `cases` are bounded. Reports one that cannot be read as `words` to `note`."""
    if not path.is_file():
        return None
    try:
        kept = read(read_bounded(path, MAX_FOLDER_BYTES, is_regular=True))
        check_bounds([[case.object, case.old] for case in cases(kept)], str(path))
        return kept
    except InputError as error:
        note(f"{path}: corpus-file: {words}, left out: {messages_of(error)}")
    except (OSError, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        note(f"{path}: corpus-file: {words}, left out: {error}")
    return None


def keep_file(path: Path, kept: msgspec.Struct, note: Callable[[str], None]) -> None:
    """Replace a file of the corpus. Reports a failure to `note`."""
    part = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(msgspec.json.encode(kept, order="deterministic") + b"\n")
        part.replace(path)
    except OSError as error:
        note(f"{path}: corpus-file: cannot be written: {error}")
