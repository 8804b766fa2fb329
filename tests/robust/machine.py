"""What a command may not change of the machine: the process it runs in, other processes, and files elsewhere."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

PATIENCE = 3.0
"""How long what was killed may take to be gone. Units: seconds."""
_MARK = "ROBUST_STAGE"


def mark(folder: Path) -> None:
    """Mark all that is started from now on."""
    os.environ[_MARK] = str(folder)


def look(folder: Path) -> dict[str, object]:
    """Return what stands now, by name. `folder` has the projects, the cache and nothing else."""
    return {
        "the current folder": os.getcwd(),
        "the environment": dict(os.environ),
        "the handlers of signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "the timers": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "the streams": [id(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "the limits of recursion": sys.getrecursionlimit(),
        "the files beside the project": sorted(os.listdir(folder)),
    }


def differences(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """Yield what is no longer as it was, and what was started and is not gone."""
    for name, value in before.items():
        if after[name] != value:
            yield f"{name} changed: {value!a:.300} {after[name]!a:.300}"
    if left := _remaining():
        yield f"processes are left: {left}"


def _remaining() -> list[str]:
    """Name the processes that were started and do not end soon, servers that wait for the next suite aside."""
    end = time.monotonic() + PATIENCE
    while (found := list(_marked())) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def _marked() -> Iterator[str]:
    wanted = f"{_MARK}={os.environ.get(_MARK, '')}".encode()
    for name in os.listdir("/proc") if _MARK in os.environ else ():
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            held = Path(f"/proc/{name}/environ").read_bytes()
            words = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            state, parent = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        is_child = int(parent) == os.getpid()
        if is_child and not words and state != b"Z":
            # Linux tells the parent of a start before it lays out the words and the environment of the child.
            yield f"{name} (has no command line yet)"
        is_server = is_child and any(one in words for one in _SERVERS)
        if wanted in held.split(b"\0") and words and not is_server:
            yield f"{name} {words[:200]}"


_SERVERS = ("from harness.subject.worker import main", "from multiprocessing.")
"""What waits for the next suite, or for the end of this process, and may stay."""
