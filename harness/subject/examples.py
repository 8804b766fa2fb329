"""Objects of the user's own: what a search starts from, before it has drawn any.

A file holds objects in YAML or JSON, several documents, and pairs: a mapping with `old` and `new`, an update. A folder
is read with all below it. That somebody expects an object to be rejected, its file's name says: `invalid-...`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from harness.case import Json, KindInfo
from harness.diagnostics import Diagnostic, InputError, Position
from harness.files import from_here
from harness.objectmodel import type_of
from harness.subject.manifests import documents, manifest_of

FOLDER = "examples"
"""The folder of a suite that holds them."""
SUFFIXES = (".yaml", ".yml", ".json")
_INVALID = "invalid"
_LARGEST = 16 << 20
_MOST_FILES = 5_000


class Example(msgspec.Struct, frozen=True):
    """An object, or an update with the object before it. `source` is its file and line, with the number of
    an item of a List.

    `is_rejected` says that its author expects both sides to reject it.
    """

    source: str
    object: dict[str, Json]
    old: dict[str, Json] | None = None
    is_rejected: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """What the object says it is: apiVersion and kind."""
        return type_of(self.object)

    def is_of(self, info: KindInfo) -> bool:
        """Whether a kind takes it."""
        return self.names == (info.api_version, info.kind)


def read_examples(places: Iterable[Path]) -> tuple[Example, ...]:
    """Read files and folders, in order. Raises: InputError with everything that is wrong in all of them."""
    found: list[Example] = []
    problems: list[Diagnostic] = []
    for place in places:
        try:
            files = list(_files(place))
        except InputError as error:
            problems += error.diagnostics
            continue
        for file in files:
            try:
                found += _of_file(file)
            except InputError as error:
                problems += error.diagnostics
    if problems:
        raise InputError(problems)
    return tuple(found)


def suite_examples(folder: Path | None) -> tuple[Example, ...]:
    """Read the examples of a suite, where it has some. Raises: InputError."""
    return read_examples([folder]) if folder is not None and any(_below(folder)) else ()


def _below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those below it, in order; what is hidden is left out, and links to folders."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root, name) for name in sorted(names) if not name.startswith(".") and _is_named(name))


def _is_named(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def _files(place: Path) -> Sequence[Path]:
    if not place.is_dir():
        return [place]
    found = list(_below(place))
    if not found:
        raise _wrong(place, "example-empty", "the folder holds no example", f"files that end in {', '.join(SUFFIXES)}")
    if len(found) > _MOST_FILES:
        message = f"the folder holds {len(found):,} files, and {_MOST_FILES:,} are the most"
        raise _wrong(place, "example-many", message, "name a folder further down, or some of the files")
    return found


def _of_file(file: Path) -> list[Example]:
    try:
        size = file.stat().st_size
    except OSError as error:
        raise _wrong(file, "example-unreadable", f"cannot be read: {error.strerror}", "name an existing file") from None
    if not file.is_file():
        raise _wrong(file, "example-unreadable", "is no ordinary file", "name a file in YAML or JSON")
    if size > _LARGEST:
        message = f"has {size:,} bytes, and {_LARGEST:,} are the most"
        raise _wrong(file, "example-large", message, "keep a few objects of each kind, in files of their own")
    found: list[Example] = []
    problems: list[Diagnostic] = []
    is_rejected = file.name.lower().startswith(_INVALID)
    read = documents(str(file))
    lines = Counter(position.line for _, position in read)
    numbers: Counter[int] = Counter()
    for value, position in read:
        item = f" items[{numbers[position.line]}]" if lines[position.line] > 1 else ""  # of a List
        numbers[position.line] += 1
        try:
            found.append(_example(value, position, is_rejected, item))
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(problems)
    if not found:
        raise _wrong(file, "example-empty", "holds no object", "write an object with apiVersion and kind")
    return found


def _example(value: Any, position: Position, is_rejected: bool, item: str) -> Example:
    source = f"{from_here(Path(position.file))}:{position.line}{item}"
    if not isinstance(value, dict) or "kind" in value or not {"old", "new"} & value.keys():
        return Example(source, manifest_of(value, position).object, None, is_rejected)
    wrong = sorted(str(name) for name in value.keys() ^ {"old", "new"})
    if wrong:
        message = f"a pair has the members old and new, and no others: see {', '.join(wrong)}"
        raise InputError([Diagnostic(position, "example-pair", message, fix="old: {...}\nnew: {...}")])
    old, new = manifest_of(value["old"], position), manifest_of(value["new"], position)
    if (old.api_version, old.kind) != (new.api_version, new.kind):
        message = f"old is a {old.api_version} {old.kind}, new a {new.api_version} {new.kind}"
        fix = "an update has the same apiVersion and kind on both sides"
        raise InputError([Diagnostic(position, "example-pair", message, fix=fix)])
    return Example(source, new.object, old.object, is_rejected)


def _wrong(place: Path, code: str, message: str, fix: str) -> InputError:
    return InputError([Diagnostic(Position(str(place)), code, message, fix=fix)])
