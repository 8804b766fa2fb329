"""A worker process: started, fed, watched, restarted. Whatever it does, no case is lost.

Many batches are in flight at once: one thread writes, one reads, one drains the worker's stderr. When the worker dies,
hangs or prints rubbish, it is killed and started again, and the cases without an answer are asked again in halves until
the killing case is alone; it gets a `Failure` of stage `worker`, every other case its answer.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

import msgspec

from harness.case import PROTOCOL, Answer, Case, Failure, TargetInfo
from harness.diagnostics import TargetError
from harness.targets.wire import decode_answer, decode_info, encode_case

MAX_LINE = 64 << 20
"""The longest line a worker may print, in bytes; a longer one is rubbish."""

_READ = 1 << 20
_STDERR_LINES = 40
_STARTS = 3
_HOPELESS = 24
"""Restarts in a row without a single answer after which a worker is given up."""


class _Batch:
    """Cases on their way, and the answers that came so far. Answers arrive in any order."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        self.answers: list[Answer | None] = [None] * len(cases)
        self.missing = len(cases)
        self.done = threading.Event()
        if not cases:
            self.done.set()

    def put(self, index: int, answer: Answer) -> None:
        """Keep an answer under the caller's own id."""
        if self.answers[index] is None:
            self.answers[index] = msgspec.structs.replace(answer, id=self.cases[index].id)
            self.missing -= 1
            if not self.missing:
                self.done.set()

    def unanswered(self) -> list[int]:
        """Indexes of the cases that still have no answer."""
        return [index for index, answer in enumerate(self.answers) if answer is None]


class _Child:
    """One life of the worker: its process and three threads. Broken once, it stays broken."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str] | None, cwd: str | None) -> None:
        self.process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=None if env is None else dict(env), cwd=cwd, start_new_session=True, bufsize=0,
        )  # fmt: skip
        self.greeting: TargetInfo | None = None
        self.greeted = threading.Event()
        self.broken = ""
        self.stderr: deque[str] = deque(maxlen=_STDERR_LINES)
        self.routes: dict[int, tuple[_Batch, int]] = {}
        self.last_progress = time.monotonic()
        self.answered = 0
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._write, self._read, self._drain)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, data: bytes) -> None:
        """Queue bytes for the worker; never blocks on a slow one."""
        self._outbox.put(data)

    def kill(self) -> None:
        """End the whole process group and its threads, and wait for both."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self._outbox.put(None)
        self.process.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(timeout=5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def end(self, grace: float) -> None:
        """Ask the worker to end by closing its input; kill it when it does not."""
        self._outbox.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=grace)
        self.kill()

    def tail(self) -> str:
        """The last lines of the worker's stderr."""
        return "\n".join(self.stderr)

    def _break(self, reason: str) -> None:
        if not self.broken:
            self.broken = reason
        self.greeted.set()

    def _write(self) -> None:
        assert self.process.stdin is not None
        descriptor = self.process.stdin.fileno()
        with contextlib.suppress(OSError):
            while (data := self._outbox.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        pending = b""
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self.process.stderr.fileno(), 1 << 16):
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
            while chunk := os.read(self.process.stdout.fileno(), _READ):
                if b"\n" not in chunk:
                    pending.append(chunk)
                    size += len(chunk)
                    if size > MAX_LINE:
                        return self._break(f"it printed a line of more than {MAX_LINE >> 20} MiB")
                    continue
                lines = (b"".join(pending) + chunk).split(b"\n")
                rest = lines.pop()
                pending, size = [rest], len(rest)
                for line in lines:
                    if not self._take(line):
                        return None
        return self._break("it ended" if not size else "it ended in the middle of a line")

    def _take(self, line: bytes) -> bool:
        try:
            if self.greeting is None:
                self.greeting = decode_info(line)
                self.greeted.set()
                return True
            answer = decode_answer(line)
        except msgspec.MsgspecError as error:
            what = "its greeting" if self.greeting is None else "an answer"
            shown = line[:120].decode("utf-8", "replace")
            self._break(f"it printed a line that is not {what}: {shown!r} ({error})")
            return False
        route = self.routes.pop(answer.id, None)
        if route is not None:  # an answer to nobody is ignored: the case it was meant for is asked again
            self.answered += 1
            self.last_progress = time.monotonic()
            route[0].put(route[1], answer)
        return True


class PendingBatch:
    """A batch in flight; `result` waits for it and repairs the worker when that is needed."""

    def __init__(self, worker: WorkerProcess, batch: _Batch) -> None:
        self._worker, self._batch = worker, batch

    def result(self) -> list[Answer]:
        """Return one answer per case, in the order of the cases."""
        return self._worker._collect(self._batch)


