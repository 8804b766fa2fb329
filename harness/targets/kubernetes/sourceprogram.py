"""Runs Go programs of ours that read the sources of a release and never run them.

They are built for a release as workers are. What they have in common is in `gosources`.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from harness.diagnostics import TargetError
from harness.targets.kubernetes.build import Program, go_environment, worker_for, write_sources
from harness.targets.kubernetes.release import find_release, find_toolchain

_COMMON = Path(__file__).parent / "gosources"
_SECONDS = 600
"""Reading all kinds takes 8 to 30 seconds on one processor."""
_Told = TypeVar("_Told")


def source_program(name: str, folder: Path) -> Program:
    """Return the program whose Go files are in a folder, with what all such programs have in common."""
    return Program(f"{name}-", lambda: source_files(folder), lambda generation: source_files(folder), oldest=(1, 36))


def source_files(folder: Path) -> list[Path]:
    """List the Go files of the program in a folder."""
    return sorted([*folder.glob("*.go"), *_COMMON.glob("*.go")])


class UnreadSources(NamedTuple):
    """What is said if sources cannot be read: what they were read for, and how to do without."""

    purpose: str
    instead: str


def ask_program(
    program: Program,
    location: str | Path,
    request: Mapping[str, object],
    told: type[_Told],
    note: Callable[[str], None],
    unread: UnreadSources,
) -> list[_Told]:
    """Ask about the sources of a release or checkout. Raises: TargetError if they are missing or the program fails."""
    release = find_release(location)
    binary = worker_for(release, note, program)
    with tempfile.TemporaryDirectory(prefix="harness-sources-") as folder:
        toolchain = write_sources(Path(folder), release, find_toolchain(), program)
        return run_program(binary, {**request, "go": str(toolchain.go), "folder": folder}, told, unread)


def run_program(binary: Path, request: Mapping[str, object], told: type[_Told], unread: UnreadSources) -> list[_Told]:
    """Run the built program once, and return what it tells in each line. Raises: TargetError if it fails."""
    try:
        done = subprocess.run(
            [binary], input=msgspec.json.encode(request), capture_output=True, env=go_environment(), timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise _error(str(error), unread) from None
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise _error(next((line for line in lines if not line.startswith("go: downloading")), "no message"), unread)
    try:
        return [msgspec.json.decode(line, type=told) for line in done.stdout.splitlines()]
    except msgspec.DecodeError as error:
        raise _error(str(error), unread) from None


def _error(why: str, unread: UnreadSources) -> TargetError:
    return TargetError(
        f"the sources of the release could not be read for {unread.purpose}",
        why=why,
        fix=f"check the network, GOPROXY and free memory, or {unread.instead}",
    )
