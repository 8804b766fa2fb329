"""Measures which branches of Python files a process takes, with coverage.py, into a file of its own.

Several processes of a run write into one folder; a branch counts as taken if any of them took it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coverage import Coverage

_DATA, _BEGUN = "measured", "begun"


@dataclass(frozen=True, slots=True)
class BranchWatch:
    """Measures the Python files below `measured`, but no installed packages. Plain data, for every process of a run.

    `folder` is where each process writes what it measured.
    """

    folder: str
    measured: tuple[str, ...]

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Measure while the block runs, and write the result at its end."""
        begun = Path(self.folder) / f"{_BEGUN}.{os.getpid()}"
        begun.touch()
        measured = self.coverage(data_suffix=True)
        measured.start()
        try:
            yield
        finally:
            measured.stop()
            measured.save()
            begun.unlink()

    @property
    def lost(self) -> int:
        """How many processes were killed before they could write what they measured."""
        return len(list(Path(self.folder).glob(f"{_BEGUN}.*")))

    @property
    def has_data(self) -> bool:
        """Whether any process has written what it measured."""
        return any(Path(self.folder).glob(f"{_DATA}.*"))

    def coverage(self, data_suffix: bool | None = None) -> Coverage:
        """Return a measurement of these files that is not started yet."""
        import coverage  # imported here, because it is slow and few commands need it

        patterns = [f"{folder}/*" for folder in self.measured]
        # Ignore the settings of the user's project, which may exclude these files.
        made = coverage.Coverage(
            data_file=str(Path(self.folder) / _DATA), data_suffix=data_suffix, branch=True, include=patterns,
            omit=[f"{one}/site-packages/*" for one in patterns], config_file=False,
        )  # fmt: skip
        made.set_option("run:disable_warnings", ["no-data-collected"])
        made.set_option("report:exclude_lines", [])
        return made
