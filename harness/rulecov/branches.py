"""The branches of handwritten validators in Python that a search never took: what it cannot have compared.

Measured with coverage.py, in this process only. Refuses to judge: a branch may well be one that nothing can reach.
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
    """A jump that was never made: from a line of a file to another line, 0 for the end of the function."""

    file: str
    line: int
    to: int


@dataclass(slots=True)
class Branches:
    """What was found when the search has ended. `total` counts every branch of the files that ran."""

    missed: tuple[Branch, ...] = ()
    total: int = 0


@contextmanager
def watched_branches(folders: Iterable[Path]) -> Iterator[Branches]:
    """Watch the Python files of these folders while the block runs; the result is filled in at its end."""
    import coverage  # here: no other command wants it, and all of them start with this module

    found = Branches()
    patterns = [f"{folder.resolve()}/*" for folder in folders]
    # Nobody's settings count here: a file of the user's project may leave out what is asked for.
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
    """Read the branches from the report that coverage.py publishes: its own objects are not for others."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "coverage.json"
        if not measured.get_data().measured_files():
            return (), 0
        measured.json_report(outfile=str(place))
        told = msgspec.json.decode(place.read_bytes(), type=_Told)
    missed = sorted(
        Branch(file, line, max(0, to)) for file, one in told.files.items() for line, to in one.missing_branches
    )
    return tuple(missed), sum(one.summary.get("num_branches", 0) for one in told.files.values())


class _File(msgspec.Struct, frozen=True):
    """What coverage.py says of one file."""

    missing_branches: list[tuple[int, int]] = []
    summary: dict[str, Any] = {}


class _Told(msgspec.Struct, frozen=True):
    """What coverage.py says."""

    files: dict[str, _File] = {}
