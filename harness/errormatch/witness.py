"""Reads and writes witnesses: the cases that show the differences which an exception tolerates.

The file `exceptions/ID.json` is the witness of the exception with that ID. A run asks its cases again: an exception is
unused if they show its differences no more. Unlike the findings of a search, this result depends neither on a seed nor
on the speed of a machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from harness.case import Case, Json, Mode, Operation
from harness.diagnostics import Diagnostic, InputError, Position
from harness.errormatch.oldcauses import current_cause
from harness.files import write_atomically

FOLDER = "exceptions"
"""The folder of witnesses, in the folder of the exceptions file."""
MAX_BYTES = 4 << 20
"""At most this many bytes of a witness file; a reduced case has a few hundred."""


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """A difference between the validators that a witness case shows. Attributes have the names of those of findings."""

    kind: str
    path: str
    mismatch: str
    type: str = ""
    origin: str = ""
    side: str = ""
    owner: str = ""
    member: str = ""
    cause: str = ""
    severity: str = ""
    version: str = ""


class WitnessCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reduced case, the feature gates of the target that answered it, and the differences that it showed.

    `object` is None if the difference is about a rule of the kind and not about an object.
    """

    shows: tuple[Shown, ...]
    group: str
    version: str
    kind: str
    resource: str
    operation: Operation
    subresource: str = ""
    gates: dict[str, bool] = {}
    mode: Mode = "served"
    options: dict[str, bool] = {}
    object: Json = None
    old: Json = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key of the kind that is asked, as in `KindInfo.key`."""
        return self.group, self.version, self.resource, self.subresource

    @property
    def case(self) -> Case:
        """The case to ask, which requests the extra lists that the comparison of its differences needs."""
        kinds = {one.mismatch for one in self.shows}
        return Case(
            0, self.group, self.version, self.kind, self.operation, self.object, self.old, self.resource,
            self.subresource, self.mode, self.options, versions="version" in kinds, served="composition" in kinds,
            repeat="self" in kinds, compiled="generated" in kinds, round_trip="conversion" in kinds,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """The size of its objects in JSON. Units: bytes."""
        return len(msgspec.json.encode(self.object)) + len(msgspec.json.encode(self.old))


class Witness(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cases that show the differences of one exception. `release` is that of the target that answered them."""

    exception: str
    suite: str
    release: str
    cases: tuple[WitnessCase, ...]


_DECODER = msgspec.json.Decoder(Witness)


def witness_file(exceptions: Path, entry_id: str) -> Path:
    """Return the path of an entry's witness; `exceptions` is the exceptions file."""
    return exceptions.parent / FOLDER / f"{entry_id}.json"


def read_witnesses(exceptions: Path, ids: Iterable[str]) -> Mapping[str, Witness]:
    """Read the witnesses of some entries, if they have one. Raises: InputError with the diagnostics of all files."""
    found: dict[str, Witness] = {}
    diagnostics: list[Diagnostic] = []
    for entry_id in ids:
        try:
            if (witness := _read(witness_file(exceptions, entry_id), entry_id)) is not None:
                found[entry_id] = witness
        except InputError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise InputError(diagnostics)
    return found


def _read(file: Path, entry_id: str) -> Witness | None:
    fix = "delete the file, and write it again with harness exceptions witness --report FILE"
    try:
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _witness_error(file, f"is larger than {MAX_BYTES >> 20} MiB", "a witness is a reduced case", fix)
        witness = _rename_causes(_DECODER.decode(data))
    except OSError as error:
        raise _witness_error(file, f"cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _witness_error(file, f"is not a witness: {error}", "", fix) from None
    if witness.exception != entry_id:
        why = "the file of a witness is named after the ID of its exception"
        raise _witness_error(file, f"is the witness of {witness.exception[:40]!r}", why, fix)
    if not witness.cases:
        raise _witness_error(file, "has no case", "there is nothing to ask again", fix)
    return witness


def _rename_causes(witness: Witness) -> Witness:
    """Replace the causes of older versions by their current names."""
    replace = msgspec.structs.replace
    cases = (
        replace(case, shows=tuple(replace(one, cause=current_cause(one.cause)) for one in case.shows))
        for case in witness.cases
    )
    return replace(witness, cases=tuple(cases))


def _witness_error(file: Path, message: str, why: str = "", fix: str = "") -> InputError:
    return InputError([Diagnostic(Position(str(file)), "exception-witness", message, why, fix)])


def encode(witness: Witness) -> bytes:
    """Return the text of a witness file. It is deterministic, so that diffs of it show only what changed."""
    return msgspec.json.format(msgspec.json.encode(witness, order="deterministic"), indent=2) + b"\n"


def write_witness(exceptions: Path, witness: Witness) -> Path:
    """Write the file of a witness. Raises: InputError if it cannot be written."""
    file = witness_file(exceptions, witness.exception)
    try:
        write_atomically(file, encode(witness))
    except OSError as error:
        raise _witness_error(file, f"cannot be written: {error.strerror or error}") from None
    return file


def remove_witness(exceptions: Path, entry_id: str) -> None:
    """Delete the file of a witness, if it exists. Raises: InputError if it cannot be deleted."""
    file = witness_file(exceptions, entry_id)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise _witness_error(file, f"cannot be deleted: {error.strerror or error}") from None
