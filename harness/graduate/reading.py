"""Reads the validation of kinds as conditions: runs the Go program in `lowering`, and decodes what it says.

The program is built for a release as workers are, and reads the sources of its modules. It never runs them.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from harness.diagnostics import TargetError
from harness.targets.kubernetes.build import Program, go_environment, worker_for, write_sources
from harness.targets.kubernetes.release import find_release, find_toolchain

_LOWERING = Path(__file__).parent / "lowering"
_SECONDS = 600
"""All kinds with beta rules take 8 seconds on one processor."""


class ErrorRead(msgspec.Struct, frozen=True):
    """An error that may be reported, and the number of the node that says when.

    `items` are the lists whose items `path` names. `unread` says what of it was not read; an error without a type may
    be any error there, and one that is `open` may be there or anywhere below.
    """

    path: str
    type: str
    origin: str
    covered: bool
    level: str
    when: int
    items: tuple[str, ...] | None
    open: bool
    unread: str

    def may_be(self, path: str, type_: str) -> bool:
        """Whether it may be an error of this type at this path."""
        if self.type and self.type != type_:
            return False
        if not self.open:
            return self.path == path
        return not self.path or path == self.path or path.startswith((f"{self.path}.", f"{self.path}["))


class SideRead(msgspec.Struct, frozen=True):
    """One side of a kind. `nodes` are (operator, name, arguments...); `reasons` say what stands behind unknowns.

    `facts` are pairs of an unknown and a condition that holds of it.
    """

    entry: str
    nodes: tuple[tuple[str | int, ...], ...] | None = None
    errors: tuple[ErrorRead, ...] | None = None
    facts: tuple[tuple[int, int], ...] | None = None
    reasons: dict[str, str] | None = None
    problem: str = ""


class KindRead(msgspec.Struct, frozen=True):
    """The two sides of a kind, as they validate an object that is created."""

    kind: str
    handwritten: SideRead
    declarative: SideRead


PROGRAM = Program("lowering-", lambda: _files(), lambda generation: _files(), oldest=(1, 36))


def _files() -> list[Path]:
    return sorted(_LOWERING.glob("*.go"))


def read_kinds(
    location: str | Path, kinds: Iterable[str], note: Callable[[str], None], replaced: Mapping[str, str] | None = None
) -> dict[str, KindRead]:
    """Read the kinds with these Go types. `replaced` are files that are read in the place of others.

    Raises: TargetError if the sources are missing or the program fails.
    """
    release = find_release(location)
    binary = worker_for(release, note, PROGRAM)
    with tempfile.TemporaryDirectory(prefix="harness-lowering-") as folder:
        toolchain = write_sources(Path(folder), release, find_toolchain(), PROGRAM)
        request = {"go": str(toolchain.go), "folder": folder, "kinds": list(kinds), "replaced": dict(replaced or {})}
        return run_program(binary, request)


def run_program(binary: Path, request: Mapping[str, object]) -> dict[str, KindRead]:
    """Run the built program once. Raises: TargetError if it fails."""
    try:
        done = subprocess.run(
            [binary], input=msgspec.json.encode(request), capture_output=True, env=go_environment(), timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _unread(str(error)) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise _unread(next((line for line in lines if not line.startswith("go: downloading")), "no message"))
    try:
        read = [msgspec.json.decode(line, type=KindRead) for line in done.stdout.splitlines()]
    except msgspec.DecodeError as error:
        raise _unread(str(error)) from None
    return {one.kind: one for one in read}


def _unread(why: str) -> TargetError:
    return TargetError(
        "the sources of the release could not be read for a proof",
        why=why,
        fix="check the network, GOPROXY and free memory, or leave out --prove",
    )
