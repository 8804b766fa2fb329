"""Witnesses: the cases that show a tolerated difference, kept beside the exceptions as `exceptions/ID.json`.

Whether an exception is still needed is what its witness shows when it is asked again: that depends neither on a seed
nor on the speed of a machine. A file has what is needed to ask, and nothing of the machine that found it.
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
"""What the folder is called beside the file of exceptions."""
LARGEST = 4 << 20
"""Bytes of a file that is read. A reduced case has a few hundred."""


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """A difference as far as it is known without asking anything else; attributes are called as those of findings."""

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


class WitnessCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reduced case or pair, the feature gates of the process that answered it, and what it showed.

    A difference that is about a rule of the kind, and about no object, has none.
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
        """What names the kind that is asked, as `KindInfo.key`."""
        return self.group, self.version, self.resource, self.subresource

    @property
    def case(self) -> Case:
        """The question, with what the comparison needs that found what it shows."""
        kinds = {one.mismatch for one in self.shows}
        return Case(
            0, self.group, self.version, self.kind, self.operation, self.object, self.old, self.resource,
            self.subresource, self.mode, self.options, versions="version" in kinds, served="composition" in kinds,
            repeat="self" in kinds,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """How much there is to read."""
        return len(msgspec.json.encode(self.object)) + len(msgspec.json.encode(self.old))


class Witness(msgspec.Struct, frozen=True, omit_defaults=True):
    """What shows the differences that one exception tolerates. `release` is that of the target which was asked."""

    exception: str
    suite: str
    release: str
    cases: tuple[WitnessCase, ...]


_DECODER = msgspec.json.Decoder(Witness)


def witness_file(exceptions: Path, entry_id: str) -> Path:
    """Return where the witness of an entry is kept; `exceptions` is the file of the entries."""
    return exceptions.parent / FOLDER / f"{entry_id}.json"


def read_witnesses(exceptions: Path, ids: Iterable[str]) -> Mapping[str, Witness]:
    """Read the witnesses of some entries, as far as there are. Raises: InputError with every file that is wrong."""
    found: dict[str, Witness] = {}
    wrong: list[Diagnostic] = []
    for entry_id in ids:
        try:
            if (witness := _read(witness_file(exceptions, entry_id), entry_id)) is not None:
                found[entry_id] = witness
        except InputError as error:
            wrong += error.diagnostics
    if wrong:
        raise InputError(wrong)
    return found


def _read(file: Path, entry_id: str) -> Witness | None:
    fix = "harness exceptions witness --report FILE, with the file removed, writes it again"
    try:
        if not file.is_file():
            return None
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise _wrong(file, f"is larger than {LARGEST >> 20} MiB", "a witness is a reduced case", fix)
        witness = _rename_causes(_DECODER.decode(data))
    except OSError as error:
        raise _wrong(file, f"cannot be read: {error.strerror or error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _wrong(file, f"is no witness: {error}", "", fix) from None
    if witness.exception != entry_id:
        why = "a file is called as the entry that it belongs to"
        raise _wrong(file, f"says that it is of {witness.exception[:40]!r}", why, fix)
    if not witness.cases:
        raise _wrong(file, "has no case", "there is nothing to ask again", fix)
    return witness


def _rename_causes(witness: Witness) -> Witness:
    """Give the causes of an older file their present names."""
    replace = msgspec.structs.replace
    cases = (
        replace(case, shows=tuple(replace(shown, cause=current_cause(shown.cause)) for shown in case.shows))
        for case in witness.cases
    )
    return replace(witness, cases=tuple(cases))


def _wrong(file: Path, message: str, why: str = "", fix: str = "") -> InputError:
    return InputError([Diagnostic(Position(str(file)), "exception-witness", message, why, fix)])


def encode(witness: Witness) -> bytes:
    """Write a witness as it stands in its file: the same for the same, so that changes can be reviewed."""
    return msgspec.json.format(msgspec.json.encode(witness, order="deterministic"), indent=2) + b"\n"


def write_witness(exceptions: Path, witness: Witness) -> Path:
    """Write the file of a witness. Raises: InputError when it cannot be written."""
    file = witness_file(exceptions, witness.exception)
    try:
        write_atomically(file, encode(witness))
    except OSError as error:
        raise _wrong(file, f"cannot be written: {error.strerror or error}") from None
    return file


def remove_witness(exceptions: Path, entry_id: str) -> None:
    """Remove the file of a witness, where there is one. Raises: InputError when that cannot be done."""
    file = witness_file(exceptions, entry_id)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise _wrong(file, f"cannot be removed: {error.strerror or error}") from None
