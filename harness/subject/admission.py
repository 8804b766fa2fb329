"""A server whose requests are admitted by either of two validators: what both are asked, and what users are told.

The two, such as policies and a webhook, are asked about objects that the server's own validation accepts. Errors of the
server come before and stay the same whichever validates, so they are no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, cast

import msgspec

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.subject.targetpair import NO_GATES, ServedErrors, TargetPair
from harness.targets.crd.behind import ValidatorBehind
from harness.targets.kubernetes.flags import is_about_privileged
from harness.targets.target import Closing, Pending, Target

_ABILITIES = ("modes", "options", "update", "validated")
_TRACE = "trace"


class Admission(ValidatorBehind):
    """A server with a pair of validators behind it, all closed with it. `pair` tells which of its kinds are asked."""

    def __init__(self, server: Target, pair: TargetPair) -> None:
        super().__init__(server, cast(Target, pair))
        self.pair = pair
        self._own = ServedErrors(server.info, NO_GATES, origins=False)

    @cached_property
    def info(self) -> TargetInfo:
        """The kinds that the pair is asked about, with what the server can do."""
        server = self._server.info
        abilities = tuple(name for name in _ABILITIES if name in server.abilities)
        abilities += (_TRACE,) if _TRACE in self.pair.info.abilities else ()
        return msgspec.structs.replace(self.pair.info, abilities=abilities, release="", gates=server.gates)

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch; the pair is asked when the answers of the server are there."""
        plain: dict[str, Any] = {"served": False, "versions": False, "repeat": False, "measure": None}
        return super().submit([msgspec.structs.replace(case, **plain) for case in cases])

    def is_for(self, case: Case) -> bool:
        """Whether one of the pair is about such objects."""
        return (case.group, case.version, case.resource, case.subresource) in self._served

    def accepts(self, case: Case, answer: Answer) -> bool:
        """Whether users get no error of the server, in a cluster that allows privileged pods."""
        if answer.failure is not None or answer.unreachable:
            return False
        return all(map(is_about_privileged, self._own.served(case, answer)))

    def judged(self, cases: Sequence[Case], answers: Sequence[Answer]) -> list[Answer]:
        """Ask the pair; what the server did not show of a privileged pod, because of its error, is asked for before."""
        answers = list(answers)
        both = enumerate(zip(cases, answers, strict=True))
        hidden = [
            number for number, (case, answer) in both
            if answer.handwritten and not case.subresource and not answer.validated and self.accepts(case, answer)
        ]  # fmt: skip
        shown = [msgspec.structs.replace(cases[number], validated=True, brief=False) for number in hidden]
        for number, answer in zip(hidden, self._server.ask(shown) if shown else (), strict=True):
            answers[number] = answer
        return super().judged(cases, answers)

    def joined(self, case: Case, answer: Answer, said: Answer | None) -> Answer:
        """Return what the pair said, else the errors of the server, which both servers have."""
        if answer.failure is not None:  # a panic is a finding of a run of the server alone
            return Answer(case.id, failure=Failure(answer.failure.stage, answer.failure.message))
        given = answer.validated.get(case.version)
        if said is None:
            return Answer(case.id, tuple(self._own.served(case, answer)), unreachable=answer.unreachable)
        servers = self.pair.servers
        validated = {} if given is None or not case.validated else {servers.before: given, servers.after: given}
        return msgspec.structs.replace(said, id=case.id, validated=validated)


def asked_of(own: Iterable[KindInfo], kinds: Iterable[KindInfo]) -> tuple[KindInfo, ...]:
    """Return the kinds that one of two is asked about, each with the operations of both, so that none is left out.

    `own` are the kinds as both know them; `kinds` are those of a server, which tell the order of operations.
    """
    known: dict[tuple[str, str, str, str], KindInfo] = {}
    operations: dict[tuple[str, str, str, str], set[Operation]] = {}
    for kind in own:
        known.setdefault(kind.key, kind)
        operations.setdefault(kind.key, set()).update(kind.operations)
    return tuple(
        msgspec.structs.replace(
            known[kind.key], operations=tuple(one for one in kind.operations if one in operations[kind.key])
        )
        for kind in kinds
        if kind.key in known
    )


class NamedTarget(Closing):
    """A target under another name, and asked about the kinds of another one. It is closed with it."""

    def __init__(self, target: Target, name: str, kinds: Sequence[KindInfo]) -> None:
        self._target = target
        self.info = msgspec.structs.replace(target.info, name=name, release="", kinds=tuple(kinds))

    @property
    def restarts(self) -> int:
        """The number of restarts of the target."""
        return self._target.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self._target.ask(cases)

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch."""
        return self._target.submit(cases)

    def close(self) -> None:
        """Close the target. May be called twice."""
        self._target.close()
