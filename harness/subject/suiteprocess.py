"""Runs a suite as a target in a separate process, so that a crash or an endless loop of its code does not end a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from harness.case import STOPPED, Answer
from harness.diagnostics import TargetError
from harness.subject.order import SERVER, SuiteOrder
from harness.targets.life import Child, Life
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess

LIMITS = Limits(start=60.0, case=10.0)
MAX_STOPPED_CASES = 30
"""At most this many cases that exceed their time limit; then the target fails. They take some twenty seconds together,
because the limit becomes shorter after each."""


class SuiteTarget(WorkerProcess):
    """The suite of a folder, in a process that is connected by pipes. Raises: TargetError."""

    def __init__(
        self,
        name: str,
        folder: str,
        gates: Mapping[str, bool],
        *,
        limits: Limits = LIMITS,
        order: SuiteOrder | None = None,
        note: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._order = order or SuiteOrder("serve", folder, dict(gates))
        self._stopped = 0
        super().__init__([f"of the suite {name}"], limits=limits, note=note)

    def _launch(self) -> Child:
        return SERVER.start()

    def _introduce(self, life: Life) -> None:
        life.send(self._order.line())
        # If the process is started again, a case may have killed it. Single answers show which case does so again.
        self._order = msgspec.structs.replace(self._order, careful=True)

    def _no_greeting(self, life: Life) -> TargetError:
        ending, why = life.ending(), life.broken
        why += f" ({ending})" if ending else ""
        if stderr := life.error_line():
            why += f"; the end of its stderr: {stderr}"
        fix = "check what its code, with its threads, does to the process during import (open files, memory, signals)"
        return TargetError(f"{self._argv[0].removeprefix('of ')} could not be started", why, fix)

    def _judge(self, answers: Sequence[Answer]) -> None:
        super()._judge(answers)
        self._stopped += sum(one.failure is not None and one.failure.message.startswith(STOPPED) for one in answers)
        if self._stopped > MAX_STOPPED_CASES and self._given_up is None:
            why = "a validator, a default, a conversion or prepare loops or waits for some objects"
            self._given_up = self._failure(f"{self._stopped} cases did not end in time", why)
