"""Measures the branches of handwritten Python validators that a search never took, with coverage.py in every process.

Code in such a branch was never compared with the declarative rules. The result is not judged, because a branch may be
unreachable. Each process of a run writes what it measured into one folder, which is read when the run has ended: a
branch counts as taken if any process took it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from harness.targets.branchwatch import BranchWatch

if TYPE_CHECKING:
    from coverage import Coverage


@dataclass(frozen=True, slots=True, order=True)
class Branch:
    """A branch that was never taken: from a line of a file to another line, 0 for the end of the function."""

    file: str
    line: int
    to: int


@dataclass(slots=True)
class Branches:
    """The result, filled in when the search ends. `total` counts all branches of the files that ran.

    `lost` is the number of processes that were killed before they could write what they measured.
    """

    missed: tuple[Branch, ...] = ()
    total: int = 0
    lost: int = 0


@contextmanager
def watched_branches(folders: Iterable[Path]) -> Iterator[tuple[BranchWatch, Branches]]:
    """Yield what measures the Python files of these folders, and the result, which is filled in at the end."""
    found = Branches()
    with tempfile.TemporaryDirectory(prefix="harness-branches-") as folder:
        watch = BranchWatch(folder, tuple(str(one.resolve()) for one in folders))
        try:
            yield watch, found
        finally:
            found.lost = watch.lost
            if watch.has_data:
                measured = watch.coverage()
                measured.combine([folder], keep=True)
                found.missed, found.total = _missed(measured)


def _missed(measured: Coverage) -> tuple[tuple[Branch, ...], int]:
    """Read the branches from the JSON report of coverage.py, because its internal objects are not public."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "coverage.json"
        if not measured.get_data().measured_files():
            return (), 0
        measured.json_report(outfile=str(file))
        report = msgspec.json.decode(file.read_bytes(), type=_CoverageReport)
    missed = sorted(
        Branch(file, line, max(0, to)) for file, one in report.files.items() for line, to in one.missing_branches
    )
    return tuple(missed), sum(one.summary.get("num_branches", 0) for one in report.files.values())


class _File(msgspec.Struct, frozen=True):
    """The report of coverage.py for one file."""

    missing_branches: list[tuple[int, int]] = []
    summary: dict[str, Any] = {}


class _CoverageReport(msgspec.Struct, frozen=True):
    """The report of coverage.py."""

    files: dict[str, _File] = {}
