"""Is a campaign of a release the same when a process of it dies every minute? Computed twice, and compared.

Scheduler, workers, command, and all that they start are processes of this machine. What dies is begun again, as a
cluster would; the command goes on with `campaign resume`. Scheduler, worker and command die in turn, each time one of
the processes that belong to it.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from bench.memory import family, resident
from bench.record import Measured, Section
from harness.campaign.ledger import CampaignLedger
from harness.campaign.result import merge_settings
from harness.report.formats.json import encode

FEWEST_UNITS = 12
CASES_OF_A_UNIT = 16_000
"""It takes less time than passes between two deaths. Every unit starts a search of each kind, so that few cost less."""
WORKERS = 2
EVERY = 60.0
"""A process dies this often. Units: seconds."""
MOST_DEATHS = 1_000
"""No process dies after so many: a machine that is slow enough would never end otherwise."""
_CASES_A_SECOND = 3_000
"""What a slow machine asks."""
_LOOK = 1.0
_MOST_STARTS = 5
TURNS = ("scheduler", "worker", "command")
"""In this order they die."""
_TICKS = os.sysconf("SC_CLK_TCK")
_TIMES = frozenset({"started", "seconds", "timings", "discovery", "cases_per_second", "first", "early"})


def measure(release: str, seconds: float, seed: int) -> Section:
    """Compute a campaign undisturbed and with deaths, and hold the merged reports against one another."""
    cases = max(1, round(seconds * _CASES_A_SECOND))
    with tempfile.TemporaryDirectory() as temporary:
        lines = compare(Path(temporary), plan_of(release, cases), cases, seed)
    return Section(f"Is a campaign of {cases:,} cases the same with a death every minute?", "cases", lines)


def plan_of(release: str, cases: int) -> tuple[str, ...]:
    """Return the words of `campaign run` that plan a release."""
    units = max(FEWEST_UNITS, cases // CASES_OF_A_UNIT)
    return ("--kubernetes", release, "--max-cases", str(cases), "--shards", str(units))


def compare(folder: Path, plan: Sequence[str], cases: int, seed: int) -> tuple[Measured, Measured]:
    """Compute both campaigns, with ledgers in a folder. Raises: SystemExit if their merged reports differ."""
    undisturbed = compute(folder / "undisturbed", plan, cases, None)
    disturbed = compute(folder / "disturbed", plan, cases, random.Random(seed))
    one, two = (merged(folder / name) for name in ("undisturbed", "disturbed"))
    if one != two:
        sys.exit("the merged reports differ")
    return undisturbed, disturbed


def compute(
    ledger: Path, plan: Sequence[str], cases: int, deaths: random.Random | None, workers: int = WORKERS,
    pinned: bool = False,
) -> Measured:  # fmt: skip
    """Compute a campaign until all units are there. With `deaths` a process that it chooses dies every minute.

    `pinned`: each worker, with all that it starts, has one processor and no more.
    """
    address = f"tcp://127.0.0.1:{_free_port()}"
    place = ("--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard")
    worker = ("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard")
    command = ("harness", "campaign", "run", *plan, "--ledger", str(ledger), "--scheduler", address, "--quiet")
    resume = ("harness", "campaign", "resume", str(ledger), "--scheduler", address, "--quiet")
    died: Counter[str] = Counter()
    most: Counter[str] = Counter()
    written: dict[str, set[int]] = {}
    ended = 0
    started = killed = time.monotonic()
    with _Processes() as processes:
        while True:
            processes.keep("scheduler", ("distributed.cli.dask_scheduler", *place))
            for number in range(workers):
                processes.keep(f"worker {number + 1}", worker, number if pinned else None)
            units, done = progress(ledger)
            for name, when in _reports(ledger):
                written.setdefault(name, set()).add(when)
            if units and units == done:
                break
            if processes.keep("command", resume if units else command):
                ended += 1
                if not units and ended == _MOST_STARTS:
                    sys.exit(f"the campaign does not begin: harness campaign run {' '.join(plan)} says why")
            time.sleep(_LOOK)
            for name in ("scheduler", "command"):
                most[name] = max(most[name], processes.resident(name))
            if deaths is not None and died.total() < MOST_DEATHS and time.monotonic() - killed >= EVERY:
                killed = time.monotonic()
                died[processes.kill_one(TURNS[died.total() % len(TURNS)], deaths)] += 1
        spent = processes.seconds()
    taken = time.monotonic() - started
    more: dict[str, int | str] = {f"{name}, MiB": size >> 20 for name, size in most.items()}
    more["units kept twice"] = sum(len(times) > 1 for times in written.values())
    if deaths is None:  # what a process used is gone with it
        more["processor seconds"] = round(spent)
    more |= {f"deaths: {name}": number for name, number in sorted(died.items())}
    name = "undisturbed" if deaths is None else "with deaths"
    return Measured(name, cases, taken, more=more)


class _Processes:
    """The processes of a campaign, by name, each in a session of its own. All end with it."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *ignored: object) -> None:
        for process in self._running.values():
            for pid in family(process.pid):
                _kill(pid)
            process.wait()

    def keep(self, name: str, words: Sequence[str], processor: int | None = None) -> bool:
        """Have a process of a Python module, and begin it anew if it ended. Returns: whether it ended."""
        process = self._running.get(name)
        if process is not None and process.poll() is None:
            return False
        before = os.sched_getaffinity(0)
        if processor is not None:
            os.sched_setaffinity(0, {processor})  # a process has the processors of the one that starts it
        self._running[name] = subprocess.Popen(
            [sys.executable, "-m", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.sched_setaffinity(0, before)
        return process is not None

    def resident(self, name: str) -> int:
        """Return the memory of a process, without those below it. Units: bytes."""
        return resident(self._running[name].pid)

    def seconds(self) -> float:
        """Return the processor time of all processes, and of those that they waited for."""
        return sum(_seconds(pid) for process in self._running.values() for pid in family(process.pid))

    def kill_one(self, role: str, choice: random.Random) -> str:
        """Kill one of the processes of a role, as `kill -9` does. Returns: what it was."""
        found = [
            (pid, name)
            for name, process in self._running.items() if name.startswith(role)
            for pid in family(process.pid)
        ]  # fmt: skip
        pid, name = choice.choice([one for one in found if resident(one[0])] or found)
        below = pid != self._running[name].pid
        _kill(pid)
        return f"below {name}" if below else name


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def progress(ledger: Path) -> tuple[int, int]:
    """Return how many units a ledger has, and how many of them are done."""
    if not any(ledger.glob("plans/*.json")):  # its command has just begun, or died before it kept the plan
        return 0, 0
    kept = CampaignLedger(str(ledger))
    units = {unit.digest for unit in kept.units()}
    return len(units), len(units & set(kept.done()))


def _reports(ledger: Path) -> list[tuple[str, int]]:
    """Return the reports of a ledger with the time at which each was written. Units: nanoseconds."""
    return [(file.name, file.stat().st_mtime_ns) for file in ledger.glob("units/*.json.gz")]


def _seconds(pid: int) -> float:
    try:
        told = Path("/proc", str(pid), "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:  # it has ended meanwhile
        return 0.0
    return sum(map(int, told[11:15])) / _TICKS


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def merged(ledger: Path) -> list[Any]:
    """Return the merged reports of a ledger as JSON, without their times."""
    found = merge_settings(CampaignLedger(str(ledger)))
    return [_without_times(msgspec.json.decode(encode(one.report))) for one in found]


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(below) for key, below in value.items() if key not in _TIMES}
    return [_without_times(below) for below in value] if isinstance(value, list) else value
