"""The protocol of a target: cases in, answers out, in order. A target is a black box and knows no tags."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from types import TracebackType
from typing import Protocol, Self, TypeVar

from harness.case import Answer, Case, TargetInfo

R = TypeVar("R")


def drive(search: Generator[list[Case], list[Answer], R], ask: Callable[[list[Case]], list[Answer]]) -> R:
    """Answer what a generator asks, batch by batch, until it returns."""
    try:
        cases = next(search)
        while True:
            cases = search.send(ask(cases))
    except StopIteration as stop:
        result: R = stop.value
        return result


class Closing:
    """What is used in a `with` and closed at its end."""

    @property
    def restarts(self) -> int:
        """How often a process had to be started again; without one, never. Who wraps a target asks that."""
        return 0

    def close(self) -> None:
        """Free what is held. May be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Pending(Protocol):
    """A batch on its way."""

    @property
    def seconds(self) -> float:
        """How long a process of its own has worked on the answered batch; 0 where the caller's has done the work."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait at most so long. Returns: whether the batch is answered, or nothing can be known without `result`."""
        ...

    def result(self) -> list[Answer]:
        """Wait for the batch and return one answer per case, in order. Never raises for a bad object."""
        ...


class Target(Protocol):
    """Somebody who answers cases.

    Both calls answer every case of the batch, in order. A bad object, a panic, a worker that dies or hangs gives an
    answer with a `Failure`. Raises only `TargetError`, when the target cannot be used at all any more.
    """

    @property
    def info(self) -> TargetInfo:
        """What the target serves and can do."""
        ...

    @property
    def restarts(self) -> int:
        """How often a process had to be started again."""
        ...

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        ...

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; several may be in flight, and results may be collected in any order."""
        ...

    def close(self) -> None:
        """Free what the target holds. May be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
