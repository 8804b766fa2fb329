"""Runs the code of a suite: the main function of the suite's process.

The process reads a first line with its task, and then speaks the wire protocol (docs/reference/protocol.md). For the
suite's code, standard input is empty and standard output is redirected to standard error, because otherwise its prints
would be read as answers. Memory and the number of child processes are limited. The time of a case is limited here, and
by `harness.targets.process` in the process of the harness.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import FrameType
from typing import Any

import msgspec

from harness.case import Answer, Case, Failure, Json
from harness.collector import RARE_THRESHOLDS
from harness.diagnostics import InputError
from harness.subject.description import describe_suite
from harness.subject.order import SuiteOrder
from harness.subject.suitefile import AnySuite, import_suite
from harness.subject.suites import target_of
from harness.subject.validators import validator_target
from harness.suite import Suite
from harness.targets.forkserver import BROKEN, serve_forks
from harness.targets.python import PythonTarget
from harness.targets.wire import encode_greeting, id_of

_CHUNK = 1 << 16
_MAX_CACHED = 256
"""At most this many old objects are cached."""
_MAX_FORKS = 32
"""At most this many processes that the code of a suite starts; these may start none."""
_NULL = msgspec.Raw(b"null")


class _RawCase(Case, frozen=True):
    """A case whose objects are JSON text. They are decoded to their types later, an old object of many cases once."""

    object: msgspec.Raw
    old: msgspec.Raw = _NULL


_CASES = msgspec.json.Decoder(_RawCase)
_ENCODER = msgspec.json.Encoder()
_DECODE_ERRORS = (msgspec.MsgspecError, ValueError, RecursionError)


def main() -> None:
    """Run the server from which the processes of suites are forked."""
    serve_forks(work)


def work() -> None:
    """Run one process of a suite, and exit."""
    commands, out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable(file=2, all_threads=False)
    lines = _Lines(commands)
    order = msgspec.json.decode(lines.first(), type=SuiteOrder)
    _set_up(order)
    if order.action == "describe":
        _describe(order, out)
    else:
        _serve(order, lines, out)
    os._exit(0)


def _describe(order: SuiteOrder, out: int) -> None:
    """Import the suite within its time limit, and write its description or its diagnostics."""
    own = os.getpid()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"it did not end within {order.patience:g} seconds")

    signal.signal(signal.SIGALRM, stop)

    def read() -> AnySuite:
        signal.setitimer(signal.ITIMER_REAL, order.patience)
        try:
            return import_suite(order.folder)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    text = describe_suite(read)
    if os.getpid() == own:  # the suite's code may have forked and returned in both processes
        _write(out, text)


def _set_up(order: SuiteOrder) -> None:
    """Set the folder, `sys.path` and environment to those of the caller, and set the limits of this process."""
    with suppress(OSError):
        os.chdir(order.cwd)
    sys.path[:] = order.path
    os.environ.clear()
    os.environ.update(order.environment)
    with suppress(OSError, ValueError):  # a lower limit may be set already
        resource.setrlimit(resource.RLIMIT_AS, (order.memory, order.memory))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_fork_watch())
    gc.freeze()
    gc.set_threshold(*RARE_THRESHOLDS)


def _fork_watch() -> Callable[[str, Any], None]:
    """Return an audit hook that limits how many processes this process forks, and lets those fork none."""
    own, started = os.getpid(), 0

    def watch(event: str, _arguments: Any) -> None:
        nonlocal started
        if event == "os.fork" or event == "os.forkpty":
            started += 1
            if started > _MAX_FORKS or os.getpid() != own:
                raise RuntimeError(f"the code of a suite may start {_MAX_FORKS} processes, and those none")

    return watch


class _Lines:
    """Reads complete lines from a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""

    def first(self) -> bytes:
        """Return the first line."""
        while b"\n" not in self._rest and (chunk := os.read(self._descriptor, _CHUNK)):
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def __iter__(self) -> Iterator[bytes]:
        """Yield all complete lines that are available, as one text."""
        lines, _, rest = self._rest.rpartition(b"\n")
        if lines:
            yield lines
        while chunk := os.read(self._descriptor, _CHUNK):
            end = chunk.rfind(b"\n")
            if end < 0:
                rest += chunk
            else:
                lines, rest = rest + chunk[:end], chunk[end + 1 :]
                yield lines


def _serve(order: SuiteOrder, lines: _Lines, out: int) -> None:
    try:
        suite = import_suite(order.folder)
        assert isinstance(suite, Suite)
        target = (
            validator_target(suite, order.patience, alone=True)
            if suite.has_validators
            else target_of(suite, order.gates, order.patience)
        )
    except InputError as error:
        sys.stderr.write(f"{error.diagnostics[0].message}\n")
        sys.stderr.flush()
        os._exit(BROKEN)
    own = os.getpid()
    _write(out, encode_greeting(target.info))
    reader = _CaseReader()
    for text in lines:
        for part in text.split(b"\n") if order.careful else (text,):
            answers = reader.answers(target, part)
            if os.getpid() != own:  # the suite's code forked, and the child returned from the validator
                os._exit(0)
            _write(out, _encode(answers))


class _CaseReader:
    """Decodes lines to cases. Equal texts of old objects become the same object, so that it is decoded only once."""

    def __init__(self) -> None:
        self._cache: dict[bytes, msgspec.Raw] = {}

    def answers(self, target: PythonTarget, text: bytes) -> list[Answer]:
        """Answer the cases of some lines. A line that cannot be decoded gets a failure of its own."""
        try:
            cases = [self._share_old(one) for one in _CASES.decode_lines(text)]
        except _DECODE_ERRORS as error:
            if b"\n" in text:
                return [answer for line in text.split(b"\n") for answer in self.answers(target, line)]
            return [Answer(id_of(text) or 0, failure=Failure("decode", str(error)))]
        return target.ask(cases)

    def _share_old(self, one: _RawCase) -> Case:
        return msgspec.structs.replace(one, old=self._cached(one.old))

    def _cached(self, raw: msgspec.Raw) -> Json:
        text = bytes(raw)
        if text == b"null":
            return None
        known = self._cache.get(text)
        if known is None:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            known = self._cache[text] = raw.copy()  # the original keeps the text of the whole batch in memory
        return known


def _encode(answers: list[Answer]) -> bytes:
    """Encode answers as lines. An answer that has no JSON is replaced by a failure."""
    try:
        return _ENCODER.encode_lines(answers)
    except (*_DECODE_ERRORS, TypeError, OverflowError) as error:
        if len(answers) > 1:
            return b"".join(_encode([one]) for one in answers)
        failure = Failure("worker", f"its answer is no JSON: {error}", True)
        return _ENCODER.encode_lines([Answer(answers[0].id, failure=failure)])


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
