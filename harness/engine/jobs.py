"""Several processes, each with its own target and its part of the units. What one finds is told at once.

A process that dies loses nothing it has told: its findings and the last stock of its units stay. Processes are asked
to stop, and ended when they do not; Ctrl-C reaches the parent alone.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import msgspec

from harness.compare.finding import SEVERITIES, Finding
from harness.diagnostics import HarnessError
from harness.engine.config import RunConfig
from harness.engine.gatecheck import Showing, find_showings
from harness.engine.local import Local, Telling
from harness.engine.outcome import JobOutcome, UnitOutcome, describe_bug
from harness.engine.packedfinding import PackedFinding
from harness.engine.search import UnitSearch
from harness.events import Met
from harness.fuzzers.budget import Clock
from harness.memory import give_back
from harness.subject import Subject, SubjectSpec

Opener = Callable[[SubjectSpec, Callable[[str], None]], Subject]

STOCK_SHARE = 0.01
"""Of the time of a process, so much goes to telling how far its searches are: each then tells all it has found."""
PATIENCE = 15.0
"""How long a process that was asked to stop may take. Units: seconds."""


class Turn(msgspec.Struct, frozen=True):
    """How far a process is."""

    cases: int
    current: str


class UnitFinding(msgspec.Struct, frozen=True):
    """A finding of a unit."""

    unit: int
    finding: PackedFinding


class Note(msgspec.Struct, frozen=True):
    """Something a person should read."""

    text: str


class SearchProgress(msgspec.Struct, frozen=True):
    """How far a search is. Only of a process that dies is it ever opened, and opened it takes twenty times the room."""

    unit: int
    packed: bytes

    @classmethod
    def of(cls, outcome: UnitOutcome) -> SearchProgress:
        """Pack what a search came to so far."""
        return cls(outcome.index, zlib.compress(pickle.dumps(outcome), 1))

    def outcome(self) -> UnitOutcome:
        """Return what was packed."""
        found: UnitOutcome = pickle.loads(zlib.decompress(self.packed))
        return found


class Asked(msgspec.Struct, frozen=True):
    """Findings of other parts, for a process that has ended its search."""

    findings: tuple[Finding, ...]


Message = Turn | UnitFinding | Met | Note | SearchProgress | JobOutcome


@dataclass(slots=True)
class Job:
    """A process, and what it has told."""

    process: BaseProcess
    link: Connection
    cases: int = 0
    outcome: JobOutcome | None = None
    standings: dict[int, SearchProgress] = field(default_factory=dict)
    findings: dict[int, dict[str, PackedFinding]] = field(default_factory=dict)

    def result(self) -> JobOutcome:
        """Return the outcome; of a process that died, what it told before."""
        if self.outcome is not None:
            return self.outcome
        indexes = sorted({*self.standings, *self.findings})
        units = tuple(self._rescue(index) for index in indexes)
        code = self.process.exitcode
        return JobOutcome(units, stopped="target-lost", stopped_detail=f"a job process died (exit code {code})")

    def _rescue(self, index: int) -> UnitOutcome:
        told = self.findings.get(index, {})
        standing = self.standings.get(index)
        stock = UnitOutcome(index, (), (), 0, 0, 0, 0) if standing is None else standing.outcome()
        # What was told is reduced and explained; in a stock it may stand as it was first met, or be worse by now.
        every = {finding.fingerprint: finding for finding in stock.findings}
        for name, finding in told.items():
            known = every.get(name)
            if known is None or SEVERITIES.index(finding.severity) <= SEVERITIES.index(known.severity):
                every[name] = finding
        return msgspec.structs.replace(stock, findings=tuple(every.values()))


class Stocktaking:
    """Tells now and then how far a search is, in turn: those that have asked something since it was their turn.

    `seconds` is about what it takes to tell of all of them.
    """

    def __init__(self, tell: Callable[[UnitOutcome], None], now: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._now = tell, now
        self._due = now()
        self._told: dict[int, tuple[float, int]] = {}
        self._took: dict[int, float] = {}

    @property
    def seconds(self) -> float:
        return sum(self._took.values())

    def take(self, searches: Sequence[UnitSearch]) -> None:
        """Tell of the one that waits the longest, when that takes no more than a small share of the time."""
        began = self._now()
        if began < self._due:
            return
        waiting = [one for one in searches if one.asked != self._when(one)[1]]
        if waiting:
            search = min(waiting, key=self._when)
            self._told[search.plan.unit.index] = began, search.asked
            self._tell(UnitOutcome.of(search))
            self._took[search.plan.unit.index] = self._now() - began
        self._due = began + (self._now() - began) / STOCK_SHARE

    def _when(self, search: UnitSearch) -> tuple[float, int]:
        return self._told.get(search.plan.unit.index, (0.0, 0))


def start(spec: SubjectSpec, config: RunConfig, opener: Opener, seconds: float) -> list[Job]:
    """Start the processes of a run that has taken so many seconds; what they take to start counts as well."""
    began = time.time() - seconds  # the time of day is what processes have in common
    context = multiprocessing.get_context("spawn")
    jobs = []
    for part in range(config.jobs):
        ours, theirs = context.Pipe()
        own = replace(config, part=part)
        work = spec, own, opener, theirs, began
        process = context.Process(target=_work, args=work, daemon=False, name=f"job {part}")
        process.start()
        theirs.close()
        jobs.append(Job(process, ours))
    return jobs


def _work(spec: SubjectSpec, config: RunConfig, opener: Opener, link: Connection, began: float) -> None:
    """Do one part of a run that began at a time of day in this process, and tell the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    last = 0.0
    local: list[Local] = []
    stocktaking = Stocktaking(lambda outcome: link.send(SearchProgress.of(outcome)))

    def on_turn(search: UnitSearch) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.25:
            last = now
            if link.poll():
                local[0].stop()
            link.send(Turn(sum(one.asked for one in local[0].searches), search.plan.unit.name))
        stocktaking.take(local[0].searches)

    clock = Clock(config.budget.max_time, closing=lambda: stocktaking.seconds)
    clock.started -= max(0.0, time.time() - began)
    telling = Telling(
        lambda index, finding: link.send(UnitFinding(index, finding)),
        on_turn,
        link.send,
        lambda text: link.send(Note(text)),
    )
    try:
        subject = opener(spec, telling.note)
    except HarnessError as error:
        link.send(JobOutcome((), stopped="target-lost", stopped_detail=str(error)))
        return
    except Exception as error:
        link.send(JobOutcome((), stopped="internal-error", stopped_detail=describe_bug(error)))
        return
    try:
        local.append(Local(subject, config, telling, clock))
        link.send(local[0].run())
        # The parent reads what all have found, and asks about it: nothing else is needed any more.
        for search in local[0].searches:
            search.forget()
        give_back()
        _attend(subject, config, link)
    except (EOFError, ConnectionError):
        pass  # nobody is there any more
    finally:
        subject.close()
    # What was remembered is not taken apart object by object: that takes seconds, and the system does it at once.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _attend(subject: Subject, config: RunConfig, link: Connection) -> None:
    """Answer what the parent asks of an open target, until it hangs up."""
    while True:
        asked = link.recv()
        if isinstance(asked, Asked):
            try:
                said: list[Showing] | str = find_showings(subject, asked.findings, config.trusted)
            except HarnessError as error:
                said = str(error)
            link.send(said)


