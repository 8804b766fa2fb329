"""Runs the Go program in `lowering`, which reads the sources of a release and never runs them.

The program is built for a release as workers are.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from harness.diagnostics import TargetError
from harness.targets.kubernetes.build import Program, go_environment, worker_for, write_sources
from harness.targets.kubernetes.release import find_release, find_toolchain

_LOWERING = Path(__file__).parent / "lowering"
_SECONDS = 600
"""All kinds with beta rules take 8 seconds on one processor."""
_Told = TypeVar("_Told")

PROGRAM = Program("lowering-", lambda: _files(), lambda generation: _files(), oldest=(1, 36))


def _files() -> list[Path]:
    return sorted(_LOWERING.glob("*.go"))


def ask_program(
    location: str | Path, request: Mapping[str, object], told: type[_Told], note: Callable[[str], None]
) -> list[_Told]:
    """Ask about the sources of a release or checkout. Raises: TargetError if they are missing or the program fails."""
    release = find_release(location)
    binary = worker_for(release, note, PROGRAM)
    with tempfile.TemporaryDirectory(prefix="harness-lowering-") as folder:
        toolchain = write_sources(Path(folder), release, find_toolchain(), PROGRAM)
        return run_program(binary, {**request, "go": str(toolchain.go), "folder": folder}, told)


def run_program(binary: Path, request: Mapping[str, object], told: type[_Told]) -> list[_Told]:
    """Run the built program once, and return what it tells in each line. Raises: TargetError if it fails."""
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
        return [msgspec.json.decode(line, type=told) for line in done.stdout.splitlines()]
    except msgspec.DecodeError as error:
        raise _unread(str(error)) from None


def _unread(why: str) -> TargetError:
    return TargetError(
        "the sources of the release could not be read for a proof or a patch",
        why=why,
        fix="check the network, GOPROXY and free memory, or leave out --prove and --write",
    )
