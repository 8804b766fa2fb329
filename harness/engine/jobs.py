"""Runs searches in several processes, each with its own target and its part of the units.

Each process sends every finding at once, and the progress of its searches in rotation, so that nothing sent is lost
when a process dies. Processes are asked to stop, and terminated if they do not; Ctrl-C interrupts only the parent.
"""

from __future__ import annotations

import contextlib
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
from harness.engine.local import Callbacks, Local
from harness.engine.outcome import JobOutcome, UnitOutcome, describe_bug
from harness.engine.packedfinding import PackedFinding
from harness.engine.search import UnitSearch
from harness.events import Met
from harness.fuzzers.budget import Clock
from harness.memory import give_back
from harness.subject import Subject, SubjectSpec

Opener = Callable[[SubjectSpec, Callable[[str], None]], Subject]

PROGRESS_SHARE = 0.01
"""The share of a process's time that goes into sending the outcomes of its searches so far."""
STOP_SECONDS = 15.0
"""How long a process may take to stop before it is killed. Units: seconds."""


class JobProgress(msgspec.Struct, frozen=True):
    """The progress of a process."""

    cases: int
    current: str


class UnitFinding(msgspec.Struct, frozen=True):
    """A new finding of a unit."""

    unit: int
    finding: PackedFinding


class JobNote(msgspec.Struct, frozen=True):
    """A message for the user."""

    text: str


class SearchProgress(msgspec.Struct, frozen=True):
    """The outcome of a search so far, packed to a twentieth of its size: it is only read if the process dies."""

    unit: int
    packed: bytes

    @classmethod
    def of(cls, outcome: UnitOutcome) -> SearchProgress:
        """Pack an outcome."""
        return cls(outcome.index, zlib.compress(pickle.dumps(outcome), 1))

    def outcome(self) -> UnitOutcome:
        """Return the packed outcome."""
        found: UnitOutcome = pickle.loads(zlib.decompress(self.packed))
        return found


class FindingsQuery(msgspec.Struct, frozen=True):
    """Findings of other parts that a process checks after its search."""

    findings: tuple[Finding, ...]


Message = JobProgress | UnitFinding | Met | JobNote | SearchProgress | JobOutcome


@dataclass(slots=True)
class Job:
    """A process, and the last messages that it sent."""

    process: BaseProcess
    link: Connection
    cases: int = 0
    outcome: JobOutcome | None = None
    progress: dict[int, SearchProgress] = field(default_factory=dict)
    findings: dict[int, dict[str, PackedFinding]] = field(default_factory=dict)

    def result(self) -> JobOutcome:
        """Return the outcome; for a process that died, the outcome built from its messages."""
        if self.outcome is not None:
            return self.outcome
        indexes = sorted({*self.progress, *self.findings})
        units = tuple(self._rescue(index) for index in indexes)
        code = self.process.exitcode
        return JobOutcome(units, stopped="target-lost", stopped_detail=f"a job process died (exit code {code})")

    def _rescue(self, index: int) -> UnitOutcome:
        progress = self.progress.get(index)
        outcome = UnitOutcome(index, (), (), 0, 0, 0, 0) if progress is None else progress.outcome()
        # Findings that were sent are reduced and explained; those in the progress may be unexplained, or more severe.
        findings = {finding.fingerprint: finding for finding in outcome.findings}
        for fingerprint, finding in self.findings.get(index, {}).items():
            known = findings.get(fingerprint)
            if known is None or SEVERITIES.index(finding.severity) <= SEVERITIES.index(known.severity):
                findings[fingerprint] = finding
        return msgspec.structs.replace(outcome, findings=tuple(findings.values()))


class ProgressSender:
    """Sends the outcomes of searches so far, in rotation among those that have asked cases since they were last sent.

    `seconds` estimates how long it takes to send all of them once.
    """

    def __init__(self, send: Callable[[UnitOutcome], None], now: Callable[[], float] = time.monotonic) -> None:
        self._send, self._now = send, now
        self._next_time = now()
        self._last_sent: dict[int, tuple[float, int]] = {}
        self._durations: dict[int, float] = {}

    @property
    def seconds(self) -> float:
        return sum(self._durations.values())

    def send_next(self, searches: Sequence[UnitSearch]) -> None:
        """Send the outcome of the search that has waited longest, if `PROGRESS_SHARE` of the time allows it now."""
        began = self._now()
        if began < self._next_time:
            return
        waiting = [one for one in searches if one.asked != self._last_time(one)[1]]
        if waiting:
            search = min(waiting, key=self._last_time)
            self._last_sent[search.plan.unit.index] = began, search.asked
            self._send(UnitOutcome.of(search))
            self._durations[search.plan.unit.index] = self._now() - began
        self._next_time = began + (self._now() - began) / PROGRESS_SHARE

    def _last_time(self, search: UnitSearch) -> tuple[float, int]:
        return self._last_sent.get(search.plan.unit.index, (0.0, 0))


