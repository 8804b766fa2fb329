"""A server with a validator behind it: one that asks a webhook about what its schemas accept, or its policies.

The validator is a target of its own, which gets objects as the server validated them: pruned, defaulted and prepared.
Objects that the server rejects are not shown to it, nor is what it was not asked for: status and other subresources.
What it said of an object is remembered, and a case that is to be repeated is shown to it twice: a validator that says
something else of the same object, because it asks a clock or keeps what it saw, has no verdict on it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b

import msgspec

from harness.case import Answer, Case, Failure, TargetInfo
from harness.field import FieldError
from harness.targets.target import Closing, Pending, Target

_REPEAT = "repeat"
_OF_CODE = "trace", "blocks"
"""What a validator may tell of its code."""
_MOST_QUOTED = 3
_MOST_REMEMBERED = 1 << 16
"""How many requests are remembered, with what the validator said of them."""


class ValidatorBehind(Closing):
    """A `Target` made of CRDs and a validator, whose errors are the handwritten side. Both are closed with it."""

    def __init__(self, server: Target, validator: Target) -> None:
        self._server, self._validator = server, validator
        self._served = {kind.key: kind.operations for kind in validator.info.kinds}
        self._said_before: dict[bytes, tuple[FieldError, ...] | Failure] = {}

    @cached_property
    def info(self) -> TargetInfo:
        """What the server serves, with the sources of errors and the blocks of code where the validator tells them."""
        server, told = self._server.info, self._validator.info.abilities
        more = (one for one in _OF_CODE if one in told)
        return msgspec.structs.replace(server, abilities=(*server.abilities, _REPEAT, *more))

    @property
    def restarts(self) -> int:
        """The number of restarts of both."""
        return self._server.restarts + self._validator.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; the validator is asked when the answers of the server are there."""
        asked = [msgspec.structs.replace(case, validated=True, brief=True, repeat=False) for case in cases]
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
        questions = asking(questions, cases[-1].blocks if cases else "")
        said = dict(zip(accepted, self._said(questions), strict=True)) if questions else {}
        both = enumerate(zip(cases, answers, strict=True))
        return [self.joined(case, answer, said.get(number)) for number, (case, answer) in both]

    def _said(self, questions: Sequence[Case]) -> list[Answer]:
        """Ask the validator, and once more what is to be repeated, when its first answers are there."""
        plain = [msgspec.structs.replace(one, repeat=False) for one in questions]
        answers = self._checked(plain, self._validator.ask(plain))
        repeated = [number for number, one in enumerate(questions) if one.repeat]
        if repeated:
            again = asking([plain[number] for number in repeated], plain[-1].blocks)
            for number, other in zip(repeated, self._checked(again, self._validator.ask(again)), strict=True):
                first = answers[number]
                kept = other if first.failure is None else first
                answers[number] = msgspec.structs.replace(kept, blocks=(*first.blocks, *other.blocks))
        return answers

    def _checked(self, questions: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        """Return answers, and a failure where the validator said something else of the same object before."""
        return [self._remembered(*both) for both in zip(questions, answers, strict=True)]

    def _remembered(self, question: Case, answer: Answer) -> Answer:
        if answer.failure is not None:
            return answer
        key = _key_of(question)
        earlier = self._said_before.setdefault(key, answer.handwritten)
        if len(self._said_before) > _MOST_REMEMBERED:
            del self._said_before[next(iter(self._said_before))]
        if not isinstance(earlier, Failure):
            failure = _contradiction(self._validator.info.name, earlier, answer.handwritten)
            if failure is None:
                return answer
            self._said_before[key] = earlier = failure
        return Answer(answer.id, failure=earlier, blocks=answer.blocks)

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
            blocks=() if said is None else said.blocks,
        )


def asking(cases: Sequence[Case], name: str) -> list[Case]:
    """Return cases of which the last asks for `name` which blocks of code they reached, as they are without a name.

    They are a part of a batch, perhaps without the case that asks in it, or are asked once more: what nobody asks for
    would be told to whoever asks next.
    """
    last = (msgspec.structs.replace(one, blocks=name) for one in cases[-1:])
    return [*cases[:-1], *last] if name else [*cases]


def _key_of(question: Case) -> bytes:
    """Return a short text that is the same for the same request, however the answer is to be given."""
    asked = (
        question.group, question.version, question.resource, question.subresource, question.operation, question.object,
        question.old,
    )  # fmt: skip
    return blake2b(msgspec.json.encode(asked), digest_size=16).digest()


def _contradiction(name: str, first: Sequence[FieldError], second: Sequence[FieldError]) -> Failure | None:
    """Say that two answers of a validator to one request differ, None if they agree.

    Types and paths count: a text may quote the time, and who walks a map reports in any order.
    """
    one, other = ({(error.type, error.field) for error in errors} for errors in (first, second))
    if one == other:
        return None
    said = ", then ".join(map(_verdict, (first, second)))
    return Failure("self", f"{name} gave two answers to one case: {said}")


def _verdict(errors: Sequence[FieldError]) -> str:
    texts = [error.text.removeprefix(": ") for error in errors]
    more = f" and {len(texts) - _MOST_QUOTED} more" if len(texts) > _MOST_QUOTED else ""
    return f"rejected with {'; '.join(texts[:_MOST_QUOTED])}{more}" if texts else "accepted"


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
