"""A server with a validator behind it: one that asks a webhook about what its schemas accept, or its policies.

The validator is a target of its own, which gets objects as the server validated them: pruned, defaulted and prepared.
Objects that the server rejects are not shown to it, nor is what it was not asked for: status and other subresources.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property

import msgspec

from harness.case import Answer, Case, TargetInfo
from harness.targets.target import Closing, Pending, Target

_TRACE = "trace"


class ValidatorBehind(Closing):
    """A `Target` made of CRDs and a validator, whose errors are the handwritten side. Both are closed with it."""

    def __init__(self, server: Target, validator: Target) -> None:
        self._server, self._validator = server, validator
        self._served = {kind.key: kind.operations for kind in validator.info.kinds}

    @cached_property
    def info(self) -> TargetInfo:
        """What the server serves, with the sources of errors where the validator tells them."""
        server = self._server.info
        if _TRACE not in self._validator.info.abilities:
            return server
        return msgspec.structs.replace(server, abilities=(*server.abilities, _TRACE))

    @property
    def restarts(self) -> int:
        """The number of restarts of both."""
        return self._server.restarts + self._validator.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; the validator is asked when the answers of the server are there."""
        asked = [msgspec.structs.replace(case, validated=True, brief=True) for case in cases]
        return _Batch(self, cases, self._server.submit(asked))

    def close(self) -> None:
        """Close both. May be called twice."""
        try:
            self._server.close()
        finally:
            self._validator.close()

    def judged(self, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        """Ask the validator about what the server accepts, and put its errors into the answers."""
        accepted: list[int] = []
        questions: list[Case] = []
        for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
            given = answer.validated.get(case.version)
            if given is None or not self.is_for(case) or not self.accepts(case, answer):
                continue
            accepted.append(number)
            question = msgspec.structs.replace(case, id=number, object=given.object, old=given.old, validated=False)
            questions.append(question)
        said = dict(zip(accepted, self._validator.ask(questions), strict=True)) if questions else {}
        both = enumerate(zip(cases, answers, strict=True))
        return [self.joined(case, answer, said.get(number)) for number, (case, answer) in both]

    def is_for(self, case: Case) -> bool:
        """Whether the validator is asked about such requests; one that names no kinds is asked about all resources."""
        if not self._served:
            return not case.subresource
        key = case.group, case.version, case.resource, case.subresource
        return case.operation in self._served.get(key, ())

    def accepts(self, case: Case, answer: Answer) -> bool:
        """Whether the server accepts an object."""
        return answer.failure is None and not answer.declarative

    def joined(self, case: Case, answer: Answer, said: Answer | None) -> Answer:
        """Put what the validator said, if it was asked, into the answer of the server."""
        return msgspec.structs.replace(
            answer,
            handwritten=() if said is None else said.handwritten,
            failure=answer.failure if said is None else said.failure,
            validated=answer.validated if case.validated else {},
        )


class _Batch:
    """A batch on its way."""

    def __init__(self, target: ValidatorBehind, cases: Sequence[Case], server: Pending) -> None:
        self._target, self._cases, self._server = target, cases, server
        self._spent = 0.0

    @property
    def seconds(self) -> float:
        return self._server.seconds + self._spent

    def wait(self, seconds: float) -> bool:
        return self._server.wait(seconds)

    def result(self) -> list[Answer]:
        answers = self._server.result()
        begin = time.monotonic()
        joined = self._target.judged(self._cases, answers)
        self._spent = time.monotonic() - begin
        return joined
