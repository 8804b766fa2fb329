"""A fork server: starts Python workers in milliseconds by forking a process that has imported their modules.

The server is a separate program, so that workers inherit no threads, locks or open files of the caller. It imports the
modules of workers, runs none of their code, and ends together with all its workers when the caller ends.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO

from harness.diagnostics import TargetError

PATIENCE = 30.0
"""How long the server may take to start a process. Units: seconds."""
BROKEN = 70
"""Exit code of a process whose work raised an exception."""
_LAST_WORDS = 1 << 16
_CHUNK = 1 << 16
_MAX_MESSAGE = 500
"""Maximum characters of the error that a process reports when it ends."""


class Forked:
    """A process that the server forked, with the interface of `subprocess.Popen`: its own session, three pipes."""

    def __init__(self, stdin: int, stdout: int, stderr: int, status: int) -> None:
        self.stdin: IO[bytes] | None = os.fdopen(stdin, "wb", buffering=0)
        self.stdout: IO[bytes] | None = os.fdopen(stdout, "rb", buffering=0)
        self.stderr: IO[bytes] | None = os.fdopen(stderr, "rb", buffering=0)
        self.returncode: int | None = None
        self._status = os.fdopen(status, "rb", buffering=0)
        self._status_text = b""
        self.pid = self._read_pid()

    def poll(self) -> int | None:
        """Return how the process ended, negative for a signal; None while it runs."""
        self._listen(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end. Raises: subprocess.TimeoutExpired."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0.0)
            self._listen(left)
        return self.returncode

    def close(self) -> None:
        """Close every pipe. May be called twice."""
        for pipe in (self.stdin, self.stdout, self.stderr, self._status):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _read_pid(self) -> int:
        end = time.monotonic() + PATIENCE
        while not self._status_text.count(b"\n") and self.returncode is None:
            left = end - time.monotonic()
            if left <= 0:
                break
            self._listen(left)
        first = self._status_text.partition(b"\n")[0]
        if not first.startswith(b"p"):
            self.close()
            raise OSError(f"no process was started within {PATIENCE:g} seconds")
        return int(first[1:])

    def _listen(self, seconds: float | None) -> None:
        """Read the status of the process from the server, for at most `seconds`."""
        if self.returncode is not None or not select.select([self._status], [], [], seconds)[0]:
            return
        chunk = os.read(self._status.fileno(), 64)
        self._status_text += chunk
        for line in self._status_text.split(b"\n")[:-1]:
            if line.startswith(b"x"):
                self.returncode = int(line[1:])
        if not chunk and self.returncode is None:
            self.returncode = -signal.SIGKILL  # the server is gone, and took with it what it had started
        if self.returncode is not None:
            self._status.close()


class ForkServer:
    """Starts processes that run `main` of a module. The server itself starts with the first process."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._owner = 0
        self._server: subprocess.Popen[bytes] | None = None
        self._link: socket.socket | None = None

    def start(self) -> Forked:
        """Start a process. Raises: TargetError."""
        for _ in range(2):  # the server may have been killed since its last use
            try:
                return self._fork(self._connect())
            except OSError as error:
                problem = error
                self.close()
        fix = "check the free memory and the number of processes of this machine"
        raise TargetError("no process could be started for the suite", str(problem), fix)

    def warm(self) -> None:
        """Start the server, without waiting for it."""
        with contextlib.suppress(OSError):
            self._connect()

    def close(self) -> None:
        """End the server and all that it started."""
        if self._link is not None:
            self._link.close()
        if self._server is not None and self._owner == os.getpid():
            try:
                self._server.wait(2.0)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
        self._link = self._server = None

    def _connect(self) -> socket.socket:
        if self._link is not None and self._owner == os.getpid():
            return self._link
        ours, theirs = socket.socketpair()
        code = f"import sys; sys.path.append(sys.argv[1]); from {self._module} import main; main()"
        # -P keeps the current folder off its path, because a `select.py` there would replace the standard module.
        argv = [sys.executable, "-P", "-c", code, str(Path(__file__).parents[2])]
        self._server = subprocess.Popen(argv, stdin=theirs.fileno(), stdout=subprocess.DEVNULL, start_new_session=True)
        theirs.close()
        self._link, self._owner = ours, os.getpid()
        atexit.register(self.close)
        return ours

    def _fork(self, link: socket.socket) -> Forked:
        pairs = [os.pipe() for _ in range(4)]
        (stdin, our_stdin), (our_stdout, stdout), (our_stderr, stderr), (our_status, status) = pairs
        try:
            socket.send_fds(link, [b"f"], [stdin, stdout, stderr, status])
        except OSError:
            for one in (our_stdin, our_stdout, our_stderr, our_status):
                os.close(one)
            raise
        finally:
            for one in (stdin, stdout, stderr, status):
                os.close(one)
        return Forked(our_stdin, our_stdout, our_stderr, our_status)


