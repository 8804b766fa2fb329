"""Runs a worker process and restarts it, so that every case gets an answer in bounded time, whatever the worker does.

Several batches are in flight at once (`harness.targets.life` reads and writes the pipes). When the worker dies, hangs
or violates the protocol:

1. It is killed and started again, and the cases without an answer are asked again.
2. The first of them is asked alone, because it is the most likely reason; the rest in halves.
3. A case that breaks a worker which has seen no other case gets a `Failure` of stage `worker`.

A worker that exceeds `harness.targets.limits` is given up: its last answers are returned, then every call raises.
"""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath

from harness.case import PROTOCOL, Answer, Case, Failure, TargetInfo
from harness.diagnostics import TargetError
from harness.targets.life import OWN_END, Batch, Child, Life
from harness.targets.limits import LIMITS, Limits, processes_in, tasks
from harness.targets.target import Closing
from harness.targets.wire import UNENCODABLE, encode_case

_STARTS = 3
_LINGER = 0.05
"""Time to read further output of a worker that broke before, after its last answer. Units: seconds."""
_NOTES = (1, 2, 3, 4, 5, 10, 20, 40)
"""The restarts that are reported; all of them would be too many lines."""
_TICK = 0.05
_REST = 0.2
"""Time limit for reading the output of a dead worker. Units: seconds."""
_CENSUS = 0.25
"""Interval in which the processes of a slow worker are counted. Units: seconds."""
_MIN_PATIENCE, _PATIENCE_FACTOR = 1.0, 4.0
"""Once a case has hung, the time limit for an answer is `_PATIENCE_FACTOR` times the slowest batch, at least
`_MIN_PATIENCE`. Units: seconds."""


class PendingBatch:
    """A batch in flight; `result` waits for it and restarts the worker if necessary."""

    def __init__(self, worker: WorkerProcess, batch: Batch) -> None:
        self._worker, self._batch = worker, batch

    @property
    def seconds(self) -> float:
        """The time that the worker took for this batch, without that for earlier ones."""
        return self._batch.seconds

    def wait(self, seconds: float) -> bool:
        """Wait for at most `seconds`. Returns: whether the batch is answered, or its worker has ended or hangs.

        `result` then returns immediately, or restarts the worker.
        """
        return self._worker._await(self._batch, seconds)

    def result(self) -> list[Answer]:
        """Return one answer per case, in the order of the cases."""
        return self._worker._collect(self._batch)


