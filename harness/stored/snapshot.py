"""Reads snapshots of etcd with the types of a release, in a Go program that is built on first use and cached.

The program prints objects in the version that they are stored in; secrets are replaced when its lines are read.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec

from harness.case import Json
from harness.diagnostics import Diagnostic, Position
from harness.files import relative_to_cwd
from harness.limits import decode_bounded, lines_of
from harness.objectmodel import METADATA, REVISION
from harness.stored.dumps import observe
from harness.stored.storedobject import Reading, StoredObject
from harness.targets.kubernetes.build import Program, worker_for
from harness.targets.kubernetes.release import find_release

WORKER = Path(__file__).parent / "worker"
SNAPSHOTS = Program("etcd-", lambda: sorted(WORKER.glob("*.go")), lambda generation: sorted(WORKER.glob("*.go")))
_MAX_ERROR: Final = 4_000
"""At most this many bytes of what the program says when it fails."""


class _Stored(msgspec.Struct, frozen=True):
    """A line of the program: an object, or why there is none."""

    key: str
    revision: int = 0
    object: msgspec.Raw = msgspec.Raw()
    encrypted: str = ""
    failure: str = ""


_STORED = msgspec.json.Decoder(_Stored)


def read_snapshots(
    files: Iterable[Path], release: str, reading: Reading, note: Callable[[str], None]
) -> Iterator[StoredObject]:
    """Yield the objects of snapshots, decoded with the types of a release. What cannot be read is told to `reading`.

    Raises: TargetError if the program cannot be built.
    """
    for file in files:
        binary = worker_for(find_release(release), note, SNAPSHOTS)
        yield from _read(binary, file, reading)


def _read(binary: Path, file: Path, reading: Reading) -> Iterator[StoredObject]:
    name = relative_to_cwd(file)
    process = subprocess.Popen([str(binary), str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in lines_of(cast(BinaryIO, process.stdout), name):
            one = _STORED.decode(line)
            position = Position(f"{name}:{one.key}")
            if one.encrypted:
                reading.miss_encrypted(one.encrypted, str(position))
            elif one.failure:
                reading.fail(
                    Diagnostic(position, "snapshot-object", one.failure, fix="--from the release of the cluster")
                )
            elif (found := observe(_with_revision(one, name), position, reading)) is not None:
                yield found
        said = process.stderr.read(_MAX_ERROR).decode("utf-8", "replace").strip()
        if process.wait() != 0:
            reason = said.splitlines()[0] if said else f"the reader ended with {process.returncode}"
            fix = "save it again: etcdctl snapshot save snapshot.db"
            reading.fail(Diagnostic(Position(name), "snapshot-damaged", reason, fix=fix))
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _with_revision(one: _Stored, name: str) -> Json:
    """Return the object with the revision that a server reads it with; etcd keeps it beside the object."""
    value = decode_bounded(bytes(one.object), name)
    if isinstance(value, dict) and isinstance(value.get(METADATA), dict):
        return {**value, METADATA: {**value[METADATA], REVISION: str(one.revision)}}
    return value
