"""One life of a worker: a process, three threads that read and write its pipes, and the routes of answers to batches.

A broken life stays broken; `harness.targets.process` starts the next one. Child processes of a worker may keep its
pipes open after it ended, so nothing waits for the end of the pipes then.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import re
import select
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import IO, Protocol

import msgspec

from harness.case import PROTOCOL, Answer, Case, Failure, TargetInfo
from harness.targets.wire import Answers, decode_info, errors_in, id_of, protocol_of, without_repetitions

MAX_LINE = 16 << 20
"""Maximum length of a line of a worker. Units: bytes."""
MAX_ERRORS = 40_000
"""At most this many errors of one answer in all its lists; of one with more, equal errors are left out, and if
that is not enough, it becomes a failure."""
MAX_LARGE_ANSWERS = 4
"""At most this many answers of that size in one batch."""

OWN_END = 1.0
"""The time that a process has to exit after it closed its output, before it is killed. Units: seconds."""

_READ = 1 << 16  # the default size of a pipe: a larger buffer would be allocated and freed for each read
_PIPE = 1 << 20
"""The size of the pipes to a worker, if the system allows it. Units: bytes."""
_STDERR_LINES = 200
_TELLING = re.compile(r"^(panic|fatal error|fatal|Fatal Python error|[\w.]*(Error|Exception))\b.*:")
_LAST_READ = 1 << 20
"""What is still read of a process that is gone, while something that it started goes on to write. Units: bytes."""


class Child(Protocol):
    """A process with three pipes and a session of its own: `subprocess.Popen`, or one that a server forked."""

    @property
    def pid(self) -> int: ...
    @property
    def stdin(self) -> IO[bytes] | None: ...
    @property
    def stdout(self) -> IO[bytes] | None: ...
    @property
    def stderr(self) -> IO[bytes] | None: ...

    def poll(self) -> int | None:
        """Return how it ended, None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises: subprocess.TimeoutExpired."""


class Batch:
    """Cases in flight, and the answers so far. Answers arrive in any order.

    `begun` is the time of sending, `seconds` the time that the worker took, known once all are answered: batches are
    answered one after the other.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.answers: list[Answer | None] = [None] * len(cases)
        self.missing = len(cases)
        self.serials = range(0)
        self.begun = self.seconds = 0.0
        self.weight = 0
        self.done = threading.Event()
        if not cases:
            self.done.set()

    def put(self, index: int, answer: Answer) -> bool:
        """Keep an answer under the caller's own id. Returns: False when the case is answered already."""
        if self.answers[index] is not None:
            return False
        # Changing the frozen struct is cheaper than a copy, and safe because no other code has a reference to it yet.
        msgspec.structs.force_setattr(answer, "id", self.cases[index].id)
        self.answers[index] = answer
        self.missing -= 1
        if not self.missing:
            self.done.set()
        return True

    def forget(self) -> None:
        """Discard the answers so far, which cannot be trusted."""
        self.answers = [None] * len(self.cases)
        self.missing = len(self.cases)
        if self.cases:
            self.done.clear()

    def unanswered(self) -> list[int]:
        """Indexes of the cases that still have no answer."""
        return [index for index, answer in enumerate(self.answers) if answer is None]


