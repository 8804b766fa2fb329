"""Looks on at a search and keeps every question with the handwritten answer.

What has no whole answer (a decode error, a panic, a case that was asked as no server would) is not kept: a recording
holds what a server said, and a panic is mended, not preserved.
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
from harness.targets.recording import Head, LaneName, Packer, head_maker, lane_of, write_recording

NAME = "record"
"""What its outcomes are called in a result."""


class KeptUnit(msgspec.Struct, frozen=True):
    """What was kept of one unit: blocks by lane, and how many answers could not be kept."""

    lanes: dict[LaneName, tuple[tuple[int, int, bytes], ...]]
    skipped: int = 0


class Keeper(msgspec.Struct, frozen=True):
    """Makes the observers that keep. `mode` is that of the run: what is asked otherwise is not kept."""

    mode: str

    def observer(self, subject: Subject, unit: Unit) -> UnitRecorder:
        """Return the observer of one unit."""
        return UnitRecorder(self.mode)


class UnitRecorder:
    """Keeps what is asked in one unit."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._packers: dict[LaneName, Packer] = {}
        self._skipped = 0

    def examine(self, cases: Sequence[Case], answers: Sequence[Answer], seconds: float) -> None:
        """Keep a batch."""
        for case, answer in zip(cases, answers, strict=True):
            if answer.failure is not None:
                self._skipped += answer.failure.panic
            elif case.mode == self._mode:
                self._packers.setdefault(lane_of(case), Packer()).add(case, answer.handwritten)

    def aims(self) -> Sequence[Aim]:
        """Want nothing: the search asks what it would ask anyway."""
        return ()

    def outcome(self) -> KeptUnit:
        """Return what was kept so far."""
        return KeptUnit({lane: packer.close() for lane, packer in self._packers.items()}, self._skipped)


def keep(path: Path, result: Result) -> Head:
    """Write what a run kept. Raises: OSError."""
    units: Iterable[KeptUnit] = result.observed.get(NAME, ())
    packed: dict[LaneName, tuple[tuple[int, int, bytes], ...]] = {}
    skipped = 0
    for unit in units:
        packed |= unit.lanes
        skipped += unit.skipped
    head = head_maker(
        subject=result.subject, release=result.target.release, recorded=result.started, seed=result.seed,
        mode=result.mode, gates=result.target.gates, skipped=skipped,
    )  # fmt: skip
    return write_recording(path, head, packed)
