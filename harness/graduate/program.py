"""The Go program in `lowering`, which reads the sources of a release for proofs and patches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from harness.targets.kubernetes import sourceprogram
from harness.targets.kubernetes.sourceprogram import UnreadSources, source_program

LOWERING = Path(__file__).parent / "lowering"
UNREAD = UnreadSources("a proof or a patch", "leave out --prove and --write")
PROGRAM = source_program("lowering", LOWERING)
_Told = TypeVar("_Told")


def ask_program(
    location: str | Path, request: Mapping[str, object], told: type[_Told], note: Callable[[str], None]
) -> list[_Told]:
    """Ask about the sources of a release or checkout. Raises: TargetError if they are missing or the program fails."""
    return sourceprogram.ask_program(PROGRAM, location, request, told, note, UNREAD)


def run_program(binary: Path, request: Mapping[str, object], told: type[_Told]) -> list[_Told]:
    """Run the built program once, and return what it tells in each line. Raises: TargetError if it fails."""
    return sourceprogram.run_program(binary, request, told, UNREAD)