def exchange(process: Forked, data: bytes, seconds: float, most: int) -> tuple[bytes, bytes, str]:
    """Send input to a process, read its output until it ends, and end its session.

    Returns: its output, the end of its stderr, and the reason why it was killed, if it did not end by itself.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    out, words, why = [b""], b"", ""
    end, size = time.monotonic() + seconds, 0
    open_pipes = [process.stdout, process.stderr]
    try:
        process.stdin.write(data)  # a pipe holds more than that
        process.stdin.close()
        while process.stdout in open_pipes:
            ready = select.select(open_pipes, [], [], min(0.25, max(0.0, end - time.monotonic())))[0]
            for pipe in ready:
                chunk = os.read(pipe.fileno(), _CHUNK)
                if not chunk:
                    open_pipes.remove(pipe)
                elif pipe is process.stderr:
                    words = (words + chunk)[-_LAST_WORDS:]
                else:
                    out.append(chunk)
                    size += len(chunk)
            if size > most:
                why = f"printed more than {most:,} bytes"
            elif time.monotonic() >= end:
                why = f"did not end within {seconds:g} seconds"
            if why or (not ready and process.poll() is not None):
                break
    except BrokenPipeError:
        pass
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            if not why:
                process.wait(1.0)
        process.poll()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        errors = process.stderr.fileno()
        with contextlib.suppress(OSError):
            while select.select([errors], [], [], 0.0)[0] and (chunk := os.read(errors, _CHUNK)):
                words = (words + chunk)[-_LAST_WORDS:]
        process.close()
    return b"".join(out), words, why


# In the server


def serve_forks(work: Callable[[], None]) -> None:
    """Fork a process for every request on standard input, until that is closed. `work` runs in each, and must exit."""
    link = socket.socket(fileno=os.dup(0))
    children: dict[int, int] = {}
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    gc.collect()
    gc.freeze()  # keeps memory pages shared with forked processes
    while True:
        ready = select.select([link.fileno(), woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            _reap(children)
        if link.fileno() in ready:
            try:
                asked, pipes, _, _ = socket.recv_fds(link, 1, 4)
            except ConnectionError:
                asked, pipes = b"", []
            if not asked or len(pipes) < 4:
                break
            _fork(work, pipes, children)
    for pid in children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    os._exit(0)


def _fork(work: Callable[[], None], pipes: list[int], children: dict[int, int]) -> None:
    status = pipes[3]
    try:
        pid = os.fork()
    except OSError as error:
        os.write(status, b"e" + str(error).encode()[:60].replace(b"\n", b" ") + b"\n")
        pid = -1
    if pid == 0:
        try:
            _set_up_child(pipes)
            work()
        except BaseException as error:
            # No traceback, because the suite's code may have broken the modules that format one.
            os.write(2, f"{_describe_error(error)}\n".encode("utf-8", "replace"))
        finally:
            os._exit(BROKEN)
    for one in pipes[:3] if pid > 0 else pipes:
        os.close(one)
    if pid > 0:
        children[pid] = status


def _describe_error(error: BaseException) -> str:
    """Return an exception and its position in one line. Never raises."""
    text = type(error).__name__
    with contextlib.suppress(BaseException):
        text += f": {' '.join(str(error).split())[:_MAX_MESSAGE]}"
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        text += f" (in {os.path.basename(frame.f_code.co_filename)}, line {line})"
    return text


def _set_up_child(pipes: list[int]) -> None:
    """Set up the forked process: its own session, the three pipes as standard streams, all other files closed."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.write(pipes[3], b"p%d\n" % os.getpid())
    for number, pipe in enumerate(pipes[:3]):
        os.dup2(pipe, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 1 << 16 else 1 << 16)


def _reap(children: dict[int, int]) -> None:
    while children:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        status = children.pop(pid, None)
        if status is not None:
            with contextlib.suppress(OSError):
                os.write(status, b"x%d\n" % os.waitstatus_to_exitcode(ended))
            os.close(status)
