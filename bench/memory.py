"""How much memory do all processes of a run take together, at most?"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_PROCESSES = Path("/proc")
_EVERY = 0.2
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Peak:
    """Looks at this process and all below it while it is entered. `bytes` is the most that was seen.

    Resident memory, summed; what processes share counts for each. Nothing where the system has no /proc. A peak
    between two looks is missed. Units: looks every fifth of a second.
    """

    def __init__(self) -> None:
        self.bytes = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self.look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(_EVERY):
            self.look()

    def look(self) -> None:
        """Look now."""
        self.bytes = max(self.bytes, sum(resident(pid) for pid in family(os.getpid())))


def family(root: int) -> list[int]:
    """Return a process and all that descend from it."""
    below: dict[int, list[int]] = {}
    for folder in _PROCESSES.glob("[0-9]*"):
        if (parent := _parent(folder)) is not None:
            below.setdefault(parent, []).append(int(folder.name))
    found = [root]
    for pid in found:
        found += below.get(pid, ())
    return found


def _parent(folder: Path) -> int | None:
    try:
        # The name of the program stands in brackets and may hold anything; what follows is state and parent.
        return int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):  # it has ended meanwhile
        return None


def proportional(pid: int) -> int:
    """Return the memory of a process in bytes, its part of what it shares with others; 0 when it has ended."""
    try:
        told = (_PROCESSES / str(pid) / "smaps_rollup").read_text()
        return next(int(line.split()[1]) << 10 for line in told.splitlines() if line.startswith("Pss:"))
    except (OSError, ValueError, StopIteration):
        return 0


def resident(pid: int) -> int:
    """Return the resident memory of a process in bytes, 0 when it has ended."""
    try:
        return int((_PROCESSES / str(pid) / "statm").read_text().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
