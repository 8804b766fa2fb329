"""Cuts handwritten checks out of the files of a release, with the Go program in `lowering`.

A check is cut out where one statement appends one marked error, or the errors of one call that makes one. What cannot
be cut out is told with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from harness.graduate.program import ask_program


class ReportedAt(msgspec.Struct, frozen=True):
    """An internal kind, such as `node.RuntimeClass`, and a path of it at which a statement reports."""

    kind: str
    path: str


class CutCheck(msgspec.Struct, frozen=True):
    """The statement of a check, as file and line, and all places at which it reports; `problem` says why it stays."""

    line: str
    reports: tuple[ReportedAt, ...] | None = None
    problem: str = ""


class CutFiles(msgspec.Struct, frozen=True):
    """Checks that were cut out, in order, and by their absolute paths the texts of the files without them."""

    checks: tuple[CutCheck, ...]
    files: dict[str, str]


def cut_checks(location: str | Path, calls: Sequence[Sequence[str]], note: Callable[[str], None]) -> CutFiles:
    """Cut out the checks at the end of some calls, each the innermost line first. Raises: TargetError."""
    request = {"checks": [{"calls": list(lines)} for lines in calls]}
    [cut] = ask_program(location, request, CutFiles, note)
    return cut
