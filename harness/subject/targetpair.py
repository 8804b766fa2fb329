"""Combines two targets into one, which asks both the same cases, to compare the errors that their users are served.

The two are releases, or one release twice. The lists of an answer are those of `harness.compare.two_servers`; the first
target is the server after, the second the one before. With composition `takeover`, the setting `takeover` serves the
errors of the second and `validation-off` those of the first. `validated` has the object that each server validated, by
its name. Unknown paths, versions and composition are checked in the runs of each release alone.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import MappingProxyType

import msgspec

from harness.case import Answer, Case, Excluded, Failure, Gates, Json, KindInfo, TargetInfo
from harness.compare.composition import Setting, compose, settings
from harness.compare.confirmation import said_of, shorten
from harness.compare.two_admissions import TwoAdmissions, encode_verdicts
from harness.compare.two_servers import Lists, TwoServers, drop_errors, dropped_alone, encode_difference, only
from harness.diagnostics import TargetError
from harness.field import ErrorType, FieldError
from harness.objectmodel import METADATA
from harness.targets.crd.behind import asking
from harness.targets.kubernetes.flags import is_about_privileged
from harness.targets.target import Closing, Pending, Target

Key = tuple[str, str, str, str]

_ABILITIES = ("modes", "options", "update", "validated")
_REPEAT = "repeat"
_OF_CODE = ("trace", "blocks", _REPEAT)
"""What is asked of the handwritten code of a project alone."""
_REPEATED = "a server drops repeated owner references before it validates"
NO_GATES: Gates = MappingProxyType({})


class TargetPair(Closing):
    """Combines two targets, which are closed with it. `gates` are settings of the migration's gates for both.

    `origins` says that the origin of an error names a rule, so that it tells the errors of one path apart. Without
    `words`, errors of one type at one path are the same error, whatever they say; with `verdicts`, two that both reject
    an object agree. `traces` says that the second has handwritten code of a project, whose places are of interest, and
    which may contradict itself.

    Raises: TargetError if they have no kind in common.
    """

    def __init__(
        self,
        first: Target,
        second: Target,
        gates: Gates = NO_GATES,
        *,
        origins: bool = False,
        words: bool = True,
        verdicts: bool = False,
        traces: bool = False,
    ) -> None:
        self._words, self._verdicts = words, verdicts
        self._first, self._second = first, second
        names = name_servers(first.info, second.info)
        self.servers = TwoAdmissions(*names) if verdicts else TwoServers(*names)
        self._ours, self._theirs = ServedErrors(first.info, gates, origins), ServedErrors(second.info, gates, origins)
        self.info = _info(first.info, second.info, self.servers, traces)
        self._repeats = _REPEAT in self.info.abilities
        if not self.info.kinds:
            raise TargetError(
                f"{first.info.name} and {second.info.name} serve no common resource",
                why="only resources that both serve in the same version are compared",
                fix="name two releases of the same API",
            )

    @property
    def restarts(self) -> int:
        """The number of restarts of both."""
        return self._first.restarts + self._second.restarts

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Start a batch on both."""
        asked = [
            msgspec.structs.replace(case, served=False, versions=False, repeat=False, measure=None) for case in cases
        ]
        second = asked
        if self._repeats:
            second = [msgspec.structs.replace(one, repeat=case.repeat) for one, case in zip(asked, cases, strict=True)]
        return _PairBatch(self, cases, asked, self._first.submit(asked), self._second.submit(second))

    def again(self, asked: Sequence[Case]) -> list[Answer]:
        """Ask both once more and wait, because answers with the time of day may differ by a second."""
        first, second = self._first.submit(asked), self._second.submit(asked)
        return self.answers(asked, first.result(), second.result())

    def answers(self, cases: Sequence[Case], ones: Sequence[Answer], others: Sequence[Answer]) -> list[Answer]:
        """Merge the answers of both targets to a batch."""
        merged = (self.answered(*three) for three in zip(cases, ones, others, strict=True))
        told = ((answer, other.blocks) for answer, other in zip(merged, others, strict=True))
        return [msgspec.structs.replace(answer, blocks=blocks) if blocks else answer for answer, blocks in told]

    def close(self) -> None:
        """Close both. May be called twice."""
        try:
            self._first.close()
        finally:
            self._second.close()

    def answered(self, case: Case, one: Answer, other: Answer) -> Answer:
        """Merge two answers to a case."""
        if (failure := why_unasked(one) or why_unasked(other)) is not None:
            return Answer(case.id, failure=failure)
        ours, theirs = self._ours.served(case, one), self._theirs.served(case, other)
        if other.served:
            if _repeats_owners(case.object):  # a worker of CRDs validates all of them
                return Answer(case.id, failure=Failure("handwritten", _REPEATED))
            ours, theirs = as_said(ours, theirs)
        if one.failure is not None and ours == theirs:
            # Both fail alike. A panic is a finding of the run of that release alone.
            return Answer(case.id, failure=Failure(one.failure.stage, one.failure.message))
        if dropped_alone(other.pruned, one.pruned):  # only the server after knows the field: nobody has such an object
            theirs = ours
        ignored = one.ignored if theirs and not ours else other.ignored if ours and not theirs else ()
        handwritten, declarative = self._encoded([*ours, *drop_errors(one.pruned, other.pruned)], theirs, ignored)
        names, seen_by = (self.servers.after, self.servers.before), (one, other)
        given = {name: answer.validated.get(case.version) for name, answer in zip(names, seen_by, strict=True)}
        validated = {name: seen for name, seen in given.items() if seen is not None}
        unreachable = one.unreachable if other.unreachable else ""
        return Answer(
            case.id, handwritten, declarative, validated=validated, unreachable=unreachable, held=one.held,
            ignored=ignored,
        )  # fmt: skip

    def _encoded(self, ours: list[FieldError], theirs: list[FieldError], ignored: Sequence[FieldError]) -> Lists:
        if self._verdicts:
            return encode_verdicts(ours, theirs, ignored)
        return encode_difference(ours, theirs, words=self._words)