class WorkerProcess:
    """A `Target` behind a pipe that speaks the wire protocol.

    `start_timeout` bounds the greeting, `case_timeout` the time without any answer while cases wait (seconds).
    `note` hears of restarts. Raises TargetError when the worker cannot be started, speaks another protocol, or dies
    again and again without answering anything.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        start_timeout: float = 60.0,
        case_timeout: float = 10.0,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._argv, self._env, self._cwd = list(argv), env, cwd
        self._start_timeout, self._case_timeout, self._note = start_timeout, case_timeout, note
        self._serial = 0
        self._in_flight: list[_Batch] = []
        self._hopeless = 0
        self._closed = False
        self.restarts = 0
        self._child = self._start()
        assert self._child.greeting is not None
        self._info = self._child.greeting

    @property
    def info(self) -> TargetInfo:
        """The greeting of the worker's first life."""
        return self._info

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> PendingBatch:
        """Send a batch; several may be in flight."""
        if self._closed:
            raise TargetError("the worker was closed", fix="open the target again")
        batch = _Batch(cases)
        self._in_flight.append(batch)
        self._send(self._child, batch, range(len(cases)))
        return PendingBatch(self, batch)

    def close(self) -> None:
        """End the worker. May be called twice."""
        if not self._closed:
            self._closed = True
            self._child.end(grace=1.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> _Child:
        try:
            child = _Child(self._argv, self._env, self._cwd)
        except OSError as error:
            raise TargetError(
                f"the worker {self._argv[0]} does not start",
                str(error),
                "name a program that exists and is executable",
            ) from error
        child.greeted.wait(self._start_timeout)
        if child.greeting is None or child.greeting.protocol != PROTOCOL:
            child.broken = child.broken or f"it printed nothing for {self._start_timeout:g} seconds"
            child.kill()
            raise self._no_greeting(child)
        child.last_progress = time.monotonic()
        return child

    def _no_greeting(self, child: _Child) -> TargetError:
        if child.greeting is not None:
            why = f"it speaks protocol {child.greeting.protocol}, the harness speaks {PROTOCOL}"
        else:
            why = child.broken
        if tail := child.tail():
            why += f"; its last words on stderr:\n{tail}"
        fix = "run `harness check-worker PROGRAM`: it tells what the protocol wants"
        return TargetError(f"the worker {self._argv[0]} did not greet", why, fix)

    def _send(self, child: _Child, batch: _Batch, indexes: Sequence[int]) -> None:
        if not child.routes:
            child.last_progress = time.monotonic()
        parts = []
        for index in indexes:
            self._serial += 1
            child.routes[self._serial] = (batch, index)
            parts.append(encode_case(batch.cases[index], self._serial))
        child.send(b"".join(parts))

    def _collect(self, batch: _Batch) -> list[Answer]:
        while not self._wait(batch, self._case_timeout):
            self._recover()
        if batch in self._in_flight:
            self._in_flight.remove(batch)
        return [answer for answer in batch.answers if answer is not None]

    def _wait(self, batch: _Batch, patience: float) -> bool:
        """Wait until the batch is answered (True), or the worker broke or made no progress for `patience` (False)."""
        child = self._child
        while not batch.done.wait(0.0 if child.broken else min(patience, 0.05)):
            if child.broken:
                return batch.done.is_set()
            if time.monotonic() - child.last_progress > patience:
                child._break(f"it gave no answer for {patience:g} seconds")
                return False
        return True

    def _recover(self) -> None:
        """Restart the worker, then ask what is missing, batch by batch, in halves."""
        reason = self._restart()
        for batch in list(self._in_flight):
            if missing := batch.unanswered():
                self._halve(batch, missing, reason)

    def _restart(self) -> str:
        reason, tail = self._child.broken, self._child.tail()
        answered = self._child.answered
        self._child.kill()
        if code := self._child.process.returncode:
            reason += f" (exit code {code})" if code > 0 else f" (signal {-code})" if code != -9 else ""
        self._hopeless = 0 if answered else self._hopeless + 1
        if self._hopeless > _HOPELESS:
            raise TargetError(
                f"the worker {self._argv[0]} was restarted {self._hopeless} times without giving any answer",
                f"{reason}{chr(10) + tail if tail else ''}",
                "run `harness check-worker PROGRAM`",
            )
        self.restarts += 1
        if self.restarts <= 5:
            self._note(f"the worker was restarted: {reason}")
        for attempt in range(_STARTS):
            try:
                self._child = self._start()
                break
            except TargetError:
                if attempt == _STARTS - 1:
                    raise
        last = tail.strip().splitlines()[-1:] if tail.strip() else []
        return reason + (f"; last words: {last[0]}" if last else "")

    def _halve(self, batch: _Batch, indexes: list[int], reason: str) -> None:
        """Ask these cases again; split what breaks the worker until the killing case is alone."""
        part = _Batch([batch.cases[index] for index in indexes])
        self._send(self._child, part, range(len(indexes)))
        patience = self._case_timeout if len(indexes) == 1 else max(0.5, self._case_timeout / 4)
        finished = self._wait(part, patience)
        for position, answer in enumerate(part.answers):
            if answer is not None:
                batch.put(indexes[position], answer)
        if finished:
            return
        reason = self._restart()
        missing = [index for position, index in enumerate(indexes) if part.answers[position] is None]
        if len(indexes) == 1:
            batch.put(
                indexes[0], Answer(id=0, failure=Failure("worker", f"the worker broke on this case: {reason}", True))
            )
            return
        middle = max(1, len(missing) // 2)
        for half in (missing[:middle], missing[middle:]):
            if half:
                self._halve(batch, half, reason)