class WorkerProcess(Closing):
    """A `Target` behind a pipe that speaks the wire protocol.

    `env` is the whole environment (None: ours). `limits` are those of its time and restarts. `note` is called for
    restarts, `restarts` counts them; `encode_seconds` and `wait_seconds` are the caller's time for both. Not
    thread-safe. Raises TargetError when the worker cannot be started, speaks another protocol, or
    is given up.
    """

    restarts = 0

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        limits: Limits = LIMITS,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._argv, self._env, self._cwd = list(argv), env, None if cwd is None else os.fspath(cwd)
        self._limits, self._note = limits, note
        self._serial = 0
        self._in_flight: list[Batch] = []
        self._silent_lives = self._answered = self._judged = self._failed = 0
        self._waited = self._slowest = self._counted = 0.0
        self._has_hung = self._lingers = False
        self._witness: Case | None = None
        self._closed = False
        self._given_up: TargetError | None = None
        self.encode_seconds = self.wait_seconds = 0.0
        self._life = self._start()
        assert self._life.greeting is not None
        self._info = self._life.greeting

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
        if self._given_up is not None:
            raise self._given_up
        batch = Batch(cases)
        self._in_flight.append(batch)
        self._send(batch)
        return PendingBatch(self, batch)

    def close(self) -> None:
        """End the worker. May be called twice."""
        if not self._closed:
            self._closed = True
            self._life.end(grace=1.0)

    def _start(self) -> Life:
        if not self._argv:
            raise TargetError("no worker is named", fix="name a program, with its arguments")
        if self._cwd is not None and not FilePath(self._cwd).is_dir():
            raise TargetError(f"the folder for the worker {self._argv[0]} does not exist: {self._cwd}", fix="create it")
        before = tasks()
        life = Life(self._launch(), self._limits.line, self._limits.errors, before)
        try:
            self._introduce(life)
            end = time.monotonic() + self._limits.start
            while not life.greeted.wait(_TICK) and time.monotonic() < end:
                if life.has_ended() and not life.greeted.wait(_REST):
                    break
        except BaseException:  # Ctrl-C during the wait: no other code has a reference to this process yet
            life.kill()
            raise
        if life.greeting is None:
            has_ended = life.has_ended()
            life.break_("it ended" if has_ended else f"it printed nothing for {self._limits.start:g} seconds")
            life.kill()
            raise self._no_greeting(life)
        life.last_progress = time.monotonic()
        return life

    def _launch(self) -> Child:
        """Start the process. Raises: TargetError."""
        try:
            return subprocess.Popen(
                self._argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=None if self._env is None else dict(self._env), cwd=self._cwd, start_new_session=True, bufsize=0,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise _not_started(self._argv[0], error) from error

    def _introduce(self, life: Life) -> None:
        """Send a new life its configuration before the greeting; programs need none."""

    def _no_greeting(self, life: Life) -> TargetError:
        why = life.broken
        if how := life.ending():
            why += f" ({how})"
        if tail := life.tail():
            why += f"; the end of its stderr:\n{tail}"
        fix = "its first line must be a greeting of protocol " + str(PROTOCOL)
        fix += "; run `harness check-worker PROGRAM`, which checks every requirement of the protocol"
        return TargetError(f"the worker {self._argv[0]} did not greet", why, fix)

    def _send(self, batch: Batch) -> None:
        """Send the unanswered cases of a batch. Cases that are not valid JSON get a failure without being sent."""
        begin = time.perf_counter()
        life, first, parts = self._life, self._serial + 1, []
        if life.waiting <= 0:
            life.last_progress = time.monotonic()
            life.waiting = 0
        unencodable = []
        for index, case in enumerate(batch.cases):
            self._serial += 1
            try:
                parts.append(encode_case(case, self._serial))
            except UNENCODABLE as error:
                unencodable.append((index, f"{type(error).__name__}: {error}"))
            else:
                life.routes[self._serial] = (batch, index)
        for index, problem in unencodable:
            failure = Failure("decode", f"the case cannot be written as JSON: {problem}")
            batch.put(index, Answer(id=0, failure=failure))
        batch.serials = range(first, self._serial + 1)
        life.last_serial = self._serial
        life.waiting += len(parts)
        life.sent += len(parts)
        if parts:
            batch.begun = time.monotonic()
            life.send(b"".join(parts))
        self.encode_seconds += time.perf_counter() - begin

    def _collect(self, batch: Batch) -> list[Answer]:
        begin = time.perf_counter()
        try:
            if self._given_up is None:
                while not self._wait(batch, self._patience(self._limits.batch or 2 * self._limits.case)):
                    self._recover()
        except TargetError as error:
            self._given_up = error
        if batch in self._in_flight:
            self._in_flight.remove(batch)
            self._settle(batch)
        self.wait_seconds += time.perf_counter() - begin
        self._slowest = max(self._slowest, batch.seconds)
        if self._given_up is not None and batch.missing:
            return self._answers_before_end(batch, self._given_up)
        answers = [answer for answer in batch.answers if answer is not None]
        if answers and answers[-1].failure is None:
            self._witness = batch.cases[-1]
        self._judge(answers)
        return answers

    def _answers_before_end(self, batch: Batch, error: TargetError) -> list[Answer]:
        """Return the answers from before the worker was given up. Raises: TargetError if there are none."""
        if batch.missing == len(batch.cases):
            raise error
        failure = Failure("worker", f"not asked: {error.message}")
        for index in batch.unanswered():
            batch.put(index, Answer(id=0, failure=failure))
        return [answer for answer in batch.answers if answer is not None]

    def _judge(self, answers: Sequence[Answer]) -> None:
        """Give up a worker whose answers are mostly failures, or that starts too many processes."""
        limits = self._limits
        self._judged += len(answers)
        self._failed += sum(one.failure is not None and one.failure.stage == "worker" for one in answers)
        if self._judged >= limits.judged and self._failed > limits.failed * self._judged:
            why = f"{self._failed:,} of {self._judged:,} cases broke it or got no answer that could be read"
            self._given_up = self._failure(f"more than {limits.failed:.0%} of its answers failed", why)
        if self._life.answered and time.monotonic() - self._counted > 4 * _CENSUS:
            self._count(self._life)

    def _patience(self, seconds: float) -> float:
        """Return the time limit without an answer, which is shorter once a case has hung."""
        return min(seconds, max(_MIN_PATIENCE, _PATIENCE_FACTOR * self._slowest)) if self._has_hung else seconds

    def _settle(self, batch: Batch) -> None:
        """Remove the routes of a finished batch, and note harmless protocol violations once."""
        routes = self._life.routes
        for serial in batch.serials:
            routes.pop(serial, None)
        while self._life.oddities:
            text = f"the worker {self._argv[0]} is odd: {self._life.oddities.popleft()}"
            self._life.oddities.clear()
            self._note(text)

    def _wait(self, batch: Batch, patience: float) -> bool:
        """Wait until the batch is answered (True), or the worker broke or made no progress for `patience` (False)."""
        life, begun = self._life, time.monotonic()
        while not batch.done.wait(0.0 if life.broken else min(patience, _TICK)):
            if life.broken:
                break
            now = time.monotonic()
            if life.has_ended():
                if not batch.done.wait(_REST) and not life.broken:
                    life.break_("it ended, and something that it started holds its output")
            elif now - life.last_progress > patience:
                self._waited += now - max(begun, life.last_progress)
                life.break_(f"it gave no answer for {patience:g} seconds", has_hung=True)
            elif now - max(begun, self._counted) > _CENSUS:
                self._count(life)
        return batch.done.is_set() and not life.distrusted

    def _count(self, life: Life) -> None:
        """Count the processes of a life, and break it when they are too many."""
        self._counted, most = time.monotonic(), self._limits.processes
        if tasks() - life.tasks < most:  # looking at each process takes milliseconds
            return
        count = processes_in(life.process.pid)
        if count > most:
            life.break_(f"it started {count} processes, more than the {most} it may have")

    def _await(self, batch: Batch, seconds: float) -> bool:
        """Wait for a batch with a timeout of the caller, and notice if the worker is dead instead of slow."""
        until = time.monotonic() + seconds
        patience = self._patience(self._limits.batch or 2 * self._limits.case)
        while not batch.done.wait(max(0.0, min(until - time.monotonic(), _TICK))):
            now, life = time.monotonic(), self._life
            if life.broken or life.has_ended() or now - life.last_progress > patience:
                return True
            if now >= until:
                return False
        return True

    def _recover(self) -> None:
        """Restart the worker, then ask the unanswered cases again, batch by batch."""
        distrusted = self._life.distrusted
        reason = self._restart()
        for batch in list(self._in_flight):
            if distrusted:
                batch.forget()
            # With wrong ids, the first without an answer is no more suspect than any other.
            self._split(batch, batch.unanswered(), reason, suspect_first=not distrusted)

    def _split(self, batch: Batch, indexes: list[int], reason: str, *, suspect_first: bool) -> None:
        """Ask these cases again in parts."""
        parts = [indexes[:1], indexes[1:]] if suspect_first else [indexes[: len(indexes) // 2 or 1]]
        if not suspect_first:
            parts.append(indexes[len(parts[0]) :])
        for part in parts:
            if part:
                self._ask_again(batch, part, reason)

    def _ask_again(self, batch: Batch, indexes: list[int], reason: str) -> None:
        """Ask these cases again; split a batch that breaks the worker until the responsible case is alone."""
        life = self._life
        fresh = not life.sent
        part = Batch([batch.cases[index] for index in indexes])
        self._send(part)
        alone = len(indexes) == 1
        case = self._limits.case
        finished = self._wait(part, self._patience(case if alone else max(0.5, case / 4)))
        if finished:
            time.sleep(_LINGER)
            finished = not life.broken
        if not finished:
            reason = self._restart()  # before the answers are read: the last ones may just come in
        if life.distrusted:
            part.forget()
        for position, answer in enumerate(part.answers):
            if answer is not None:
                batch.put(indexes[position], answer)
        missing = [index for position, index in enumerate(indexes) if part.answers[position] is None]
        if not missing:
            self._settle(part)
        elif alone and fresh:
            self._blame(batch, indexes[0], reason, life.has_hung)
        elif alone:
            self._ask_again(batch, missing, reason)  # this time of a worker that has seen nothing else
        else:
            halving = life.distrusted or len(missing) == len(indexes)
            self._split(batch, missing, reason, suspect_first=not halving)

    def _blame(self, batch: Batch, index: int, reason: str, has_hung: bool) -> None:
        self._has_hung = self._has_hung or has_hung
        batch.put(index, Answer(id=0, failure=Failure("worker", f"the worker broke on this case: {reason}", True)))

    def _restart(self) -> str:
        """Start a new life. Returns: a sentence why the old one ended."""
        life = self._life
        life.kill(_REST if self._lingers else OWN_END)
        self._lingers = self._lingers or life.lingered
        reason = life.broken
        if how := life.ending():
            reason += f" ({how})"
        if words := life.error_line():
            reason += f"; last words: {words}"
        self._silent_lives = 0 if life.answered else self._silent_lives + 1
        self._answered += life.answered
        self.restarts += 1
        if self.restarts in _NOTES:
            more = "; only some of the next restarts are reported" if self.restarts == 5 else ""
            number = f" ({self.restarts} times by now)" if self.restarts > 5 else ""
            self._note(f"the worker was restarted{number}: {reason}{more}")
        self._check_limits(reason)
        self._life = self._start_again()
        if self._silent_lives > self._limits.silent:
            self._demand_a_proof(reason)
        return reason

    def _check_limits(self, reason: str) -> None:
        """Raise TargetError if the worker exceeded a limit."""
        limits = self._limits
        allowed = limits.restarts + self._answered // limits.per_restart
        if self.restarts > allowed:
            raise self._failure(f"it was restarted {self.restarts} times for {self._answered:,} answers", reason)
        if self._waited > limits.waiting:
            raise self._failure(f"it was waited for in vain for more than {limits.waiting:g} seconds", reason)

    def _failure(self, limit: str, why: str) -> TargetError:
        fix = "fix the failures that the report shows; `harness check-worker PROGRAM` tests a worker"
        return TargetError(f"the worker {self._argv[0]} was given up: {limit}", why, fix)

    def _start_again(self) -> Life:
        for _ in range(_STARTS - 1):
            try:
                return self._start()
            except TargetError:
                time.sleep(0.1)
        return self._start()

    def _demand_a_proof(self, reason: str) -> None:
        """Ask a case that was answered before: a worker that cases kill may continue, one without answers may not."""
        if self._witness is not None:
            proof = Batch([self._witness])
            self._send(proof)
            if self._wait(proof, self._patience(self._limits.case)):
                self._silent_lives = 0
                return
        raise self._failure(f"it was restarted {self._silent_lives} times without giving any answer", reason)


def _not_started(program: str, error: Exception) -> TargetError:
    number = error.errno if isinstance(error, OSError) else None
    fixes = {
        errno.ENOENT: "check the spelling; a program that is not on PATH is named with its folder (./worker); "
        "a script needs an interpreter that exists in its first line",
        errno.EACCES: f"make it executable: chmod +x {program}",
        errno.ENOEXEC: "use a program for this machine; a script begins with a line such as #!/usr/bin/env node",
    }
    reason = os.strerror(number) if number else str(error)
    return TargetError(f"the worker {program} does not start", reason, fixes.get(number or 0, "name another program"))