def start(spec: SubjectSpec, config: RunConfig, opener: Opener, seconds: float) -> list[Job]:
    """Start the processes of a run that began `seconds` ago; the time that they take to start counts too."""
    began = time.time() - seconds  # wall-clock time, because processes share no other clock
    context = multiprocessing.get_context("spawn")
    jobs = []
    for part in range(config.jobs):
        ours, theirs = context.Pipe()
        process = context.Process(target=_begin, args=(theirs,), daemon=False, name=f"job {part}")
        process.start()
        theirs.close()
        jobs.append(Job(process, ours))
    for part, job in enumerate(jobs):
        # As an argument of the process it would be written to a pipe that this process may read too: if the other one
        # dies before it has read more than such a pipe holds, nobody reads on, and the write never ends.
        with contextlib.suppress(OSError):  # it has died, as `collect` will see
            job.link.send((spec, replace(config, part=part), opener, began))
    return jobs


def _begin(link: Connection) -> None:
    """Receive what to search, in a new process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        spec, config, opener, began = link.recv()
    except (EOFError, OSError):
        return  # the parent has ended
    with config.around():
        _work(spec, config, opener, link, began)
    # Skip the interpreter's shutdown, which would free all objects one by one for seconds.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _work(spec: SubjectSpec, config: RunConfig, opener: Opener, link: Connection, began: float) -> None:
    """Search one part of a run in this process, and send messages to the parent. `began` is a wall-clock time."""
    last = 0.0
    local: list[Local] = []
    sender = ProgressSender(lambda outcome: link.send(SearchProgress.of(outcome)))

    def on_turn(search: UnitSearch) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.25:
            last = now
            if link.poll():
                clock.stop()
            link.send(JobProgress(sum(one.asked for one in local[0].searches), search.plan.unit.name))
        sender.send_next(local[0].searches)

    clock = Clock(config.budget.max_time, closing=lambda: sender.seconds)
    clock.started -= max(0.0, time.time() - began)
    callbacks = Callbacks(
        lambda index, finding: link.send(UnitFinding(index, finding)),
        on_turn,
        link.send,
        lambda text: link.send(JobNote(text)),
    )
    try:
        subject = opener(spec, callbacks.note)
    except HarnessError as error:
        link.send(JobOutcome((), stopped="target-lost", stopped_detail=str(error)))
        return
    except Exception as error:
        link.send(JobOutcome((), stopped="internal-error", stopped_detail=describe_bug(error)))
        return
    try:
        local.append(Local(subject, config, callbacks, clock))
        link.send(local[0].run())
        # After this the parent only asks about findings of other parts, so free the memory of the searches.
        for search in local[0].searches:
            search.forget()
        give_back()
        _answer_queries(subject, config, link)
    except (EOFError, ConnectionError):
        pass  # the parent has ended
    finally:
        subject.close()


def _answer_queries(subject: Subject, config: RunConfig, link: Connection) -> None:
    """Check findings that the parent sends against the open target, until the parent closes the connection."""
    while True:
        query = link.recv()
        if isinstance(query, FindingsQuery):
            try:
                reply: list[Showing] | str = find_showings(subject, query.findings, config.trusted)
            except HarnessError as error:
                reply = str(error)
            link.send(reply)


def collect(jobs: list[Job], on_message: Callable[[Job, Message], None]) -> None:
    """Read the messages of the processes until all searches have ended."""
    by_link = {job.link: job for job in jobs}
    while by_link:
        ready_links = wait(list(by_link), timeout=0.5)
        # A child of a dead process may hold its end of the pipe open, so that no end of file is read.
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
                job.process.join(STOP_SECONDS)
                continue
            _record(job, message)
            if job.outcome is not None:
                del by_link[ready]
            on_message(job, message)


def _record(job: Job, message: Message) -> None:
    match message:
        case JobProgress():
            job.cases = message.cases
        case UnitFinding():
            job.findings.setdefault(message.unit, {})[message.finding.fingerprint] = message.finding
        case SearchProgress():
            job.progress[message.unit] = message
        case JobOutcome():
            job.outcome = message
            job.progress, job.findings = {}, {}  # the outcome has all of it


def ask_to_stop(jobs: list[Job]) -> None:
    """Ask every process to stop at its next turn."""
    for job in jobs:
        try:
            job.link.send("stop")
        except OSError:
            continue


def ask(jobs: list[Job], findings: Sequence[Finding]) -> list[Showing]:
    """Ask a process whose searches have ended whether it sees the differences of these findings too.

    Raises: HarnessError when no process is left to ask.
    """
    problem = "its processes have ended"
    for job in jobs:
        if job.outcome is None:
            continue
        try:
            job.link.send(FindingsQuery(tuple(findings)))
            reply: list[Showing] | str = job.link.recv()
        except (EOFError, OSError):
            continue
        if not isinstance(reply, str):
            return reply
        problem = reply
    raise HarnessError(problem)


def end(jobs: list[Job]) -> None:
    """Close the connections, which ends idle processes, and terminate those that still search."""
    for job in jobs:
        job.link.close()
        if job.outcome is None and job.process.is_alive():
            job.process.terminate()
    for job in jobs:
        job.process.join(STOP_SECONDS)
        if job.process.is_alive():
            job.process.kill()