def collect(jobs: list[Job], on_message: Callable[[Job, Message], None]) -> None:
    """Read what the processes tell until all searches have ended."""
    by_link = {job.link: job for job in jobs}
    while by_link:
        ready_links = wait(list(by_link), timeout=0.5)
        # What a process started may hold its end of the pipe open after it: nothing is heard of its death then.
        gone = [] if ready_links else [link for link, job in by_link.items() if not job.process.is_alive()]
        for link in gone:
            if not link.poll():
                del by_link[link]
        for ready in ready_links:
            assert isinstance(ready, Connection)
            job = by_link[ready]
            try:
                message = ready.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                del by_link[ready]
                job.process.join(PATIENCE)
                continue
            _remember(job, message)
            if job.outcome is not None:
                del by_link[ready]
            on_message(job, message)


def _remember(job: Job, message: Message) -> None:
    match message:
        case Turn():
            job.cases = message.cases
        case UnitFinding():
            job.findings.setdefault(message.unit, {})[message.finding.fingerprint] = message.finding
        case SearchProgress():
            job.standings[message.unit] = message
        case JobOutcome():
            job.outcome = message
            job.standings, job.findings = {}, {}  # what is told in the end has all of it


def ask_to_stop(jobs: list[Job]) -> None:
    """Ask every process to stop at its next turn."""
    for job in jobs:
        try:
            job.link.send("stop")
        except OSError:
            continue


def ask(jobs: list[Job], findings: Sequence[Finding]) -> list[Showing]:
    """Ask one of the processes whose searches have ended whether findings show there too.

    Raises: HarnessError when none is left that can tell.
    """
    problem = "its processes have ended"
    for job in jobs:
        if job.outcome is None:
            continue
        try:
            job.link.send(Asked(tuple(findings)))
            said: list[Showing] | str = job.link.recv()
        except (EOFError, OSError):
            continue
        if not isinstance(said, str):
            return said
        problem = said
    raise HarnessError(problem)


def end(jobs: list[Job]) -> None:
    """Hang up, which ends those whose search has ended, and end what still runs."""
    for job in jobs:
        job.link.close()
        if job.outcome is None and job.process.is_alive():
            job.process.terminate()
    for job in jobs:
        job.process.join(PATIENCE)
        if job.process.is_alive():
            job.process.kill()
