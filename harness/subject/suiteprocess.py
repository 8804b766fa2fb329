"""A suite as a target in a process of its own: whatever its code does, the search goes on or says why it cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from harness.case import Answer
from harness.diagnostics import TargetError
from harness.subject.order import SERVER, SuiteOrder
from harness.targets.life import Child, Life
from harness.targets.limits import Limits
from harness.targets.process import WorkerProcess
from harness.targets.python import STOPPED

LIMITS = Limits(start=60.0, case=10.0)
MOST_STOPPED = 30
"""How many cases may run past their time before the suite is given up: some twenty seconds, since each gets less."""


class SuiteTarget(WorkerProcess):
    """The suite of a folder, behind pipes. Raises: TargetError."""

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

    def _launched(self) -> Child:
        return SERVER.start()

    def _introduce(self, life: Life) -> None:
        life.send(self._order.line())
        # Whoever started a second time may have died of a case: the next one is to be found soon.
        self._order = msgspec.structs.replace(self._order, careful=True)

    def _no_greeting(self, life: Life) -> TargetError:
        how, why = life.ending(), life.broken
        why += f" ({how})" if how else ""
        if words := life.words():
            why += f"; its last words: {words}"
        fix = "look what its code does to its own process when it is imported, in threads too (files, memory, signals)"
        return TargetError(f"{self._argv[0].removeprefix('of ')} could not be started", why, fix)

    def _judge(self, answers: Sequence[Answer]) -> None:
        super()._judge(answers)
        self._stopped += sum(one.failure is not None and one.failure.message.startswith(STOPPED) for one in answers)
        if self._stopped > MOST_STOPPED and self._given_up is None:
            told = "a validator, a default, a conversion or prepare loops or waits for some objects"
            self._given_up = self._hopeless(f"{self._stopped} cases did not end in time", told)
