"""A worker process: started, fed, watched, restarted. Whatever it does, no case is lost.

Many batches are in flight at once (`harness.targets.life` keeps the pipes moving). When the worker dies, hangs or
prints rubbish, it is killed and started again, and the cases without an answer are asked again: the first of them
alone, since it is the likely one, then the rest in halves, until the killing case is alone. It gets a `Failure` of
stage `worker`, every other case its answer. A case is blamed only when it broke a worker that had seen nothing else.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path as FilePath

from harness.case import PROTOCOL, Answer, Case, Failure, TargetInfo
from harness.diagnostics import TargetError
from harness.targets.life import MAX_LINE, Batch, Life
from harness.targets.target import Closing
from harness.targets.wire import UNENCODABLE, encode_case

_STARTS = 3
_HOPELESS = 24
"""Restarts in a row without a single answer after which the worker must prove that it still works."""
_LINGER = 0.05
"""Units: seconds. How long a worker that broke before is listened to after its last answer: more may come."""
_NOTES = 5
"""Restarts that are told one by one; more of them would bury everything else."""


class PendingBatch:
    """A batch in flight; `result` waits for it and repairs the worker when that is needed."""

    def __init__(self, worker: WorkerProcess, batch: Batch) -> None:
        self._worker, self._batch = worker, batch

    @property
    def seconds(self) -> float:
        """How long the worker had nothing else to do than this batch and later ones."""
        return self._batch.seconds

    def wait(self, seconds: float) -> bool:
        """Wait at most so long. Returns: whether the batch is answered, or its worker has ended or hangs.

        Then `result` says what became of it, and starts another one.
        """
        return self._worker._await(self._batch, seconds)

    def result(self) -> list[Answer]:
        """Return one answer per case, in the order of the cases."""
        return self._worker._collect(self._batch)


class WorkerProcess(Closing):
    """A `Target` behind a pipe that speaks the wire protocol.

    `env` is the whole environment (None: ours). `start_timeout` bounds the greeting, `batch_timeout` the time without
    any answer while cases wait, `case_timeout` the same for a case that is asked alone (seconds). `note` hears of
    restarts, `restarts` counts them; `encode_seconds` and `wait_seconds` say where the time of the caller went.
    Not for several threads at once. Raises TargetError when the worker cannot be started, speaks another protocol, or
    dies again and again without answering anything.
    """

    restarts = 0

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        start_timeout: float = 60.0,
        batch_timeout: float | None = None,
        case_timeout: float = 10.0,
        max_line: int = MAX_LINE,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._argv, self._env, self._cwd = list(argv), env, None if cwd is None else os.fspath(cwd)
        self._start_timeout, self._case_timeout, self._note = start_timeout, case_timeout, note
        self._batch_timeout = 2 * case_timeout if batch_timeout is None else batch_timeout
        self._max_line = max_line
        self._serial = 0
        self._in_flight: list[Batch] = []
        self._hopeless = 0
        self._witness: Case | None = None
        self._closed = False
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
        try:
            life = Life(self._argv, self._env, self._cwd, self._max_line)
        except (OSError, ValueError) as error:
            raise _not_started(self._argv[0], error) from error
        try:
            life.greeted.wait(self._start_timeout)
        except BaseException:  # Ctrl-C while we wait: nobody else knows of this process yet
            life.kill()
            raise
        if life.greeting is None:
            life.break_(f"it printed nothing for {self._start_timeout:g} seconds")
            life.kill()
            raise self._no_greeting(life)
        life.last_progress = time.monotonic()
        return life

    def _no_greeting(self, life: Life) -> TargetError:
        why = life.broken
        if how := life.ending():
            why += f" ({how})"
        if tail := life.tail():
            why += f"; its last words on stderr:\n{tail}"
        fix = "its first line must be a greeting of protocol " + str(PROTOCOL)
        fix += "; run `harness check-worker PROGRAM`: it tells what the protocol wants"
        return TargetError(f"the worker {self._argv[0]} did not greet", why, fix)

    def _send(self, batch: Batch) -> None:
        """Send the cases of a batch that have no answer yet. What is not JSON is answered here."""
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
        while not self._wait(batch, self._batch_timeout):
            self._recover()
        if batch in self._in_flight:
            self._in_flight.remove(batch)
            self._settle(batch)
        self.wait_seconds += time.perf_counter() - begin
        answers = [answer for answer in batch.answers if answer is not None]
        if answers and answers[-1].failure is None:
            self._witness = batch.cases[-1]
        return answers

    def _settle(self, batch: Batch) -> None:
        """Forget the routes of a collected batch, and tell once what its worker did without harm."""
        routes = self._life.routes
        for serial in batch.serials:
            routes.pop(serial, None)
        while self._life.oddities:
            text = f"the worker {self._argv[0]} is odd: {self._life.oddities.popleft()}"
            self._life.oddities.clear()
            self._note(text)

    def _wait(self, batch: Batch, patience: float) -> bool:
        """Wait until the batch is answered (True), or the worker broke or made no progress for `patience` (False)."""
        life = self._life
        while not batch.done.wait(0.0 if life.broken else min(patience, 0.05)):
            if life.broken:
                break
            if time.monotonic() - life.last_progress > patience:
                life.break_(f"it gave no answer for {patience:g} seconds")
        return batch.done.is_set() and not life.distrusted

    def _await(self, batch: Batch, seconds: float) -> bool:
        """Wait for a batch that somebody may give up, who must not take a dead worker for a slow one."""
        until = time.monotonic() + seconds
        while not batch.done.wait(max(0.0, min(until - time.monotonic(), 0.05))):
            now, life = time.monotonic(), self._life
            if life.broken or now - life.last_progress > self._batch_timeout:
                return True
            if now >= until:
                return False
        return True

    def _recover(self) -> None:
        """Restart the worker, then ask what is missing, batch by batch."""
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
        """Ask these cases again; split what breaks the worker until the killing case is alone."""
        life = self._life
        fresh = not life.sent
        part = Batch([batch.cases[index] for index in indexes])
        self._send(part)
        alone = len(indexes) == 1
        finished = self._wait(part, self._case_timeout if alone else max(0.5, self._case_timeout / 4))
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
            self._blame(batch, indexes[0], reason)
        elif alone:
            self._ask_again(batch, missing, reason)  # this time of a worker that has seen nothing else
        else:
            halving = life.distrusted or len(missing) == len(indexes)
            self._split(batch, missing, reason, suspect_first=not halving)

    def _blame(self, batch: Batch, index: int, reason: str) -> None:
        batch.put(index, Answer(id=0, failure=Failure("worker", f"the worker broke on this case: {reason}", True)))

    def _restart(self) -> str:
        """Start a new life. Returns: why the old one ended, in words for people."""
        life = self._life
        life.kill()
        reason = life.broken
        if how := life.ending():
            reason += f" ({how})"
        if words := life.words():
            reason += f"; last words: {words}"
        self._hopeless = 0 if life.answered else self._hopeless + 1
        self.restarts += 1
        if self.restarts <= _NOTES:
            more = "; further restarts are not told" if self.restarts == _NOTES else ""
            self._note(f"the worker was restarted: {reason}{more}")
        self._life = self._start_again()
        if self._hopeless > _HOPELESS:
            self._demand_a_proof(reason)
        return reason

    def _start_again(self) -> Life:
        for _ in range(_STARTS - 1):
            try:
                return self._start()
            except TargetError:
                time.sleep(0.1)
        return self._start()

    def _demand_a_proof(self, reason: str) -> None:
        """Ask what was answered before: a worker that many cases kill may go on, one that answers nothing may not."""
        if self._witness is not None:
            proof = Batch([self._witness])
            self._send(proof)
            if self._wait(proof, self._case_timeout):
                self._hopeless = 0
                return
        raise TargetError(
            f"the worker {self._argv[0]} was restarted {self._hopeless} times without giving any answer",
            reason,
            "run `harness check-worker PROGRAM`",
        )


def _not_started(program: str, error: Exception) -> TargetError:
    number = error.errno if isinstance(error, OSError) else None
    fixes = {
        errno.ENOENT: "check the spelling; a program that is not on PATH is named with its folder (./worker); "
        "a script needs an interpreter that exists in its first line",
        errno.EACCES: f"make it executable: chmod +x {program}",
        errno.ENOEXEC: "it is no program for this machine; a script begins with a line such as #!/usr/bin/env node",
    }
    reason = os.strerror(number) if number else str(error)
    return TargetError(f"the worker {program} does not start", reason, fixes.get(number or 0, "name another program"))
