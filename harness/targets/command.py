"""Runs any program that speaks the wire protocol as a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.targets.limits import LIMITS, Limits
from harness.targets.process import WorkerProcess


class CommandTarget(WorkerProcess):
    """A program as a target. `argv` is the program with its arguments; it is started without a shell."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        limits: Limits = LIMITS,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        super().__init__(argv, limits=limits, note=note)
