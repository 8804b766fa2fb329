"""A target whose handwritten side is a recording: the declarative list is the target's own, the other one is read.

What was not recorded has no answer, and says so with a failure that is no finding. Lists that the target composes
itself are left out, since it would compose them of what its handwritten side says now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import msgspec

from harness.case import Answer, Case, Excluded, Failure, KindInfo, Operation, TargetInfo
from harness.diagnostics import Diagnostic, InputError, Position
from harness.targets.recording import LaneName, Recording, lanes_of
from harness.targets.target import Closing, Pending, Target

NOT_RECORDED = "the recording has no answer of the handwritten side to this case"
_ABILITIES = ("versions", "modes", "options", "validated")
"""What of a target's abilities is left. Nobody can turn options for a side that is not there."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A batch on its way. `kept` has the recorded answer of every case, or the failure of one that has none."""

    kept: list[Answer]
    pending: Pending | None

    @property
    def seconds(self) -> float:
        return 0.0 if self.pending is None else self.pending.seconds

    def wait(self, seconds: float) -> bool:
        return self.pending is None or self.pending.wait(seconds)

    def result(self) -> list[Answer]:
        """Return the answers in the order of the cases."""
        told = iter(self.pending.result() if self.pending is not None else ())
        return [one if one.failure is not None else _joined(one, next(told)) for one in self.kept]


def _joined(kept: Answer, told: Answer) -> Answer:
    if told.failure is not None:
        return told
    return msgspec.structs.replace(told, handwritten=kept.handwritten, served=())


class RecordedTarget(Closing):
    """The declarative side of a target beside recorded answers."""

    def __init__(self, inner: Target, recording: Recording, subject: str) -> None:
        """Raises: InputError when the recording is of something else, or of nothing that the target serves."""
        self._inner, self.recording = inner, recording
        self._info = _info(inner.info, recording, subject)

    @property
    def info(self) -> TargetInfo:
        """The lanes that were recorded; those that the target does not serve are excluded with that reason."""
        return self._info

    @property
    def restarts(self) -> int:
        """How often the target had to be started again."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch: only what was recorded is asked."""
        kept = [self._kept(case) for case in cases]
        asked = [case for case, one in zip(cases, kept, strict=True) if one.failure is None]
        return _Waiting(kept, self._inner.submit(asked) if asked else None)

    def _kept(self, case: Case) -> Answer:
        errors = self.recording.answer(case)
        if errors is None:
            return Answer(case.id, failure=Failure("handwritten", NOT_RECORDED))
        return Answer(case.id, handwritten=errors)

    def close(self) -> None:
        """Free the target."""
        self._inner.close()


def _info(info: TargetInfo, recording: Recording, subject: str) -> TargetInfo:
    head = recording.head
    if head.subject != subject:
        _refuse(recording, "recording-subject", f"it is of {head.subject}, and asked is {subject}", f"record {subject}")
    wanted = set(head.lanes)
    kinds = tuple(one for kind in info.kinds if (one := _recorded(kind, wanted)).operations)
    there = {_lane(kind, operation) for kind in kinds for operation in kind.operations}
    if not there:
        served = f"{subject} serves none of what it holds: {lanes_of(head.lanes)}"
        _refuse(recording, "recording-kinds", served, "record again, or ask what was recorded")
    gone = [
        Excluded(
            lane[0], lane[1], f"{lane[3]}{'/' if lane[4] else ''}{lane[4]}", f"recorded, and no {lane[5]} is served"
        )
        for lane in head.lanes
        if lane not in there
    ]
    abilities = tuple(name for name in _ABILITIES if name in info.abilities)
    return msgspec.structs.replace(info, kinds=kinds, abilities=abilities, excluded=tuple(gone), ruled=())


def _recorded(kind: KindInfo, wanted: set[LaneName]) -> KindInfo:
    own = tuple(operation for operation in kind.operations if _lane(kind, operation) in wanted)
    return msgspec.structs.replace(kind, operations=own)


def _lane(kind: KindInfo, operation: Operation) -> LaneName:
    return kind.group, kind.version, kind.kind, kind.resource, kind.subresource, str(operation)


def _refuse(recording: Recording, code: str, message: str, fix: str) -> NoReturn:
    why = "answers to other questions prove nothing"
    raise InputError([Diagnostic(Position(str(recording.path)), code, message, why, fix)])
