"""The process of a suite: everything that a suite's author wrote runs here, and nothing of it in the harness.

It speaks the wire protocol (docs/reference/protocol.md) behind a first line, the order. Standard input is empty for the
suite's code and standard output is standard error, so that nothing it prints is taken for an answer. What its code
starts may not start more, and memory has a limit; how long a case takes is watched here and, from outside, by
`harness.targets.process`.
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
from harness.collector import SELDOM
from harness.diagnostics import InputError
from harness.subject.description import description
from harness.subject.order import SuiteOrder
from harness.subject.suitefile import AnySuite, import_suite
from harness.subject.suites import target_of
from harness.suite import Suite
from harness.targets.forkserver import BROKEN, serve_forks
from harness.targets.python import PythonTarget
from harness.targets.wire import encode_greeting, id_of

_CHUNK = 1 << 16
_MOST_STORED = 256
_MOST_FORKS = 32
"""How many processes the code of a suite may start in one life; what it starts may fork none."""
_NOTHING = msgspec.Raw(b"null")


class _Question(Case, frozen=True):
    """A case whose objects are still text: most are read as their type at once, and an old one is read once."""

    object: msgspec.Raw
    old: msgspec.Raw = _NOTHING


_QUESTIONS = msgspec.json.Decoder(_Question)
_ENCODER = msgspec.json.Encoder()
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


def main() -> None:
    """Be the server that such processes are forked from."""
    serve_forks(work)


def work() -> None:
    """Be one process of a suite. Ends it."""
    commands, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable(file=2, all_threads=False)
    lines = _Lines(commands)
    order = msgspec.json.decode(lines.first(), type=SuiteOrder)
    _settle_in(order)
    if order.action == "describe":
        _describe(order, out)
    else:
        _serve(order, lines, out)
    os._exit(0)


def _describe(order: SuiteOrder, out: int) -> None:
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

    told = description(read)
    if os.getpid() == own:
        _write(out, told)


def _settle_in(order: SuiteOrder) -> None:
    """Take over the surroundings of the caller, and the limits."""
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
    gc.set_threshold(*SELDOM)


def _fork_watch() -> Callable[[str, Any], None]:
    """Return a hook that lets this process start some others, and those none."""
    own, started = os.getpid(), 0

    def watch(event: str, _arguments: Any) -> None:
        nonlocal started
        if event == "os.fork" or event == "os.forkpty":
            started += 1
            if started > _MOST_FORKS or os.getpid() != own:
                raise RuntimeError(f"the code of a suite may start {_MOST_FORKS} processes, and those none")

    return watch


class _Lines:
    """Reads whole lines from a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest = descriptor, b""

    def first(self) -> bytes:
        """Return the first line."""
        while b"\n" not in self._rest and (chunk := os.read(self._descriptor, _CHUNK)):
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def __iter__(self) -> Iterator[bytes]:
        """Yield as many lines at a time as there are."""
        whole, _, rest = self._rest.rpartition(b"\n")
        if whole:
            yield whole
        while chunk := os.read(self._descriptor, _CHUNK):
            end = chunk.rfind(b"\n")
            if end < 0:
                rest += chunk
            else:
                whole, rest = rest + chunk[:end], chunk[end + 1 :]
                yield whole


def _serve(order: SuiteOrder, lines: _Lines, out: int) -> None:
    try:
        suite = import_suite(order.folder)
        assert isinstance(suite, Suite)
        target = target_of(suite, order.gates, order.patience)
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
            if os.getpid() != own:  # a fork of the suite's code that came back
                os._exit(0)
            _write(out, _encoded(answers))


class _CaseReader:
    """Makes cases of lines. Old objects stand in many: the same text gives the very same object."""

    def __init__(self) -> None:
        self._stored: dict[bytes, msgspec.Raw] = {}

    def answers(self, target: PythonTarget, text: bytes) -> list[Answer]:
        """Answer lines; one that cannot be read costs its own answer only."""
        try:
            cases = [self._case(one) for one in _QUESTIONS.decode_lines(text)]
        except _UNREADABLE as error:
            if b"\n" in text:
                return [answer for line in text.split(b"\n") for answer in self.answers(target, line)]
            return [Answer(id_of(text) or 0, failure=Failure("decode", str(error)))]
        return target.ask(cases)

    def _case(self, one: _Question) -> Case:
        return msgspec.structs.replace(one, old=self._old(one.old))

    def _old(self, raw: msgspec.Raw) -> Json:
        text = bytes(raw)
        if text == b"null":
            return None
        known = self._stored.get(text)
        if known is None:
            if len(self._stored) >= _MOST_STORED:
                self._stored.clear()
            known = self._stored[text] = raw.copy()  # without the text around it
        return known


def _encoded(answers: list[Answer]) -> bytes:
    try:
        return _ENCODER.encode_lines(answers)
    except (*_UNREADABLE, TypeError, OverflowError) as error:
        if len(answers) > 1:
            return b"".join(_encoded([one]) for one in answers)
        failure = Failure("worker", f"its answer is no JSON: {error}", True)
        return _ENCODER.encode_lines([Answer(answers[0].id, failure=failure)])


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
