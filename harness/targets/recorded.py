"""A target whose handwritten errors come from a recording, and whose declarative errors come from another target.

Cases that were not recorded are answered with a failure that is not a finding. Lists that the target composed itself
are dropped, because it composed them from its current handwritten errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import msgspec

from harness.case import Answer, Case, Excluded, Failure, KindInfo, Operation, TargetInfo
from harness.diagnostics import Diagnostic, InputError, Position
from harness.targets.recording import Recording, RequestName, request_names
from harness.targets.target import Closing, Pending, Target

NOT_RECORDED = "the recording has no answer of the handwritten side to this case"
_ABILITIES = ("versions", "modes", "options", "validated")
"""The abilities of the target that remain. Options cannot be inverted for recorded answers."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A batch in flight. `recorded` has the recorded answer of each case, or a failure for a case without one."""

    recorded: list[Answer]
    pending: Pending | None

    @property
    def seconds(self) -> float:
        return 0.0 if self.pending is None else self.pending.seconds

    def wait(self, seconds: float) -> bool:
        return self.pending is None or self.pending.wait(seconds)

    def result(self) -> list[Answer]:
        """Return the answers in the order of the cases."""
        answers = iter(self.pending.result() if self.pending is not None else ())
        return [one if one.failure is not None else _join(one, next(answers)) for one in self.recorded]


def _join(recorded: Answer, answer: Answer) -> Answer:
    """Return the target's answer with the recorded handwritten errors."""
    if answer.failure is not None:
        return answer
    return msgspec.structs.replace(answer, handwritten=recorded.handwritten, served=())


class RecordedTarget(Closing):
    """Combines the declarative errors of a target with recorded handwritten errors."""

    def __init__(self, inner: Target, recording: Recording, subject: str) -> None:
        """Raises: InputError when the recording is of another subject, or the target serves none of its requests."""
        self._inner, self.recording = inner, recording
        self._info = _info(inner.info, recording, subject)

    @property
    def info(self) -> TargetInfo:
        """The requests that were recorded; those that the target does not serve are excluded with that reason."""
        return self._info

    @property
    def restarts(self) -> int:
        """The number of restarts of the target."""
        return self._inner.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; only recorded cases are sent."""
        recorded = [self._read_answer(case) for case in cases]
        asked = [case for case, one in zip(cases, recorded, strict=True) if one.failure is None]
        return _Waiting(recorded, self._inner.submit(asked) if asked else None)

    def _read_answer(self, case: Case) -> Answer:
        errors = self.recording.answer(case)
        if errors is None:
            return Answer(case.id, failure=Failure("handwritten", NOT_RECORDED))
        return Answer(case.id, handwritten=errors)

    def close(self) -> None:
        """Close the target."""
        self._inner.close()


def _info(info: TargetInfo, recording: Recording, subject: str) -> TargetInfo:
    head = recording.head
    if head.subject != subject:
        message = f"it is a recording of {head.subject}, not of {subject}"
        _raise_diagnostic(recording, "recording-subject", message, f"record {subject}")
    recorded = set(head.requests)
    kinds = tuple(one for kind in info.kinds if (one := _select_operations(kind, recorded)).operations)
    served = {_request_name(kind, operation) for kind in kinds for operation in kind.operations}
    if not served:
        message = f"{subject} serves none of the recorded requests: {request_names(head.requests)}"
        fix = "record again, or name the target that was recorded"
        _raise_diagnostic(recording, "recording-kinds", message, fix)
    excluded = [
        Excluded(
            request[0],
            request[1],
            f"{request[3]}{'/' if request[4] else ''}{request[4]}",
            f"recorded, and no {request[5]} is served",
        )
        for request in head.requests
        if request not in served
    ]
    abilities = tuple(name for name in _ABILITIES if name in info.abilities)
    return msgspec.structs.replace(info, kinds=kinds, abilities=abilities, excluded=tuple(excluded), ruled=())


def _select_operations(kind: KindInfo, recorded: set[RequestName]) -> KindInfo:
    """Return a kind with those of its operations that were recorded."""
    operations = tuple(operation for operation in kind.operations if _request_name(kind, operation) in recorded)
    return msgspec.structs.replace(kind, operations=operations)


def _request_name(kind: KindInfo, operation: Operation) -> RequestName:
    return kind.group, kind.version, kind.kind, kind.resource, kind.subresource, str(operation)


def _raise_diagnostic(recording: Recording, code: str, message: str, fix: str) -> NoReturn:
    why = "the recorded errors belong to the requests of another target"
    raise InputError([Diagnostic(Position(str(recording.path)), code, message, why, fix)])