class _PairBatch:
    """A batch in flight on both targets. A difference that is not confirmed by asking again is dropped."""

    def __init__(
        self, pair: TargetPair, cases: Sequence[Case], asked: Sequence[Case], first: Pending, second: Pending
    ) -> None:
        self._pair, self._cases, self._asked, self._first, self._second = pair, cases, asked, first, second

    @property
    def seconds(self) -> float:
        return max(self._first.seconds, self._second.seconds)

    def wait(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        return self._first.wait(seconds) and self._second.wait(max(0.0, until - time.monotonic()))

    def result(self) -> list[Answer]:
        answers = self._pair.answers(self._cases, self._first.result(), self._second.result())
        differing = [number for number, answer in enumerate(answers) if _has_migrated_errors(answer)]
        if differing:
            later = self._pair.again(asking([self._asked[number] for number in differing], self._asked[-1].blocks))
            answers = [*answers]
            for number, answer in zip(differing, later, strict=True):
                first = answers[number]
                kept = first if _has_migrated_errors(answer) else answer
                answers[number] = msgspec.structs.replace(kept, id=first.id, blocks=(*first.blocks, *answer.blocks))
        return answers


def as_said(ours: Sequence[FieldError], said: Sequence[FieldError]) -> tuple[list[FieldError], list[FieldError]]:
    """Return our errors and those of a running server in the form in which they can be compared.

    Whether a cluster allows privileged pods is a setting of its servers, which nobody but them knows.
    """
    both = ours, shorten(said, ours)
    one, other = ([said_of(error) for error in errors if not is_about_privileged(error)] for errors in both)
    return one, other


def _repeats_owners(value: Json) -> bool:
    metadata = value.get(METADATA) if isinstance(value, dict) else None
    owners = metadata.get("ownerReferences") if isinstance(metadata, dict) else None
    return isinstance(owners, list) and any(one in owners[:number] for number, one in enumerate(owners))


def why_unasked(answer: Answer) -> Failure | None:
    """Return why a validator or a running server gave no verdict about the object, or two; a panic is one."""
    failure = answer.failure
    if failure is not None:
        return failure if failure.stage in ("handwritten", "self") and not failure.panic else None
    return next((Failure("handwritten", f"it answers {one.status}") for one in answer.served if one.status), None)


def _has_migrated_errors(answer: Answer) -> bool:
    return bool(answer.declarative) or any(error.covered for error in answer.handwritten)


class ServedErrors:
    """Composes the errors that users of one target are served, under its own gates and the given ones."""

    def __init__(self, info: TargetInfo, gates: Gates, origins: bool) -> None:
        self._origins = origins
        self._kinds: dict[Key, tuple[KindInfo, Setting]] = {
            kind.key: (kind, _setting_of(kind, {**info.gates, **gates})) for kind in info.kinds
        }

    def served(self, case: Case, answer: Answer) -> list[FieldError]:
        """Return the served errors, or a failure as an error. Users see no marks and levels."""
        if answer.failure is not None:
            return [FieldError(ErrorType.INVALID, "", f"{answer.failure.stage} failed: {answer.failure.message}")]
        if answer.served:  # a running server composes its list itself
            return list(answer.served[0].errors)
        if not (answer.handwritten or answer.declarative or answer.parent):
            return []
        kind, setting = self._kinds[case.group, case.version, case.resource, case.subresource]
        return [
            FieldError(
                error.type,
                error.field,
                error.detail,
                error.origin if self._origins else "",
                value=error.value,
                source=error.source,
            )
            for error in compose(answer.handwritten, answer.declarative, kind, setting, answer.parent)
        ]


def _setting_of(kind: KindInfo, gates: dict[str, bool]) -> Setting:
    """Return the setting of the migration's gates for these gates; an unknown gate is on."""
    return next(
        one
        for one in settings(kind.composition)
        if all(gates.get(name, True) is value for name, value in one.gates.items())
    )


def name_servers(first: TargetInfo, second: TargetInfo) -> tuple[str, str]:
    """Return two different names: users have the second target and move to the first."""
    before, after = (info.release or info.name for info in (second, first))
    return (before, after) if before != after else (f"{before} before", f"{after} after")


def _info(first: TargetInfo, second: TargetInfo, servers: TwoServers, traces: bool) -> TargetInfo:
    """Return the kinds that both serve, as the first describes them. Other kinds are excluded with a reason."""
    here, there = ({kind.key: kind for kind in info.kinds if kind.served} for info in (first, second))
    kinds = tuple(_common_operations(kind, there[key]) for key, kind in here.items() if key in there)
    excluded = [
        Excluded(kind.group, kind.version, _path(kind), only(name))
        for name, mine, other in ((servers.after, here, there), (servers.before, there, here))
        for key, kind in mine.items()
        if key not in other
    ]
    abilities = tuple(name for name in _ABILITIES if name in first.abilities and name in second.abilities)
    abilities += tuple(name for name in _OF_CODE if traces and name in second.abilities)
    return TargetInfo(
        f"{first.name} against {second.name}", release=first.release, abilities=abilities, kinds=kinds,
        excluded=tuple(excluded), gates=first.gates,
    )  # fmt: skip


def _common_operations(kind: KindInfo, other: KindInfo) -> KindInfo:
    return msgspec.structs.replace(
        kind,
        operations=tuple(one for one in kind.operations if one in other.operations),
        rules=kind.rules or other.rules,
        composition="takeover",
        normalization=(),
        short_circuit_mismatch=False,
        options={name: value for name, value in kind.options.items() if name in other.options},
        versions=(),
    )


def _path(kind: KindInfo) -> str:
    return f"{kind.resource}/{kind.subresource}" if kind.subresource else kind.resource
