"""Reads dumps: files and folders of objects as `kubectl get -o yaml` and `-o json` write them, of any size."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from harness.case import Json
from harness.diagnostics import Diagnostic, InputError, Position
from harness.files import relative_to_cwd
from harness.objectmodel import KIND, METADATA, TYPE_META
from harness.stored.auditlog import AuditLog
from harness.stored.jsonstream import is_json, objects_of
from harness.stored.lists import items_of
from harness.stored.redaction import redact
from harness.stored.storedobject import Reading, StoredObject
from harness.stored.yamlstream import YamlStream

SUFFIXES = (".yaml", ".yml", ".json", ".ndjson")
_START = 4096
"""Bytes by which YAML and JSON are told apart."""


def read_dumps(locations: Iterable[Path], reading: Reading) -> Iterator[StoredObject]:
    """Yield the objects of files and folders, without secrets. What cannot be read is told to `reading`.

    Raises: InputError if there is no such file, or a folder without one.
    """
    for name, path in _files(locations):
        with _opened(path, name, reading) as stream:
            if stream is not None:
                yield from _until_unreadable(_objects(stream, name, reading), name, reading)


def read_audit_logs(files: Iterable[Path], reading: Reading) -> Iterator[StoredObject]:
    """Yield the requests of audit logs, without secrets. What cannot be read is told to `reading`."""
    for name, path in ((_name_of(file), file) for file in files):
        with _opened(path, name, reading) as stream:
            if stream is not None:
                yield from _until_unreadable(AuditLog(stream, name, reading), name, reading)


def _until_unreadable(objects: Iterable[StoredObject], name: str, reading: Reading) -> Iterator[StoredObject]:
    """Yield objects of a file. Where it cannot be read on, the rest is left out, and told."""
    try:
        yield from objects
    except InputError as error:
        for problem in error.diagnostics:
            reading.fail(problem)
    except OSError as error:
        reading.fail(_unreadable(name, error))


def _objects(stream: BinaryIO, name: str, reading: Reading) -> Iterator[StoredObject]:
    """Yield the objects of a stream. Raises: InputError, OSError."""
    start = stream.peek(_START)[:_START] if isinstance(stream, io.BufferedReader) else b""
    found = objects_of(stream, name) if is_json(start) else iter(YamlStream(stream, name, reading.fail))
    for value, position in found:
        for one in items_of(value):
            if (observed := observe(one, position, reading)) is not None:
                yield observed


def observe(value: Json, position: Position, reading: Reading) -> StoredObject | None:
    """Return an object without secrets. None for what is none, which is told."""
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in TYPE_META):
        what = "the object has no apiVersion or no kind" if isinstance(value, dict) else "this is no object"
        reading.fail(Diagnostic(position, "manifest-kind", what, fix="dump objects with `kubectl get -o yaml`"))
        return None
    if not isinstance(value.get(METADATA, {}), dict):
        what = f"the metadata of this {value[KIND]} is no object"
        reading.fail(Diagnostic(position, "manifest-kind", what, fix="dump objects with `kubectl get -o yaml`"))
        return None
    reading.objects += 1
    return StoredObject(redact(value), str(position))


def _name_of(file: Path) -> str:
    return "-" if str(file) == "-" else relative_to_cwd(file)


def _files(locations: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    for location in locations:
        if not location.is_dir():
            yield _name_of(location), location
            continue
        found = sorted(
            Path(root, name)
            for root, folders, names in os.walk(location)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        )
        if not found:
            fix = f"name a file, or a folder with files that end in {', '.join(SUFFIXES)}"
            raise InputError([Diagnostic(Position(str(location)), "dump-empty", "the folder has no dump", fix=fix)])
        yield from ((relative_to_cwd(path), path) for path in found)


@contextmanager
def _opened(path: Path, name: str, reading: Reading) -> Iterator[BinaryIO | None]:
    """Open a file, or standard input for `-`. Gives: None for one that cannot be opened, which is told."""
    if name == "-":
        yield cast(BinaryIO, sys.stdin.buffer)
        return
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(path.open("rb"))
        except (OSError, ValueError) as error:
            reading.fail(_unreadable(name, error))
            yield None
            return
        yield stream


def _unreadable(name: str, error: Exception) -> Diagnostic:
    problem = getattr(error, "strerror", None) or str(error)
    return Diagnostic(Position(name), "manifest-unreadable", f"cannot be read: {problem}", fix="name an existing file")
