"""Reads the user's own objects, which a search starts from.

A file contains objects in YAML or JSON, in one or several documents, or updates: mappings with `old` and `new`.
Folders are read recursively. The name `invalid-...` of a file marks objects that are expected to be rejected.
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
from harness.files import relative_to_cwd
from harness.objectmodel import type_of
from harness.subject.manifests import check_types, manifest_of, read_documents

FOLDER = "examples"
"""The folder of a suite's examples."""
SUFFIXES = (".yaml", ".yml", ".json")
_INVALID = "invalid"
_MAX_BYTES = 16 << 20
"""At most this many bytes of a file."""
_MAX_FILES = 5_000
"""At most this many files of a folder."""


class Example(msgspec.Struct, frozen=True):
    """An object, or an update with the object before it. `source` is its file and line, with the number of
    an item of a List.

    `is_rejected`: both validators are expected to reject it.
    """

    source: str
    object: dict[str, Json]
    old: dict[str, Json] | None = None
    is_rejected: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """The apiVersion and kind of the object."""
        return type_of(self.object)

    def is_of(self, info: KindInfo) -> bool:
        """Whether the object is of a kind; a plain object is of the only one."""
        return not info.api_version or self.names == (info.api_version, info.kind)


def read_examples(locations: Iterable[Path]) -> tuple[Example, ...]:
    """Read files and folders, in order. Raises: InputError with the diagnostics of all files."""
    found: list[Example] = []
    diagnostics: list[Diagnostic] = []
    for location in locations:
        try:
            files = list(_find_files(location))
        except InputError as error:
            diagnostics += error.diagnostics
            continue
        for file in files:
            try:
                found += _read_file(file)
            except InputError as error:
                diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    return tuple(found)


def check_example_types(examples: Iterable[Example]) -> None:
    """See that examples of a subject with kinds say what they are. Raises: InputError."""
    check_types((obj, Position(one.source)) for one in examples for obj in (one.old, one.object) if obj is not None)


def suite_examples(folder: Path | None) -> tuple[Example, ...]:
    """Read the examples of a suite, if it has a folder of examples. Raises: InputError."""
    return read_examples([folder]) if folder is not None and any(_example_files(folder)) else ()


def _example_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders, sorted, without hidden ones and links to folders."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(root, name) for name in sorted(names) if not name.startswith(".") and _is_named(name))


def _is_named(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def _find_files(location: Path) -> Sequence[Path]:
    if not location.is_dir():
        return [location]
    found = list(_example_files(location))
    if not found:
        fix = f"add files that end in {', '.join(SUFFIXES)}"
        raise _example_error(location, "example-empty", "the folder contains no example", fix)
    if len(found) > _MAX_FILES:
        message = f"the folder contains {len(found):,} files, more than the limit of {_MAX_FILES:,}"
        raise _example_error(location, "example-many", message, "name a subfolder, or some of the files")
    return found


def _read_file(file: Path) -> list[Example]:
    try:
        size = file.stat().st_size
    except OSError as error:
        raise _example_error(
            file, "example-unreadable", f"cannot be read: {error.strerror}", "name an existing file"
        ) from None
    if not file.is_file():
        raise _example_error(file, "example-unreadable", "is not a regular file", "name a file in YAML or JSON")
    if size > _MAX_BYTES:
        message = f"has {size:,} bytes, more than the limit of {_MAX_BYTES:,}"
        raise _example_error(file, "example-large", message, "use a few objects of each kind, in separate files")
    found: list[Example] = []
    diagnostics: list[Diagnostic] = []
    is_rejected = file.name.lower().startswith(_INVALID)
    read = read_documents(str(file))
    lines = Counter(position.line for _, position in read)
    numbers: Counter[int] = Counter()
    for value, position in read:
        item = f" items[{numbers[position.line]}]" if lines[position.line] > 1 else ""  # of a List
        numbers[position.line] += 1
        try:
            found.append(_read_example(value, position, is_rejected, item))
        except InputError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    if not found:
        raise _example_error(file, "example-empty", "contains no object", "write an object with apiVersion and kind")
    return found


def _read_example(value: Any, position: Position, is_rejected: bool, item: str) -> Example:
    source = f"{relative_to_cwd(Path(position.file))}:{position.line}{item}"
    if not isinstance(value, dict) or "kind" in value or not {"old", "new"} & value.keys():
        return Example(source, manifest_of(value, position).object, None, is_rejected)
    wrong = sorted(str(name) for name in value.keys() ^ {"old", "new"})
    if wrong:
        message = f"a pair has exactly the members old and new; check {', '.join(wrong)}"
        raise InputError([Diagnostic(position, "example-pair", message, fix="old: {...}\nnew: {...}")])
    old, new = manifest_of(value["old"], position), manifest_of(value["new"], position)
    if (old.api_version, old.kind) != (new.api_version, new.kind):
        message = f"old is a {old.api_version} {old.kind}, new a {new.api_version} {new.kind}"
        fix = "use the same apiVersion and kind for both"
        raise InputError([Diagnostic(position, "example-pair", message, fix=fix)])
    return Example(source, new.object, old.object, is_rejected)


def _example_error(location: Path, code: str, message: str, fix: str) -> InputError:
    return InputError([Diagnostic(Position(str(location)), code, message, fix=fix)])
