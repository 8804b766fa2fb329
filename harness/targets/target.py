"""Defines the interface of a target, which answers cases in order. A target is a black box and does not read tags."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from types import TracebackType
from typing import Protocol, Self, TypeVar

from harness.case import Answer, Case, TargetInfo

R = TypeVar("R")


def drive(search: Generator[list[Case], list[Answer], R], ask: Callable[[list[Case]], list[Answer]]) -> R:
    """Run a generator that yields batches of cases: send it their answers until it returns, and return its result."""
    try:
        cases = next(search)
        while True:
            cases = search.send(ask(cases))
    except StopIteration as stop:
        result: R = stop.value
        return result


class Closing:
    """Base class of targets: makes them context managers that close themselves."""

    @property
    def restarts(self) -> int:
        """The number of restarts of the target's process; 0 for a target without a process."""
        return 0

    def close(self) -> None:
        """Free all resources. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Pending(Protocol):
    """A batch that was submitted."""

    @property
    def seconds(self) -> float:
        """The time that the target's process worked on the answered batch; 0 if the caller's process did the work."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait at most this time. Returns: False if the batch is unanswered; True also if only `result` can tell."""
        ...

    def result(self) -> list[Answer]:
        """Wait for the batch and return one answer per case, in order. Never raises for a bad object."""
        ...


class AskedLater:
    """A batch in flight whose answers are made from those of another batch, when they have arrived."""

    def __init__(self, inner: Pending, make: Callable[[list[Answer]], list[Answer]]) -> None:
        self._inner, self._make = inner, make

    @property
    def seconds(self) -> float:
        """The time of the other batch."""
        return self._inner.seconds

    def wait(self, seconds: float) -> bool:
        """Wait for the other batch."""
        return self._inner.wait(seconds)

    def result(self) -> list[Answer]:
        """Wait for the other batch and make the answers."""
        return self._make(self._inner.result())


class Target(Protocol):
    """A program or library that answers cases.

    `ask` and `submit` answer every case of the batch, in order. A bad object, a panic, and a worker that dies or hangs
    result in an answer with a `Failure`. Both raise only `TargetError`, if the target cannot be used any more.
    """

    @property
    def info(self) -> TargetInfo:
        """The kinds that the target serves, and its abilities."""
        ...

    @property
    def restarts(self) -> int:
        """The number of restarts of the target's process."""
        ...

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        ...

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; several may be in flight, and results may be collected in any order."""
        ...

    def close(self) -> None:
        """Free all resources of the target. May be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
