"""The observer that records every case of a search with its handwritten errors.

A recording has only answers that a server would give: cases with a failure, such as a decode error or a panic, and
cases in another mode than that of the run are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from harness.case import Answer, Case
from harness.engine.units import Unit
from harness.events import Result
from harness.fuzzers.aims import Aim
from harness.subject import Subject
from harness.targets.recording import Head, Packer, RequestName, head_maker, request_of, write_recording

NAME = "record"
"""The name of the observer in a result."""


class KeptUnit(msgspec.Struct, frozen=True):
    """The recorded cases of one unit (a resource and its subresources): blocks by request.

    `skipped` is the number of answers with a panic, which are not recorded.
    """

    requests: dict[RequestName, tuple[tuple[int, int, bytes], ...]]
    skipped: int = 0


class Keeper(msgspec.Struct, frozen=True):
    """Creates the recording observers. `mode` is that of the run; cases in another mode are skipped."""

    mode: str

    def observer(self, subject: Subject, unit: Unit) -> UnitRecorder:
        """Return the observer of one unit."""
        return UnitRecorder(self.mode)


class UnitRecorder:
    """Records the cases of one unit."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._packers: dict[RequestName, Packer] = {}
        self._skipped = 0

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Record a batch."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is not None:
                self._skipped += answer.failure.panic
            elif case.mode == self._mode:
                self._packers.setdefault(request_of(case), Packer()).add(case, answer.handwritten)

    def aims(self) -> Sequence[Aim]:
        """Return no aims: recording must not change the search."""
        return ()

    def outcome(self) -> KeptUnit:
        """Return the recorded cases so far."""
        return KeptUnit({request: packer.close() for request, packer in self._packers.items()}, self._skipped)


def keep(path: Path, result: Result) -> Head:
    """Write the recorded cases of a run to a file. Raises: OSError."""
    units: Iterable[KeptUnit] = result.observed.get(NAME, ())
    packed: dict[RequestName, tuple[tuple[int, int, bytes], ...]] = {}
    skipped = 0
    for unit in units:
        packed |= unit.requests
        skipped += unit.skipped
    head = head_maker(
        subject=result.subject, release=result.target.release, recorded=result.started, seed=result.seed,
        mode=result.mode, gates=result.target.gates, skipped=skipped,
    )  # fmt: skip
    return write_recording(path, head, packed)