class Life:
    """A running worker.

    `broken` is the reason why it cannot continue, empty while it can. `distrusted`: it sent wrong ids, so that answers
    of batches in flight are discarded. `has_hung`: it exceeded a time limit. `oddities` are harmless violations of the
    protocol. `tasks` is the number of threads of the system at its start. `lingered`: it closed its output and
    continued to run.
    """

    def __init__(self, process: Child, max_line: int = MAX_LINE, max_errors: int = MAX_ERRORS, tasks: int = 0) -> None:
        self.process, self.tasks = process, tasks
        self.greeting: TargetInfo | None = None
        self.greeted = threading.Event()
        self.broken = ""
        self.distrusted = self.has_hung = self.lingered = False
        self.oddities: deque[str] = deque(maxlen=20)
        self.stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self.routes: dict[int, tuple[Batch, int]] = {}
        self.waiting = 0
        self.last_serial = 0
        self.last_progress = self.last_answered = time.monotonic()
        self.sent = self.answered = 0
        self._max_line, self._max_errors = max_line, max_errors
        self._answers = Answers()
        self._stopped, self._stop = os.pipe()
        self._killed = self._at_end = False
        self._late = 0
        self._own_end: int | None = None
        self._outbox: queue.SimpleQueue[memoryview | None] = queue.SimpleQueue()
        self._backlog, self._sending = 0, threading.Lock()
        self._widen()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._write, self._read, self._drain)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes) -> None:
        """Send bytes to the worker, or queue those that do not fit into its pipe; never blocks on a slow worker.

        Writes in this thread, because the writing thread would run only when this one pauses.
        """
        view = memoryview(data)
        with self._sending:
            if not self._backlog:
                with contextlib.suppress(OSError, ValueError):  # the reading thread reports the end of the process
                    view = view[os.write(self._stdin.fileno(), view) :]
            if view:
                self._backlog += 1
                self._outbox.put(view)

    def kill(self, patience: float = OWN_END) -> None:
        """End the whole process group and its threads, and wait for both. May be called twice.

        `patience` is the time that a process may take to end by itself after it closed its output, so that its exit
        code is known. `lingered` is set if it does not.
        """
        if self._killed:
            return
        try:
            if self._at_end:
                self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.lingered = True
        finally:  # also after Ctrl-C during the wait
            self._kill()

    def _kill(self) -> None:
        self._killed = True
        self._own_end = self.process.poll()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self._outbox.put(None)
        self.process.wait()
        os.write(self._stop, b"x")
        for thread in self._threads:
            thread.join(timeout=2)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        os.close(self._stop)
        os.close(self._stopped)

    def has_ended(self) -> bool:
        """Whether the process ended, although its child processes may keep its pipes open."""
        return self.process.poll() is not None

    def end(self, grace: float) -> None:
        """Close the input of the worker so that it ends; kill it if it does not."""
        self._outbox.put(None)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=grace)
        finally:
            self.kill()

    def tail(self) -> str:
        """The last lines of the worker's stderr."""
        return "\n".join(list(self.stderr)[-20:]).strip()

    def error_line(self) -> str:
        """Return the most informative line of the worker's stderr: a panic, an exception, or else the last line."""
        lines = [line.strip() for line in list(self.stderr) if line.strip()]
        return next((line for line in lines if _TELLING.match(line)), lines[-1] if lines else "")

    def ending(self) -> str:
        """Return how the process ended by itself; empty if we killed it. Call it after `kill` only."""
        code = self._own_end
        if code is None:
            return ""
        if code >= 0:
            return f"exit code {code}"
        if code == -signal.SIGKILL:
            return "signal SIGKILL: somebody killed it, or the machine ran out of memory"
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
        return f"signal {-code}"

    def break_(self, reason: str, distrusted: bool = False, has_hung: bool = False) -> None:
        """Mark this life as broken. The first reason is kept."""
        if not self.broken:
            self.broken, self.distrusted, self.has_hung = reason, distrusted, has_hung
        self.greeted.set()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def _widen(self) -> None:
        """Enlarge both pipes to hold several batches, if possible, so that neither end waits for the other."""
        os.set_blocking(self._stdin.fileno(), False)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, AttributeError):
                assert pipe is not None
                fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)

    def _write(self) -> None:
        descriptor = self._stdin.fileno()
        with contextlib.suppress(OSError):
            while (view := self._outbox.get()) is not None:
                while view:
                    try:
                        view = view[os.write(descriptor, view) :]
                    except BlockingIOError:
                        if self._stopped in select.select([self._stopped], [descriptor], [])[0]:
                            view = view[:0]
                with self._sending:
                    self._backlog -= 1
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _chunk(self, descriptor: int) -> bytes:
        """Read available bytes. Returns: empty at the end, or if the process ended and all its output was read."""
        ready = select.select([descriptor, self._stopped], [], [])[0]
        if self._stopped in ready:
            if descriptor not in ready or self._late >= _LAST_READ:
                return b""
            self._late += _READ
        return os.read(descriptor, _READ)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        pending = b""
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._chunk(self.process.stderr.fileno()):
                lines = (pending + chunk).split(b"\n")
                pending = lines.pop()[-4096:]
                self.stderr.extend(line[:400].decode("utf-8", "replace") for line in lines)
        if pending:
            self.stderr.append(pending[:400].decode("utf-8", "replace"))

    def _read(self) -> None:
        assert self.process.stdout is not None
        pending: list[bytes] = []
        size = 0
        with contextlib.suppress(OSError, ValueError):
            while chunk := self._chunk(self.process.stdout.fileno()):
                if b"\n" not in chunk:
                    pending.append(chunk)
                    size += len(chunk)
                    if size > self._max_line:
                        shown = pending[0][:80].decode("utf-8", "replace")
                        return self.break_(f"it printed a line of more than {self._max_line:,} bytes: {shown!r}")
                    continue
                lines = (b"".join(pending) + chunk).split(b"\n")
                rest = lines.pop()
                pending, size = [rest], len(rest)
                for line in lines:
                    if not self._process_line(line):
                        return None
        self._at_end = True
        return self.break_("it ended" if not size else "it ended in the middle of a line")

    def _process_line(self, line: bytes) -> bool:
        """Process one line. Returns: whether this life can continue."""
        if self.greeting is None:
            return self._greet(line)
        try:
            answer = self._answers.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            serial = id_of(line)
            if serial is None or serial not in self.routes:
                return self._reject_line(line, "an answer", error)
            # The worker lives and means this case: its answer is bad, nobody else's is.
            problem = f"its answer does not follow the protocol: {error}"
            answer = Answer(id=serial, failure=Failure("worker", problem, True))
        else:
            size = len(line)
            if size > self._max_errors and errors_in(answer) > self._max_errors:
                answer = without_repetitions(answer)
                size = 0  # little of the line stays in memory
            if len(line) > self._max_errors and (problem := self._excess_reason(answer, size)):
                # What is too much for us is no crash: the worker answered, and real validators say that much.
                answer = Answer(id=answer.id, failure=Failure("limit", problem))
        return self._route(answer)

    def _excess_reason(self, answer: Answer, size: int) -> str:
        """Return why a long answer is discarded: it, or its batch, would need too much memory; empty if it is kept."""
        count, most = errors_in(answer), self._max_errors
        if count > most:
            return f"its answer has {count:,} errors, more than the {most:,} that are taken"
        route = self.routes.get(answer.id)
        if route is None or answer.validated:
            return ""
        route[0].weight += max(count, size >> 8)
        if route[0].weight <= MAX_LARGE_ANSWERS * most:
            return ""
        what = f"{size:,} bytes" if size else f"{count:,} errors"
        return f"its answer has {what}, and with those beside it more than are taken at once"

    def _greet(self, line: bytes) -> bool:
        protocol = protocol_of(line)
        if protocol is not None and protocol != PROTOCOL:
            self.break_(f"it speaks protocol {protocol}, the harness speaks {PROTOCOL}")
            return False
        try:
            self.greeting = decode_info(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            return self._reject_line(line, "its greeting", error)
        self.greeted.set()
        return True

    def _reject_line(self, line: bytes, what: str, error: Exception) -> bool:
        shown = line[:120].decode("utf-8", "replace")
        self.break_(f"it printed a line that is not {what}: {shown!r} ({error})")
        return False

    def _route(self, answer: Answer) -> bool:
        serial = answer.id
        route = self.routes.get(serial)
        if route is None:
            if 0 < serial <= self.last_serial:
                self.oddities.append("it answered a case again that was answered before")
                return True
            self.break_(f"it answered a case with the id {serial}, which nobody asked", distrusted=True)
            return False
        batch, index = route
        if batch.put(index, answer):
            self.answered += 1
            self.waiting -= 1
            now = time.monotonic()
            if not batch.missing:
                batch.seconds = now - max(batch.begun, self.last_answered)
                self.last_answered = now
            self.last_progress = now
            return True
        msgspec.structs.force_setattr(answer, "id", batch.cases[index].id)
        if answer == batch.answers[index]:
            self.oddities.append("it answered a case twice, both times the same")
            return True
        self.break_("it answered a case twice, each time differently", distrusted=True)
        return False
