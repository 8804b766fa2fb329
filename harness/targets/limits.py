"""How much is put up with from a worker before it is given up, and what it may start. All of it in one place.

A worker that is given up ends the run with what was found until then; the message names the limit.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from harness.targets.life import MAX_LINE, MOST_ERRORS


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may do. Seconds, bytes, counts.

    `start` bounds its greeting, `case` the time without an answer to a case that is asked alone, `batch` the same while
    many wait. `restarts` is how often it may be started again, and once more for every `per_restart` answers; `silent`
    how often in a row without any answer; `waiting` how long it is waited for in vain, all together. `failed` is the
    share of answers that may be failures of the worker, once there are `judged`.
    """

    start: float = 60.0
    case: float = 10.0
    batch: float | None = None
    restarts: int = 60
    per_restart: int = 1_000
    silent: int = 24
    waiting: float = 60.0
    failed: float = 0.25
    judged: int = 400
    line: int = MAX_LINE
    errors: int = MOST_ERRORS
    processes: int = 64


LIMITS = Limits()


def tasks() -> int:
    """Count the threads of the whole system, which takes a twentieth of a millisecond; 0 where it does not tell."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read(256).split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def processes_in(session: int) -> int:
    """Count the processes of a session; 0 where the system does not tell."""
    count = 0
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name of the program stands in brackets and may hold anything.
                    count += int(file.read(512).rpartition(b")")[2].split()[3]) == session
    return count
