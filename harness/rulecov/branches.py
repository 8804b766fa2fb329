"""Measures the branches of handwritten Python validators that a search never took, with coverage.py in this process.

Code in such a branch was never compared with the declarative rules. The result is not judged, because a branch may be
unreachable.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

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
    """The result, filled in when the search ends. `total` counts all branches of the files that ran."""

    missed: tuple[Branch, ...] = ()
    total: int = 0


@contextmanager
def watched_branches(folders: Iterable[Path]) -> Iterator[Branches]:
    """Measure the Python files of these folders while the block runs; the result is filled in at its end."""
    import coverage  # imported here, because it is slow and few commands need it

    found = Branches()
    patterns = [f"{folder.resolve()}/*" for folder in folders]
    # Ignore the settings of the user's project, which may exclude these files.
    measured = coverage.Coverage(data_file=None, branch=True, include=patterns, config_file=False)
    measured.set_option("run:disable_warnings", ["no-data-collected"])
    measured.set_option("report:exclude_lines", [])
    measured.start()
    try:
        yield found
    finally:
        measured.stop()
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
