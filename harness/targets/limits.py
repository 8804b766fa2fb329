"""The limits of a worker: time, memory, restarts, failures and processes.

When a worker exceeds one, it is not restarted again: the run ends with the findings so far, and the message names the
limit.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass

from harness.targets.life import MAX_ERRORS, MAX_LINE


@dataclass(frozen=True, slots=True)
class Limits:
    """What a worker may do. Seconds, bytes, counts.

    `start` limits the time until the greeting, `case` the time without an answer to a single case, `batch` the same
    while many cases wait. `restarts` is the number of permitted restarts, plus one for every `per_restart` answers;
    `silent` the number of restarts in a row without any answer; `waiting` the total time of waiting that ended without
    an answer. `failed` is the permitted share of answers that are failures of the worker, once there are `judged`.
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
    errors: int = MAX_ERRORS
    processes: int = 64


LIMITS = Limits()


def tasks() -> int:
    """Count the threads of the whole system, which takes 0.05 milliseconds; 0 if unavailable."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read(256).split()[3].partition(b"/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def processes_in(session: int) -> int:
    """Count the processes of a session; 0 if unavailable."""
    count = 0
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    # The name of the program is in parentheses and may contain spaces and parentheses.
                    count += int(file.read(512).rpartition(b")")[2].split()[3]) == session
    return count
